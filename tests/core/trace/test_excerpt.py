"""Parts of a run by name: times, steps, lanes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.recording.recording import open_recording
from core.trace.excerpt import (
    ExcerptOptions,
    parse_range,
    parse_time,
    resolve_lanes,
    resolve_range,
    resolve_steps,
)
from core.trace.trace import Trace
from tests.make_believe import MS, specification, trace_of


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of(specification(devices="4xcpu", steps=3))


@pytest.mark.parametrize(
    ("text", "ns"),
    [("7ns", 7), ("1.5us", 1500), ("2µs", 2000), ("10ms", 10 * MS), ("0.25 s", 250 * MS),
     (".5s", 500 * MS)],
)  # fmt: skip
def test_a_time_has_a_unit(text: str, ns: int) -> None:
    assert parse_time(text) == ns


@pytest.mark.parametrize("text", ["10", "ms", "-3ms", "1e3ms", "10 min", ""])
def test_what_is_no_time_is_refused_with_the_units_that_are_accepted(text: str) -> None:
    with pytest.raises(ValueError, match="ns, us, ms or s"):
        parse_time(text)


def test_a_range_may_be_open_at_either_end(trace: Trace) -> None:
    assert parse_range("10ms:40ms") == (10 * MS, 40 * MS)
    assert parse_range("10ms:") == (10 * MS, None)
    zero = trace.step_bounds(2)[0]  # the first measured step's start
    assert resolve_range(ExcerptOptions(range=":40ms"), trace) == (zero, zero + 40 * MS)
    assert resolve_range(ExcerptOptions(range="10ms:"), trace) == (zero + 10 * MS, trace.bounds[1])


@pytest.mark.parametrize("text", ["10ms", ":", "10:40", "10ms-40ms", "a:b"])
def test_what_is_no_range_is_refused_in_one_line_that_names_it(text: str) -> None:
    with pytest.raises(ValueError, match="use START:END") as raised:
        parse_range(text)
    assert f"--range {text}" in str(raised.value) and "\n" not in str(raised.value)


def test_a_range_that_ends_before_it_begins_or_lies_outside_the_run_is_refused(
    trace: Trace,
) -> None:
    with pytest.raises(ValueError, match="its end must be after its start"):
        parse_range("40ms:10ms")
    with pytest.raises(ValueError, match=r"lasts \d+\.\d+ ms from its first measured step"):
        resolve_range(ExcerptOptions(range="90s:91s"), trace)


def test_steps_are_counted_from_the_first_measured_one_and_the_warm_ups_with_a_w(
    trace: Trace,
) -> None:
    assert trace.header.specification.warmup == 2
    assert resolve_steps(ExcerptOptions(steps="1"), trace) == [2]
    assert resolve_steps(ExcerptOptions(steps="2-3"), trace) == [3, 4]
    assert resolve_steps(ExcerptOptions(steps="w1"), trace) == [0]
    assert resolve_steps(ExcerptOptions(steps="w2-1"), trace) == [1, 2]


def test_a_step_that_the_run_lacks_is_refused_with_those_that_it_has(trace: Trace) -> None:
    with pytest.raises(
        ValueError, match=r"--steps 3-9: .* steps 1 to 3 and the warm-up steps w1 to w2"
    ):
        resolve_steps(ExcerptOptions(steps="3-9"), trace)
    for text in ("w3", "w3-w5", "w2-w3", "w1-9", "w6"):
        wanted = (
            f"--steps {text}: the run has the measured steps 1 to 3 and the warm-up steps w1 to w2"
        )
        with pytest.raises(ValueError, match=f"^{wanted}$"):
            resolve_steps(ExcerptOptions(steps=text), trace)
    with pytest.raises(ValueError, match="must not be before its first"):
        resolve_steps(ExcerptOptions(steps="3-2"), trace)
    for text in ("0", "x", "1-2-3", "-1"):
        with pytest.raises(ValueError, match=f"--steps {text}: use a step or FIRST-LAST"):
            ExcerptOptions(steps=text).check()


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((33, 34, 35), "the measured steps 33 to 35"),
        ((33, 35, 40), "3 measured steps with numbers from 33 to 40"),
    ],
)
def test_steps_of_other_programs_have_their_own_numbers(
    tmp_path: Path, numbers: tuple[int, ...], words: str
) -> None:
    events = []
    for place, number in enumerate(numbers):
        own = {"ph": "X", "pid": 1, "tid": 1, "ts": 100 * place}
        mark = {"name": f"ProfilerStep#{number}", "cat": "user_annotation"}
        events.append({**own, **mark, "dur": 100})
        events.append({**own, "name": "aten::mm", "cat": "cpu_op", "dur": 50})
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))
    trace = open_recording(path).trace
    for text in ("3", "3-33", "35-41", "36-39"):
        with pytest.raises(ValueError, match=f"--steps {text}: the run has {words}"):
            resolve_steps(ExcerptOptions(steps=text), trace)
    last = numbers[-1]
    assert resolve_steps(ExcerptOptions(steps=f"33-{last}"), trace) == trace.steps


def test_lanes_are_chosen_by_number_range_and_name_and_stay_in_order(trace: Trace) -> None:
    lanes = trace.header.lanes
    chosen = resolve_lanes(ExcerptOptions(lanes="cpu:3, 0-1"), lanes)
    assert [lane.name for lane in chosen] == ["cpu:0", "cpu:1", "cpu:3"]
    assert resolve_lanes(ExcerptOptions(), lanes) == list(lanes)


@pytest.mark.parametrize("text", ["7", "2-9", "3-1"])
def test_a_lane_that_the_run_lacks_is_refused_with_those_that_it_has(
    trace: Trace, text: str
) -> None:
    with pytest.raises(ValueError, match=f"--lanes {text}: the run has lanes 0 to 3"):
        resolve_lanes(ExcerptOptions(lanes=text), trace.header.lanes)
    with pytest.raises(ValueError, match="there are cpu:0, cpu:1, cpu:2, cpu:3"):
        resolve_lanes(ExcerptOptions(lanes="gpu"), trace.header.lanes)


def test_time_is_chosen_either_by_range_or_by_steps() -> None:
    with pytest.raises(ValueError, match="both choose the time"):
        ExcerptOptions(range="1ms:", steps="2").check()
