"""First steps of a recorded program that differ from its later ones count as warm-up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.explain.ranks import rank_times
from core.recorder import stream
from core.recorder.rank_step import Op, rank_lanes, timed_step
from core.recording.recording import open_recording
from core.report.limits import Limit
from core.report.summary import summarise
from core.report.verdict import verdict
from core.trace.complete import measured_steps
from core.trace.trace import Trace
from tests.core.recording.importers.kineto_files import kineto_file

US, MS = 1_000, 1_000_000
BLOCKS = 20


def job(folder: Path, blocks_us: Sequence[Sequence[int]]) -> Trace:
    """A recorded job of one rank whose steps' blocks take so long, forward and backward alike."""
    header = {
        "specification": {"warmup": 1},
        "model": {"name": "Net", "blocks": [], "input_bytes": 0},
        "lanes": rank_lanes(0, "cpu"), "replicas": 1, "origin_ns": 0, "started": "",
        "hardware": {"ranks": 1}, "versions": {}, "format": stream.FORMAT,
    }  # fmt: skip
    sender = stream.Sender(lambda: (folder / "rank-0.arrow").open("wb"))
    sender.start(header)
    at = 0
    for number, blocks in enumerate(blocks_us):
        ops = []
        passes = [("forward", block) for block in range(BLOCKS)]
        passes += [("backward", block) for block in reversed(range(BLOCKS))]
        for kind, block in passes:
            ops.append(Op(kind, at, at + blocks[block] * US, block, str(block), 4))
            at += blocks[block] * US
        ops.append(Op("step", at, at + MS))
        at += 2 * MS
        told = timed_step(ops, 0, 2)
        plan = [stream.plan_row(0, told.tasks)] if number == 0 else []
        for batch in [*plan, stream.step_rows(0, number, told, 0)]:
            sender.hand_in(lambda write, batch=batch: write(batch))
    sender.close()
    return open_recording(folder / "rank-0.arrow").trace


def steps(count: int, **longer: int) -> list[list[int]]:
    """Steps of 40 tasks of about 0.22 ms; `s2b3=4000` makes block 3 of step 2 so many µs longer."""
    random = np.random.default_rng(0)
    made = random.normal(220, 4, (count, BLOCKS)).astype(int)
    for where, more in longer.items():
        step, block = where[1:].split("b")
        made[int(step), int(block)] += more
    return made.tolist()


def test_the_allocation_of_a_jobs_first_steps_is_no_hiccup(tmp_path: Path) -> None:
    trace = job(tmp_path, steps(12, s0b0=11_000, s1b3=3_000))
    found = verdict(trace)
    assert found is not None and found.kind is not Limit.HICCUP
    assert measured_steps(trace) == list(range(2, 12))
    # An update to the next one: with the 1 ms that the job does something else between two steps.
    assert "The first 2 steps are warm-up: they took up to 31.8 ms, later ones 10.8 ms." in str(
        found.text
    )
    assert [step.step for step in summarise(trace).steps] == list(range(2, 12))


def test_the_recorders_own_warm_up_step_is_not_spoken_of(tmp_path: Path) -> None:
    found = verdict(job(tmp_path, steps(12, s0b0=9_000)))
    assert found is not None and "warm-up" not in str(found.text)


def test_what_a_scheduler_adds_to_a_jobs_task_is_no_hiccup(tmp_path: Path) -> None:
    found = verdict(job(tmp_path, steps(12, s7b3=1_900)))
    assert found is not None and found.kind is not Limit.HICCUP


def test_a_hiccup_of_a_job_names_its_rank(tmp_path: Path) -> None:
    # More than the 1 ms between two steps costs in all of them.
    found = verdict(job(tmp_path, steps(12, s7b3=16_000)))
    assert found is not None
    assert (found.kind, found.where) == (Limit.HICCUP, "step 7 rank 0")
    assert "Hiccup: in step 7, 3 on rank 0 took 16.2 ms instead of" in str(found.text)


def test_a_job_that_alternates_between_two_kinds_of_steps_has_no_more_warm_up(
    tmp_path: Path,
) -> None:
    longer = {f"s{step}b1": 5_000 for step in range(1, 12, 2)}
    assert measured_steps(job(tmp_path, steps(12, **longer))) == list(range(1, 12))


def profile(folder: Path, lengths: Sequence[int]) -> Trace:
    """A device that computes in steps of so many µs, but for the last 10 µs of each."""
    events: list[dict[str, object]] = []
    start = 0
    for number, length in enumerate(lengths):
        name, times = f"ProfilerStep#{number}", {"ts": start, "dur": length}
        events.append(
            {"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, **times}
        )
        call = {"ts": start, "dur": 1, "args": {"correlation": number + 1}}
        events.append(
            {
                "ph": "X",
                "cat": "cuda_runtime",
                "name": "cudaLaunchKernel",
                "pid": 1,
                "tid": 1,
                **call,
            }
        )
        busy = {"ts": start, "dur": length - 10, "args": {"correlation": number + 1, "stream": 7}}
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, **busy})
        start += length
    path = folder / "rank0.json"
    path.write_text(json.dumps(kineto_file(0, events)))
    return open_recording(path).trace


@pytest.mark.parametrize(
    ("lengths", "measured", "said"),
    [
        ((300, 100, 100), 2, "The first step is warm-up: it took 290 µs, later ones 90 µs."),
        (
            (400, 200, 100, 100, 100),
            3,
            "The first 2 steps are warm-up: they took up to 390 µs, later ones 90 µs.",
        ),
        ((100, 300, 100), 3, ""),
        ((300, 100), 2, ""),
        ((120, 100, 100), 3, ""),
        ((120, 100, 101, 99, 100, 101, 99, 100, 102), 8, "The first step is warm-up"),
    ],
)
def test_cold_first_steps_of_a_profile_are_left_out_of_all_figures(
    tmp_path: Path, lengths: tuple[int, ...], measured: int, said: str
) -> None:
    trace = profile(tmp_path, lengths)
    found = verdict(trace)
    assert found is not None and said in str(found.text)
    assert ("warm-up" in str(found.text)) == bool(said)
    assert len(measured_steps(trace)) == measured
    left = lengths[len(lengths) - measured :]
    [rank] = rank_times(trace)
    assert rank.span_ns == (sum(left) - 10) * US
    assert rank.idle_ns == 10 * (measured - 1) * US
