"""Steps of other programs' traces are compared task by task, though no plan says which is which."""

import json

import numpy as np
import pytest

from core.recording.recording import open_recording
from core.report.measured import MeasuredSteps
from core.report.verdict import hiccups, verdict
from core.trace.complete import completed_steps
from core.trace.own_steps import with_steps
from tests.core.recording.importers.kineto_files import kineto_file

STEP_US = 20_000
KERNELS = 12


def step_events(number, slow=None, extra=0, left_out=0):
    """A step of twelve kernels of two names on a stream, each with the host's call before it.

    The kernel `slow` takes 6 ms longer. The host makes `extra` calls, the stream lacks `left_out`.
    """
    begin = number * STEP_US
    own = {"ph": "X", "pid": 9, "tid": 9}
    events = [{**own, "cat": "user_annotation", "name": f"ProfilerStep#{number}", "ts": begin,
               "dur": STEP_US, "args": {}}]  # fmt: skip
    for n in range(extra):
        events.append({**own, "cat": "cpu_op", "name": "aten::item", "ts": begin + 2 * n, "dur": 1})
    at = begin + 1000
    for n in range(KERNELS - left_out):
        # Of one name and yet of different lengths, as matrix products of a model are.
        length = 400 + 100 * n + 6000 * (n == slow) + number % 3
        shared = {"ph": "X", "args": {"correlation": KERNELS * number + n + 1}}
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9}
        task = {"cat": "kernel", "name": ("gemm", "relu")[n % 2], "pid": 0, "tid": 7}
        events.append({**shared, **call, "ts": begin + 500 + 10 * n, "dur": 5})
        events.append({**shared, **task, "ts": at, "dur": length})
        at += length
    return events


@pytest.fixture
def opened(tmp_path):
    def write(*steps):
        path = tmp_path / "trace.json"
        events = [event for step in steps for event in step]
        path.write_text(json.dumps(kineto_file(0, events, world_size=1)))
        return open_recording(path).trace

    return write


def measured(trace):
    return MeasuredSteps.of(trace, completed_steps(trace))


def test_the_kth_kernel_of_a_name_is_the_same_task_in_every_step(opened):
    trace = opened(*(step_events(n, extra=n % 4) for n in range(6)))
    run = measured(trace)
    assert run.steps == (0, 1, 2, 3, 4, 5)
    on_stream = run.columns.lane == 0
    assert on_stream.sum() == KERNELS
    expected = [[1000 * (400 + 100 * n + step % 3) for n in range(KERNELS)] for step in range(6)]
    assert run.taken[:, on_stream].tolist() == expected


def test_a_kernel_that_takes_longer_in_one_step_is_the_hiccup_of_that_step(opened):
    trace = opened(*(step_events(n, 5 if n == 3 else None, extra=n % 4) for n in range(6)))
    found = list(hiccups(measured(trace)))
    assert [one.where for one in found] == ["step 4 rank 0"]
    assert found[0].values["taken"] == "6.9 ms" and found[0].values["usual"] == "0.901 ms"
    assert verdict(trace).where == "step 4 rank 0"


def test_a_step_with_other_kernels_is_not_compared(opened):
    steps = [step_events(n, left_out=6 if n == 0 else 0) for n in range(5)]
    run = measured(opened(*steps))
    assert run.steps == (1, 2, 3, 4)


def test_names_that_occur_less_often_in_a_step_are_left_aside(opened):
    # One of six kernels of a name is missing in step 2: it is not known which one.
    more = [
        {"ph": "X", "cat": "kernel", "name": f"norm{n}", "pid": 0, "tid": 7, "args": {},
         "ts": step * STEP_US + 17_000 + 10 * n, "dur": 5}
        for step in range(4) for n in range(60)
    ]  # fmt: skip
    trace = opened(*(step_events(n, left_out=n == 2) for n in range(4)), more)
    run = measured(trace)
    assert run.steps == (0, 1, 2, 3)
    names = [trace.table.names[name] for name in _names(trace, run)]
    assert names.count("gemm") == 6 and "relu" not in names and names.count("norm7") == 1


def test_steps_that_marks_make_are_compared_too(opened):
    trace = opened(*(step_events(n, 5 if n == 3 else None) for n in range(6)))
    ranges = [(start, start) for start in (n * STEP_US * 1000 for n in range(6))]
    assert [one.where for one in hiccups(measured(with_steps(trace, ranges)))] == ["step 4 rank 0"]


def test_tasks_wait_for_the_same_tasks_after_some_have_been_left_aside(opened):
    trace = opened(*(step_events(n, extra=n) for n in range(3)))
    run = measured(trace)
    columns = run.columns
    calls = np.flatnonzero(columns.lane != 0)
    for place in np.flatnonzero(columns.lane == 0).tolist():
        first, last = columns.after_first[place : place + 2].tolist()
        [launch] = columns.after[first:last].tolist()
        assert launch in calls and columns.end[launch] <= columns.start[place]


def _names(trace, run):
    every = {int(row["task"]): int(row["name"]) for row in trace.table.rows}
    return [every[task] for task in run.columns.task.tolist()]
