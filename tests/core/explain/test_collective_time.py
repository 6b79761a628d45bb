"""Collectives are a matter of the transfer, of the ranks' arrivals, of both, or not certain."""

import pytest

from core.explain.arrivals import Arrivals, arrivals
from core.explain.collective_time import TimeClass, collective_time, fastest_link
from core.explain.run_step import explain_run_step
from core.plan.link import Link
from core.plan.specification import Specification
from core.plan.task import Kind
from tests.core.report.verdicts import made


def met(wait: int, transfer: int, times: int = 1, size: int = 0) -> Arrivals:
    return Arrivals(
        Kind.ALL_REDUCE, None, None, 0, times, ((0, times),), wait, transfer, members=4, bytes=size
    )


@pytest.mark.parametrize(
    ("wait", "transfer", "uncertainty", "expected"),
    [
        (10, 90, 0, TimeClass.TRANSFER),
        (90, 10, 0, TimeClass.SKEW),
        (50, 50, 0, TimeClass.MIXED),
        (50, 50, 10, TimeClass.MIXED),
        (30, 70, 10, TimeClass.UNCERTAIN),
        (70, 30, 10, TimeClass.UNCERTAIN),
        (10, 90, 10, TimeClass.TRANSFER),
        (100, 0, 20, TimeClass.SKEW),
        (0, 0, 0, TimeClass.UNCERTAIN),
        (50, 50, 1000, TimeClass.UNCERTAIN),
    ],
)
def test_the_class_holds_for_all_arrivals_within_the_uncertainty(
    wait: int, transfer: int, uncertainty: int, expected: TimeClass
) -> None:
    assert collective_time(met(wait, transfer), uncertainty, None).time_class is expected


def test_the_class_is_that_of_one_time() -> None:
    # Ten times 9 ns of wait: an uncertainty of 8 ns leaves 1 to 10 of 10 ns.
    found = collective_time(met(90, 10, times=10), 8, None)
    assert found.time_class is TimeClass.UNCERTAIN


def test_bytes_need_their_time_on_the_link() -> None:
    link = Link.of(5, 25)
    found = collective_time(met(1, 1, size=1_000_000), 0, link)
    assert found.needed_ns == link.transfer_ns(Kind.ALL_REDUCE, 1_000_000, 4)
    assert collective_time(met(1, 1), 0, link).needed_ns is None
    assert collective_time(met(1, 1, size=9), 0, None).needed_ns is None


def test_without_a_link_the_fastest_collective_is_the_link() -> None:
    slow, fast = met(0, 4000, times=2, size=1000), met(0, 1500, size=1000)
    link = fastest_link([slow, fast, met(5, 5)])
    assert link is not None
    assert link.transfer_ns(Kind.ALL_REDUCE, 1000, 4) == pytest.approx(1500)
    assert fastest_link([met(5, 5)]) is None


def test_a_step_has_the_members_and_bytes_of_its_collectives() -> None:
    run = Specification("ddp", devices="4xvirtual:cpu", batch=64, slow_lane="2:3")
    trace = made(run).trace
    (one, *_) = arrivals(explain_run_step(trace, trace.steps[-1]))
    assert one.members == 4 and one.bytes > 0
    assert collective_time(one, 0, None).time_class is TimeClass.SKEW
    link = fastest_link([one])
    assert link is not None
    assert collective_time(one, 0, link).needed_ns == pytest.approx(one.transfer_ns, rel=0.01)
