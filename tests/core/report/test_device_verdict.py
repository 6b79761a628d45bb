"""The verdict on a profiler's trace says what its devices did, and never what they did not."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.ranks import rank_times
from core.explain.run_step import explain_run_step
from core.recording.recording import open_recording
from core.report.limits import Limit
from core.report.verdict import Verdict, verdict
from core.trace.trace import Trace
from tests.core.report.device_oracle import contradictions, truth_of
from tests.core.report.profiles import profile

TRACES = int(os.environ.get("VERDICT_TRACES", "150"))
"""How many made-up traces the property is tested on; `make verdicts` sets it."""
BATCH = 50
GEMM, REDUCE = "ampere_sgemm_128x64_tn", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
Event = dict[str, Any]


def event(cat: str, name: str, ts: float, dur: float, tid: int = 100, **args: object) -> Event:
    """A complete event of the host, or of a device's stream."""
    pid = 0 if cat in ("kernel", "gpu_memcpy") else 100
    times = {"ts": ts, "dur": dur, "pid": pid, "tid": tid}
    return {"ph": "X", "cat": cat, "name": name, **times, "args": args}


def task(
    name: str, call: float, ts: float, dur: float, number: int, stream: int = 7
) -> list[Event]:
    """A task of a stream, and the call that launches it at `call` (µs)."""
    return [
        event("cuda_runtime", "cudaLaunchKernel", call, 1, correlation=number),
        event("kernel", name, ts, dur, stream, correlation=number, stream=stream),
    ]


def step(number: int, ts: float, dur: float) -> Event:
    return event("user_annotation", f"ProfilerStep#{number}", ts, dur)


def opened(folder: Path, events: list[Event], rank: int = 0) -> Trace:
    file = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
        "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 1},
        "traceEvents": events,
    }
    path = folder / f"rank{rank}.json"
    path.write_text(json.dumps(file))
    return open_recording(path).trace


def judged(trace: Trace) -> Verdict:
    found = verdict(trace)
    assert found is not None
    return found


def causes(trace: Trace, lane: int) -> dict[Cause, int]:
    """Idle ns of a lane in the first step by cause."""
    totals = cause_totals(explain_run_step(trace, trace.steps[0]))[lane]
    return {cause: int(ns) for cause, ns in zip(CAUSES, totals, strict=True) if ns}


def test_time_of_the_host_is_no_data_that_is_moved(tmp_path: Path) -> None:
    # The host works on operators for long before it launches each kernel; nothing communicates.
    events = [step(1, 0, 1_000)]
    for n in range(4):
        at = 10 + 200 * n
        events.append(event("cpu_op", "aten::linear", at, 180))
        events += task(GEMM, at + 185, at + 190, 10, n + 1)
    found = judged(opened(tmp_path, events))
    assert found.kind is Limit.HOST
    assert "oving data" not in str(found.text) and "ommunication" not in str(found.text)
    assert str(found.text) == (
        "Step 800 µs. Devices are in use for 610 µs of it. Devices idle 93 %: mostly waiting for "
        "the host to start work (93 %). The host costs 570 µs a step (93 % of the devices' time): "
        "devices wait for it to start their work."
    )


def test_a_gap_under_a_collective_is_exposed_communication_however_late_the_next_task_starts(
    tmp_path: Path,
) -> None:
    # The stream that computes is free from 110 on; the collective ends at 600, and the next
    # kernel is launched at 650: from 600 on the device is idle, not before.
    trace = opened(
        tmp_path,
        [
            step(1, 0, 1_000),
            *task(GEMM, 1, 10, 100, 1),
            *task(REDUCE, 3, 110, 490, 2, 20),
            *task(GEMM, 650, 660, 340, 3),
        ],
    )
    assert causes(trace, 0) == {Cause.COLLECTIVE: 490_000, Cause.HOST: 60_000 + 9_000}
    found = judged(trace)
    assert found.kind is Limit.COMMUNICATION and found.loss_ns == 490_000
    assert str(found.text) == (
        "Step 999 µs. Devices idle 6.1 %: mostly waiting for the host to start work (6.1 %). "
        "Exposed communication costs 490 µs a step (49 % of the devices' time)."
    )


def test_a_stream_that_is_idle_while_another_stream_computes_is_no_loss(tmp_path: Path) -> None:
    trace = opened(
        tmp_path,
        [
            step(1, 0, 1_000),
            *task(GEMM, 1, 10, 500, 1),
            *task(GEMM, 3, 510, 480, 2, 28),
        ],
    )
    assert causes(trace, 0) == {Cause.HOST: 9_000, Cause.OTHER_STREAM: 480_000}
    found = judged(trace)
    assert found.kind is Limit.NONE
    assert str(found.text).startswith("Step 989 µs. Devices idle 0 %. ")


