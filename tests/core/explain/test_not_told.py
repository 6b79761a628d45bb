"""Idle time of other programs' traces is laid to the host only where the trace shows that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.run_step import explain_run_step
from core.plan.plan import Role
from core.plan.task import Kind
from core.recording.recording import open_recording
from core.report.limits import Limit
from core.report.verdict import verdict
from core.trace.own_steps import with_range
from core.trace.trace import Trace
from tests.core.recording.importers.kineto_files import kineto_file

Event = dict[str, Any]


def work(name: str, ts: float, dur: float, tid: int, pid: int = 1, **more: object) -> Event:
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, **more}


def opened(folder: Path, file: object) -> Trace:
    path = folder / "trace.json"
    path.write_text(json.dumps(file))
    return open_recording(path).trace


def idle(trace: Trace, lane: int = 0) -> dict[Cause, int]:
    """Idle µs of a lane in the first step by cause."""
    totals = cause_totals(explain_run_step(trace, trace.steps[0]))[lane]
    return {cause: int(ns) // 1000 for cause, ns in zip(CAUSES, totals, strict=True) if ns}


def test_gaps_of_a_plain_chrome_trace_are_not_told(tmp_path: Path) -> None:
    events = [work("load", 0, 100, 1), work("decode", 700, 100, 1), work("send", 750, 250, 2)]
    trace = opened(tmp_path, events)
    trace = with_range(trace, *trace.bounds)
    assert Cause.HOST not in {cause for lane in (0, 1) for cause in idle(trace, lane)}
    assert idle(trace)[Cause.UNEXPLAINED] == 600
    found = verdict(trace)
    assert found is not None and found.kind is Limit.UNEXPLAINED
    assert "for reasons that the trace does not show" in str(found.text) and "host" not in str(
        found.text
    )
    assert "% of the step) for reasons that the trace does not show; a task takes" in str(
        found.text
    )


def test_an_arrow_tells_what_a_task_waited_for_so_it_was_late_for_the_host(tmp_path: Path) -> None:
    events = [
        work("load", 0, 100, 1),
        work("decode", 700, 300, 2),
        {"ph": "s", "id": 1, "name": "to", "ts": 50, "pid": 1, "tid": 1},
        {"ph": "f", "id": 1, "name": "to", "ts": 700, "pid": 1, "tid": 2, "bp": "e"},
    ]
    trace = opened(tmp_path, events)
    assert idle(with_range(trace, *trace.bounds), 1) == {Cause.COMPUTE: 100, Cause.HOST: 600}


@pytest.mark.parametrize("ranks", [1, 2])
def test_gaps_of_megascan_without_microbatches_are_not_told(tmp_path: Path, ranks: int) -> None:
    trace = opened(tmp_path, megascan_events(ranks, {}))
    for lane in range(ranks):
        assert Cause.HOST not in idle(trace, lane) and idle(trace, lane)[Cause.UNEXPLAINED] >= 200


def test_gaps_of_megascan_with_microbatches_wait_for_the_neighbour(tmp_path: Path) -> None:
    trace = opened(tmp_path, megascan_events(2, {"microbatch": 0}))
    # Each transfer happened once, so its time is that of the only case.
    assert idle(trace, 0) == {Cause.COMPUTE: 200, Cause.TRANSFER: 200, Cause.HOST: 200}
    assert idle(trace, 1) == {
        Cause.FILL: 100, Cause.TRANSFER: 200, Cause.HOST: 200, Cause.DRAIN: 100,
    }  # fmt: skip


def megascan_events(ranks: int, more: dict[str, int]) -> list[dict[str, object]]:
    """A forward and a backward on each rank: the last rank's are nearest to each other."""
    events = []
    for rank in range(ranks):
        place = {"iteration": 1, "pp_rank": rank, **more}
        events += [
            work("forward", 200 * rank, 100, 1, rank, args=place),
            work("backward", 700 - 200 * rank, 100, 1, rank, args=place),
        ]
    return events


def test_streams_of_ascend_without_a_category_are_the_devices(tmp_path: Path) -> None:
    names = {0: "Ascend Hardware", 5: "Overlap Analysis", 6: "Communication", 100: "Python"}
    named = [
        {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
        for pid, name in names.items()
    ]
    events = [
        *named,
        work("ProfilerStep#0", 0, 1000, 1, 100, cat="user_annotation"),
        work("aten::mm", 0, 20, 1, 100, cat="cpu_op"),
        work("MatMulV2", 100, 400, 2, 0, args={"Task Type": "AI_CORE", "Stream Id": 2}),
        work("hcom_allReduce__051_0_1", 500, 300, 7, 0, args={"Stream Id": 7}),
        work("Computing", 100, 400, 0, 5),
        work("hcom_allReduce__051_0_1", 500, 300, 3, 6),
    ]
    trace = opened(tmp_path, kineto_file(0, events))
    lanes = {lane.name: lane for lane in trace.header.lanes}
    assert lanes["stream 2"].stream_of == lanes["stream 7"].stream_of == "device"
    assert (lanes["stream 2"].role, lanes["stream 2"].cores) == (Role.COMPUTE, 0)
    assert lanes["stream 7"].role is Role.COMMUNICATION
    [moved] = [span for span in trace if span.kind is Kind.ALL_REDUCE]
    assert moved.lane == lanes["stream 7"].index
    works = {lane.name for lane in trace.header.lanes if lane.role is not Role.NESTED}
    assert works == {"stream 2", "stream 7", "thread 1"}
    found = verdict(trace)
    assert found is not None and found.kind is Limit.COMMUNICATION
