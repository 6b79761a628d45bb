"""The runs of a full check: which they are, and the order of their spans."""

import pytest

pytest.importorskip("torch")

from core.check.measured import GradientError, NotMeasured, SpanOrder
from core.engine.machine_check import runs
from core.engine.machine_check.peers import peer_measurements
from core.engine.machine_check.runs import (
    checked_runs,
    file_stem,
    run_measurements,
    run_name,
    span_order,
    step_lengths,
)
from core.machine import host_hardware
from core.plan.planning import plan_run
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from tests.core.helpers import SMALL, plan_of, trace_of
from tests.make_believe import GPUS

US = 1_000


def test_every_strategy_and_schedule_runs_on_one_device_and_on_two():
    found = checked_runs(GPUS)
    assert {run.strategy for run in found} == set(STRATEGIES)
    first, second = GPUS.devices[1:3]
    for devices in (f"2x{first}", f"{first},{second}"):
        schedules = [run.schedule for run in found if run.schedule and run.devices == devices]
        assert schedules == list(SCHEDULES)
    names = [run_name(run) for run in found]
    stems = [file_stem(name) for name in names]
    assert len(set(stems)) == len(names)
    assert not any("/" in stem or ":" in stem for stem in stems)


@pytest.mark.parametrize("hardware", [GPUS, host_hardware()], ids=["GPUs", "CPU"])
def test_no_run_of_a_full_check_is_refused(hardware):
    for run in checked_runs(hardware):
        assert plan_run(run, hardware, present=False).plans


def test_a_run_yields_its_gradients_and_the_order_of_its_spans(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "MODEL", SMALL)
    run = runs.verified_run("pipeline", ("cpu", "cpu"), "zb-h1")
    gradients, order = run_measurements(run, host_hardware(), str(tmp_path))
    assert isinstance(gradients, GradientError) and gradients.error <= gradients.allowed
    assert isinstance(order, SpanOrder) and order.early <= 2 * order.uncertain
    assert order.spans > 50
    assert (tmp_path / "pipeline-zb-h1-2xcpu.arrow").stat().st_size > 0


def test_a_run_that_takes_too_long_is_stopped_and_says_so(monkeypatch):
    monkeypatch.setattr(runs, "RUN_SECONDS", 0.0)
    monkeypatch.setattr(runs, "MODEL", SMALL)
    (found,) = run_measurements(runs.verified_run("mp", ("cpu", "cpu")), host_hardware(), "")
    assert isinstance(found, NotMeasured)
    assert str(found.reason) == "it took more than 0 s"


def spans_of(strategy="pipeline", moved=0):
    """A trace whose last task starts `moved` ns before what it waits for has ended."""
    specification = Specification(strategy, SMALL, "2xcpu", batch=8, warmup=0, steps=1)
    plan = plan_of(specification)
    durations = [100 * US] * len(plan.tasks)
    trace = trace_of(plan, durations, specification)
    waiting = next(span for span in trace if span.after and _other_lane(span, trace))
    trace.spans(waiting.lane).start[waiting.index] -= moved
    return trace


def _other_lane(span, trace):
    """True if the span begins just as a task of another lane ends, and its lane was idle before."""
    ends = [trace.find(0, task) for task in span.after]
    before = trace.span(span.lane, span.index - 1).end if span.index else 0
    return before < span.start - 50 * US and any(end.end == span.start for end in ends)


@pytest.mark.parametrize("moved", [0, 30 * US])
def test_a_span_that_starts_before_what_it_waits_for_is_early(moved):
    assert span_order(spans_of(moved=moved), "1f1b").early == moved


def test_a_step_lasts_from_its_first_start_to_its_last_end():
    trace = spans_of()
    begin, end = trace.step_bounds(0)
    assert step_lengths(trace) == [end - begin]


def test_dp_is_compared_where_there_are_two_accelerators():
    names = dict(peer_measurements(host_hardware(), ""))
    found = names["dp"]()
    assert isinstance(found, NotMeasured)
    assert str(found.reason) == "nn.DataParallel needs two accelerators"
