"""A range of another program's trace, or all of it, as a step on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bubblescope.cli.start import run_arguments
from tests.make_believe import record, specification

Call = Callable[[str], int]
Event = dict[str, Any]


def kernel(name: str, start_us: float, length_us: float, stream: int = 7) -> Event:
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start_us,
            "dur": length_us, "args": {"stream": stream, "device": 0}}  # fmt: skip


EVENTS = [
    kernel("gemm", 0, 10_000),
    kernel("gemm", 12_000, 10_000),
    kernel("ncclDevKernel_AllReduce_Sum_f32", 20_000, 8_000, 20),
    kernel("gemm", 30_000, 10_000),
    {"ph": "E", "name": "lost", "pid": 0, "tid": 7, "ts": 50},
]
"""10 ms of computing three times, with 6 of 8 ms of an all-reduce that nothing hides."""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs commands in a folder with a trace without steps, one with steps, and a recording."""
    head = {"distributedInfo": {"rank": 0, "world_size": 1}}
    (tmp_path / "trace.json").write_text(json.dumps({**head, "traceEvents": EVENTS}))
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 0, "tid": 1,
            "ts": 0, "dur": 41_000}  # fmt: skip
    (tmp_path / "steps.json").write_text(json.dumps({**head, "traceEvents": [*EVENTS, step]}))
    record(specification(), tmp_path / "run.arrow")
    monkeypatch.chdir(tmp_path)
    return lambda words: run_arguments(words.split())


def summary(call: Call, capsys: pytest.CaptureFixture[str], words: str) -> dict[str, Any]:
    assert call(f"summary {words}") == 0
    values: dict[str, Any] = json.loads(capsys.readouterr().out)
    return values


def test_a_whole_trace_without_steps_is_summed_up_as_one_step(
    call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    values = summary(call, capsys, "--whole trace.json")
    assert values["verdict"]["text"].startswith("Step 40 ms.")
    assert [step["makespan_ns"] for step in values["steps"]] == [40_000_000]
    assert values["part_ns"] == [0, 40_000_001]


def test_the_figures_of_ranks_are_those_of_the_range_that_is_summed_up(
    call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    [whole] = summary(call, capsys, "--whole trace.json")["ranks"]
    assert whole["place"] == "rank 0"
    assert (whole["span_ns"], whole["idle_ns"]) == (40_000_000, 4_000_000)
    assert (whole["compute_ns"], whole["communication_ns"]) == (30_000_000, 8_000_000)
    assert (whole["overlap_ns"], whole["overlap_fraction"]) == (2_000_000, 0.25)
    assert whole["idle_fraction"] == pytest.approx(0.1)
    # What begins from 11 to 29 ms: 10 ms of computing, and the all-reduce, from 12 to 28.
    values = summary(call, capsys, "--range 11ms:29ms trace.json")
    [part] = values["ranks"]
    assert (part["span_ns"], part["idle_ns"]) == (16_000_000, 0)
    assert (part["compute_ns"], part["communication_ns"]) == (10_000_000, 8_000_000)
    assert values["steps"][0]["makespan_ns"] == 16_000_000


def test_a_summary_has_the_figures_of_ranks_and_irregularities_even_without_steps(
    call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("summary trace.json") == 0
    told = capsys.readouterr()
    values = json.loads(told.out)
    assert values["verdict"] is None and values["steps"] == []
    assert values["ranks"][0]["span_ns"] == 40_000_000
    assert values["odd"] == [
        {"kind": "end-without-begin", "count": 1,
         "text": "1 event that ends and never began is left out."},
    ]  # fmt: skip
    note = "note: trace.json has no steps: "
    advice = "use --whole or --range START:END to take a part of it as a step"
    assert told.err.splitlines()[-1] == note + advice


def test_a_range_of_a_trace_that_has_steps_is_one_step_too(
    call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    values = summary(call, capsys, "--range 11ms: steps.json")
    # From the first to the last task that begins in it.
    assert [step["makespan_ns"] for step in values["steps"]] == [28_000_000]


def test_two_ranges_of_a_trace_are_compared(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare trace.json trace.json --range 0ms:1ms --range-b 11ms:29ms") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A: trace.json, range 0ms:1ms, 10 ms"
    assert lines[1] == "B: trace.json, range 11ms:29ms, 16 ms"
    assert call("compare trace.json steps.json --whole") == 0
    assert capsys.readouterr().out.startswith("A: trace.json, the whole trace, 40 ms\n")


def test_a_report_is_of_the_range(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    report = pytest.importorskip("gui.report.run", exc_type=ImportError)
    written = []
    monkeypatch.setattr(
        report, "write_run_report", lambda trace, path: written.append((trace, path))
    )
    assert call("export trace.json --report range.html --range 11ms:29ms") == 0
    assert call("export trace.json --report whole.html --whole") == 0
    bounds = [trace.step_bounds(0) for trace, _ in written]
    assert bounds == [(12_000_000, 28_000_000), (0, 40_000_000)]
    assert [path.name for _, path in written] == ["range.html", "whole.html"]


DIGITS = "9" * 400


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("summary trace.json --range 10", "--range 10: use START:END in ns, us, ms or s"),
        ("summary trace.json --range 40ms:10ms", "--range 40ms:10ms: its end must be after"),
        ("summary trace.json --range 50ms:60ms",
         "--range 50ms:60ms: the run lasts 40.000 ms from its first task on"),
        (f"summary trace.json --range {DIGITS}ms:", "use START:END in ns, us, ms or s"),
        (f"summary trace.json --range 1ms:{DIGITS}s", "use START:END in ns, us, ms or s"),
        (f"export trace.json --image a.svg --range 1ms:{DIGITS}s", "use START:END"),
        ("summary trace.json --range 10.5ms:11ms",
         "--range 10.5ms:11ms: no task of trace.json begins in this range"),
        ("summary trace.json --whole --range 1ms:2ms",
         "--whole and --range 1ms:2ms both choose the time: use one"),
        ("compare trace.json trace.json --range-b 1ms", "--range-b 1ms: use START:END"),
        ("compare trace.json trace.json",
         "trace.json has no whole step to compare; use --whole or --range START:END"),
        ("summary run.arrow --whole", "--whole: run.arrow is a run with known steps"),
        ("export run.arrow --report a.html --range 0ms:1ms",
         "--range 0ms:1ms: run.arrow is a run with known steps"),
        ("export trace.json --table a.csv --whole", "--whole has no effect here"),
    ],
)  # fmt: skip
def test_a_missing_part_is_refused_in_one_line(
    call: Call, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    try:
        assert call(words) == 2
    except SystemExit as ended:
        assert ended.code == 2
    told = capsys.readouterr()
    *warnings, error = told.err.splitlines()
    assert said in error and told.out == ""
    assert all(line.startswith("warning: trace.json: 1 event that ends") for line in warnings)