def test_a_stream_is_not_idle_while_a_kernel_of_its_own_overlaps_the_one_before(
    tmp_path: Path,
) -> None:
    # Programmatic dependent launch: each kernel starts 10 us before the one before it has ended.
    events = [step(1, 0, 370)]
    for n in range(4):
        events += task(GEMM, 1 + n, 90 * n, 100, n + 1)
    trace = opened(tmp_path, events)
    streams = [lane for lane in trace.header.lanes if lane.stream_of]
    assert [lane.name for lane in streams] == ["stream 7", "stream 7 row 2"]
    busy = [trace.spans(lane.index).start.tolist() for lane in streams]
    assert busy == [[0, 180_000], [90_000, 270_000]]
    explanation = explain_run_step(trace, 0)
    assert len(explanation.columns) == 8  # with the calls of the host
    assert causes(trace, 0) == {Cause.OTHER_STREAM: 80_000 + 90_000}
    [time] = rank_times(trace)
    assert (time.span_ns, time.compute_ns, time.idle_ns) == (370_000, 370_000, 0)


def test_idle_time_is_laid_to_the_host_only_if_the_next_task_was_not_launched_yet(
    tmp_path: Path,
) -> None:
    trace = opened(
        tmp_path,
        [
            step(1, 0, 1_000),
            *task(GEMM, 1, 10, 100, 1),
            *task(GEMM, 20, 310, 90, 2),  # launched while the first one ran
            *task(GEMM, 590, 600, 390, 3),
        ],
    )
    assert causes(trace, 0) == {Cause.UNEXPLAINED: 200_000, Cause.HOST: 200_000 + 9_000}


def test_a_task_that_was_launched_while_its_device_still_did_the_last_step_was_not_late(
    tmp_path: Path,
) -> None:
    trace = opened(
        tmp_path,
        [
            step(1, 0, 500),
            *task(GEMM, 1, 10, 600, 1),
            step(2, 500, 500),
            event("cpu_op", "aten::mm", 510, 5),
            *task(GEMM, 520, 700, 250, 2),  # launched before the first one ended, at 610
        ],
    )
    explanation = explain_run_step(trace, trace.steps[1])
    totals = cause_totals(explanation)[0]
    found = {cause: int(ns) for cause, ns in zip(CAUSES, totals, strict=True) if ns}
    assert found == {Cause.UNEXPLAINED: 90_000}


def test_a_hiccup_is_one_of_a_devices_tasks_and_has_its_name(tmp_path: Path) -> None:
    events = []
    for n in range(6):
        at = 1_000_000.0 * n
        slow = 400_000.0 if n == 3 else 0.0
        events.append(step(n + 1, at, 999_000))
        # Also the host takes longer once; its calls are no tasks of a device.
        events.append(event("cpu_op", "aten::linear", at, 10 + (300_000 if n == 4 else 0)))
        events += task(GEMM, at + 300_020, at + 300_030, 200_000 + n, 2 * n + 1)
        events += task("softmax", at + 300_025, at + 500_040, 50_000 + n + slow, 2 * n + 2)
    found = judged(opened(tmp_path, events))
    assert (found.kind, found.where) == (Limit.HICCUP, "step 4 rank 0")
    assert "Hiccup: in step 4, softmax on rank 0 took 450 ms instead of 50 ms" in str(found.text)


def test_a_hidden_task_that_takes_longer_once_is_no_hiccup_of_its_step(tmp_path: Path) -> None:
    # In step 4 the collective takes 40 ms, under a kernel of 100 ms; the step is 50 us longer.
    events = []
    at = 0.0
    for n in range(8):
        is_late = n == 3
        length = 100_050.0 if is_late else 100_000.0
        events.append(step(n + 1, at, length))
        events += task(GEMM, at, at, length, 2 * n + 1)
        events += task(REDUCE, at, at + 1_000, 40_000 if is_late else 10_000 + n, 2 * n + 2, 20)
        at += length
    found = judged(opened(tmp_path, events))
    assert (found.kind, found.where, found.loss_ns) == (Limit.NONE, "", 0)


def test_the_verdict_and_the_ranks_figures_say_the_same(tmp_path: Path) -> None:
    # One task has no launch in the file: the device works all the same.
    events = [
        step(1, 0, 1_000),
        *task(GEMM, 1, 10, 190, 1),
        event("kernel", GEMM, 300, 300, 7, correlation=99),
        *task(GEMM, 880, 900, 90, 2),
    ]
    trace = opened(tmp_path, events)
    [time] = rank_times(trace)
    assert (time.span_ns, time.idle_ns) == (980_000, 400_000)
    assert "Devices idle 41 %" in str(judged(trace).text)


@pytest.mark.parametrize("first", range(0, TRACES, BATCH))
def test_no_verdict_contradicts_what_devices_did(tmp_path: Path, first: int) -> None:
    for seed in range(first, min(first + BATCH, TRACES)):
        files = profile(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        for name, file in files.items():
            (folder / name).write_text(json.dumps(file))
        path = folder if len(files) > 1 else folder / next(iter(files))
        found, truth = verdict(open_recording(path).trace), truth_of(files)
        assert found is not None and truth is not None
        assert not list(contradictions(found, truth)), (seed, found.text)
