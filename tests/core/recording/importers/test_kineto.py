"""Traces of PyTorch's profiler: one rank, several, and all that files in the wild do."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from core.errors import RecordingError
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.ranks import rank_times
from core.explain.run_step import explain_run_step
from core.plan.plan import Role, device_streams
from core.plan.task import Kind
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.report.limits import Limit
from core.report.verdict import verdict
from core.trace.import_issue import ImportIssue
from core.trace.own_steps import with_range, with_steps
from tests.core.recording.importers.kineto_files import BASE_NS, kineto_file

TWO_RANKS = Path(__file__).parents[3] / "data" / "two-ranks"


def event(cat, name, ts, dur, tid=1, pid=100, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": args}  # fmt: skip


def launched(name, call, ts, dur, correlation, stream=7):
    """A call that launches a task of a device, and that task."""
    return [
        event("cuda_runtime", "cudaLaunchKernel", call, 1, correlation=correlation),
        event("kernel", name, ts, dur, stream, 0, correlation=correlation, stream=stream),
    ]


def steps(*bounds, first=1):
    return [
        event("user_annotation", f"ProfilerStep#{first + n}", start, end - start)
        for n, (start, end) in enumerate(bounds)
    ]


def a_step(late=0.0):
    """Compute from 10 to 30 and from 60 to 80, a collective from 20 (and `late`) to 58."""
    return [
        *launched("gemm", 2, 10, 20, 1),
        *launched("ncclDevKernel_AllReduce_Sum_f32", 4, 20 + late, 38 - late, 2, 20),
        *launched("update", 6, 60, 20, 3),
        event("cpu_op", "aten::mm", 1, 4),
    ]


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, told in files.items():
            data = told if isinstance(told, bytes) else json.dumps(told).encode()
            (tmp_path / f"{name}.json").write_bytes(data)
        return tmp_path

    return write


def opened(folder, *events, **more):
    return open_recording(folder(one=kineto_file(0, events, **more)) / "one.json").trace


def test_counters_of_a_profile_are_those_of_its_rank(folder):
    counted = {"ph": "C", "name": "GPU utilization", "pid": 7, "ts": 30, "args": {"percent": 80}}
    trace = opened(folder, *a_step(), counted)
    assert trace.counters["GPU utilization percent", None].values.tolist() == [80]
    assert trace.imported.counter_places == {"GPU utilization percent": "rank 0"}


def test_streams_come_first_and_collectives_serve_the_stream_that_computes(folder):
    trace = opened(folder, *steps((0, 90)), *a_step())
    lanes = [(lane.name, lane.device, lane.role, lane.serves) for lane in trace.header.lanes]
    assert lanes[:3] == [
        ("stream 7", "rank 0", Role.COMPUTE, 0),
        ("stream 20", "rank 0", Role.COMMUNICATION, 0),
        ("thread 1", "rank 0", Role.COMPUTE, 2),
    ]
    assert all(lane[2] is Role.NESTED for lane in lanes[3:])
    [collective] = [span for span in trace if span.lane == 1]
    assert collective.kind is Kind.ALL_REDUCE and collective.launched == 4_000
    assert trace.imported.issues == {}


def test_rank_and_world_size_stand_in_the_heading_of_a_real_file(folder):
    told = kineto_file(3, a_step(), world_size=8)
    trace = open_recording(folder(trace=told) / "trace.json").trace
    assert {lane.device for lane in trace.header.lanes} == {"rank 3"}
    assert trace.header.replicas == 8 and trace.imported.issues == {}


@pytest.mark.parametrize("later_ns", [1, 60_001])  # a double of such a time has no single ns
def test_files_that_count_from_different_moments_share_one_axis(folder, later_ns):
    later = kineto_file(1, a_step(), base_ns=BASE_NS + later_ns)
    trace = open_recording(folder(a=kineto_file(0, a_step()), b=later)).trace
    streams = [lane.index for lane in trace.header.lanes if lane.name == "stream 7"]
    first, second = (int(trace.spans(lane).start[0]) for lane in streams)
    assert second - first == later_ns and trace.imported.issues == {}


ODD_PARTS = {
    "deviceProperties": ["odd", 7, {"id": 0}, None, [[]]],
    "distributedInfo": [["odd"], "rank 1", {"rank": [1]}, {"rank": {"a": 1}, "world_size": 2}],
    "baseTimeNanoseconds": ["odd", [1], -5, 1e300, {}],
    "schemaVersion": [[], {"a": "b"}],
}


@pytest.mark.parametrize("name", ODD_PARTS)
def test_a_part_of_a_heading_of_odd_form_affects_no_other_part(folder, name):
    for odd in ODD_PARTS[name]:
        told = kineto_file(1, a_step(), **{name: odd})
        whole = kineto_file(0, a_step())
        trace = open_recording(folder(a=whole, b=told)).trace
        places = {lane.device for lane in trace.header.lanes}
        assert trace.header.replicas == 2, odd
        assert places == {"rank 0", "b.json" if name == "distributedInfo" else "rank 1"}, odd
        apart = name == "baseTimeNanoseconds"
        assert trace.imported.issues.get(ImportIssue.CLOCKS_APART, 0) == apart, odd


def test_a_base_that_leads_out_of_the_clock_is_left_out(folder):
    events = [event("kernel", "gemm", 3.9e15, 1.0)]
    for base_ns in (3_999_999_999_999_999_999, "1727987400000000000"):
        trace = open_recording(folder(one=kineto_file(0, events, base_ns=base_ns))).trace
        assert trace.bounds == (0, 1_000)


def test_a_task_belongs_to_the_step_in_which_it_starts(folder):
    trace = opened(folder, *steps((0, 50), (50, 90), first=7), *a_step())
    assert trace.steps == [6, 7]  # shown as step 7 and step 8
    assert trace.spans(0).step.tolist() == [6, 7]
    assert [trace.step_bounds(step) for step in trace.steps] == [(1_000, 58_000), (60_000, 80_000)]


def test_a_gap_behind_a_collective_is_laid_to_it_and_another_to_the_host(folder):
    trace = opened(folder, *steps((0, 90)), *a_step())
    explanation = explain_run_step(trace, 0)
    totals = cause_totals(explanation)[0]
    told = {CAUSES[code]: int(totals[code]) for code in np.flatnonzero(totals)}
    assert told[Cause.COLLECTIVE] == 28_000  # 30 to 58; then it starts within 2 µs: the host
    assert sum(told.values()) == explanation.makespan - 40_000 == 39_000


def test_ranks_are_on_one_axis_and_a_collective_waits_for_the_slowest(folder):
    both = [kineto_file(n, [*steps((0, 90)), *a_step(25.0 * n)]) for n in (0, 1)]
    trace = open_recording(folder(b=both[1], a=both[0])).trace
    assert list(dict.fromkeys(lane.device for lane in trace.header.lanes)) == ["rank 0", "rank 1"]
    assert trace.steps == [0] and trace.header.replicas == 2
    explanation = explain_run_step(trace, 0)
    meets = explanation.waits.meets >= 0
    assert meets.sum() == 2
    assert set(explanation.waits.begun[meets].tolist()) == {45_000}  # when rank 1 came


def test_times_of_a_rank_by_union_of_intervals(folder):
    [time] = rank_times(opened(folder, *steps((0, 90)), *a_step()))
    assert (time.span_ns, time.compute_ns, time.communication_ns) == (70_000, 40_000, 38_000)
    assert (time.idle_ns, time.moving_ns, time.overlap_ns) == (2_000, 28_000, 10_000)


def halves(first_device=0, rank_steps=3):
    """Steps of 100 ms in which two GPUs of a process compute in turns, on streams of one number."""
    events = []
    for n in range(rank_steps):
        for half in (0, 1):
            at = 100_000 * n + 50_000 * half
            number = 2 * n + half + 1
            call = event("cuda_runtime", "cudaLaunchKernel", at, 1, correlation=number)
            kernel = event("kernel", "gemm", at, 50_000, 7, first_device + half, correlation=number)
            events += [call, kernel]
    bounds = [(100_000 * n, 100_000 * (n + 1)) for n in range(rank_steps)]
    return [*steps(*bounds), *events]


def test_each_gpu_of_a_process_is_a_device_of_its_own(folder):
    trace = opened(folder, *halves())
    lanes = [(lane.name, lane.device, lane.stream_of) for lane in trace.header.lanes[:2]]
    assert lanes == [
        ("device 0 stream 7", "rank 0", "device 0"),
        ("device 1 stream 7", "rank 0", "device 1"),
    ]
    # Each GPU is in use from its first task to its last, and works half of the time in between.
    times = [(time.place, time.span_ns, time.idle_ns) for time in rank_times(trace)]
    assert times == [
        ("rank 0 device 0", 250_000_000, 100_000_000),
        ("rank 0 device 1", 250_000_000, 100_000_000),
    ]
    assert "Devices idle 40 %" in str(verdict(trace).text)


def test_streams_wait_for_communication_of_their_own_gpu_only(folder):
    collective = "ncclDevKernel_Broadcast_RING_LL"
    tasks = [
        (0, 7, "gemm", 0, 100), (0, 20, collective, 0, 150), (0, 7, "gemm", 152, 50),
        (1, 7, "gemm", 0, 140), (1, 20, collective, 0, 100), (1, 7, "gemm", 153, 50),
    ]  # fmt: skip
    events = []
    for number, (device, stream, name, start, length) in enumerate(tasks, 1):
        events.append(
            event("cuda_runtime", "cudaLaunchKernel", 2 * number - 90, 1, correlation=number)
        )
        numbers = {"correlation": number, "stream": stream}
        events.append(event("kernel", name, start, length, stream, device, **numbers))
    trace = opened(folder, *events)
    names = [lane.name for lane in trace.header.lanes]
    first, second = (names.index(f"device {device} stream 7") for device in (0, 1))
    lane_of_task = {span.task: names[span.lane] for span in trace}
    waited = []
    for lane in (first, second):
        last = [span for span in trace if span.lane == lane][-1]
        waited.append({lane_of_task[task] for task in last.after})
    # The collective of GPU 0 also ends shortly before the last task of GPU 1 starts.
    assert waited == [{"thread 1", "device 0 stream 20"}, {"thread 1"}]
    roles = {lane.name: (lane.role, lane.serves) for lane in trace.header.lanes}
    assert roles["device 1 stream 20"] == (Role.COMMUNICATION, second)


def test_a_gpu_that_only_copies_or_communicates_is_none_that_could_compute(folder):
    trace = opened(
        folder,
        *a_step(),
        event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 5, 1, 7, 1),
        event("kernel", "ncclDevKernel_Broadcast_RING_LL", 60, 1, 20, 1),
    )
    roles = {lane.name: (lane.role, lane.serves) for lane in trace.header.lanes}
    assert roles["device 1 stream 7"] == (Role.COPY, 0)
    assert roles["device 1 stream 20"] == (Role.COMMUNICATION, 0)
    assert list(device_streams(trace.header.lanes)) == [0]


def test_ranks_with_one_gpu_each_keep_the_names_of_their_streams(folder):
    both = [kineto_file(n, [*steps((0, 90)), *a_step()]) for n in (0, 1)]
    for task in both[1]["traceEvents"]:
        if task["cat"] == "kernel":
            task["pid"] = 1
    trace = open_recording(folder(a=both[0], b=both[1])).trace
    streams = {(lane.device, lane.name) for lane in trace.header.lanes if lane.stream_of}
    expected = {(f"rank {n}", f"stream {stream}") for n in (0, 1) for stream in (7, 20)}
    assert streams == expected
    assert [time.place for time in rank_times(trace)] == ["rank 0", "rank 1"]


def test_without_the_profilers_steps_the_optimizers_last_call_ends_one(folder):
    calls = [
        event("user_annotation", f"Optimizer.step#{name}.step", ts, 5)
        for name, ts in (("Adam", 20), ("SGD", 30), ("Adam", 60), ("SGD", 70))
    ]
    trace = opened(
        folder, event("cpu_op", "aten::mm", 0, 10), event("cpu_op", "aten::mm", 50, 9), *calls
    )
    assert [trace.step_bounds(step) for step in trace.steps] == [(0, 10_000), (50_000, 59_000)]


def iterations(*calls):
    """Events of a thread in turn, 10 µs each: a name that begins with Adam calls an optimizer."""
    events = []
    for place, name in enumerate(calls):
        if name.startswith("Adam"):
            events.append(event("user_annotation", f"Optimizer.step#{name}.step", 10 * place, 10))
            events.append(event("cpu_op", "aten::_foreach_add_", 10 * place + 1, 9))
        else:
            events.append(event("cpu_op", name, 10 * place, 10))
    return events


BACK, BACK_TOO = "autograd::engine::evaluate_function: MmBackward0", "ConvolutionBackward0"
DISCRIMINATOR = ("aten::mm", BACK, BACK, "Adam")
GENERATOR = ("aten::mm", BACK, BACK_TOO, "Adam")


@pytest.mark.parametrize(
    ("one", "several"),
    [
        pytest.param(("aten::mm", "Adam", "Adam"), 3, id="an optimizer for each part"),
        pytest.param(("aten::mm", BACK, "Adam", "aten::unscale", "Adam"), 3, id="work in between"),
        pytest.param((*DISCRIMINATOR, *GENERATOR), 3, id="two models"),
        pytest.param((*DISCRIMINATOR * 3, *GENERATOR), 2, id="one model more often"),
        pytest.param(("aten::mm", BACK, "Adam", "aten::eval"), 4, id="an optimizer, and more work"),
    ],
)
def test_an_iteration_with_several_calls_of_optimizers_of_one_class_is_one_step(
    folder, one, several
):
    trace = opened(folder, *iterations(*one * several))
    bounds = [trace.step_bounds(step) for step in trace.steps]
    length = 10_000 * len(one)
    rest = 10_000 * (one[-1] == "aten::eval")  # belongs to the following step
    ends = [length * (n + 1) - rest for n in range(several)]
    assert [end for _, end in bounds] == ends


def test_iterations_that_differ_without_a_period_are_steps_of_their_own(folder):
    calls = []
    for backs in (2, 3, 2, 2, 3, 3):
        calls += ["aten::mm", *[BACK] * backs, "Adam"]
    trace = opened(folder, *iterations(*calls))
    assert len(trace.steps) == 6


def test_validation_after_every_third_iteration_is_no_period(folder):
    train = ("aten::mm", BACK, "Adam")
    trace = opened(folder, *iterations(*(*train * 2, "aten::validate", *train) * 3))
    assert len(trace.steps) == 9


def test_calls_of_an_optimizer_in_a_file_without_other_calls_are_steps(folder):
    calls = [event("user_annotation", "Optimizer.step#Adam.step", 50 * n, 10) for n in range(3)]
    kernels = [event("kernel", "gemm", 50 * n + 5, 30, 7, 0) for n in range(3)]
    assert len(opened(folder, *calls, *kernels).steps) == 3


def test_without_any_steps_marks_make_them(folder):
    trace = opened(folder, *a_step())
    assert trace.steps == []
    marked = with_steps(trace, [(9_000, 55_000), (55_000, 80_000)])
    bounds = [marked.step_bounds(step) for step in marked.steps]
    assert bounds == [(9_000, 57_000), (59_000, 79_000)]  # what runs in them, all to its end
    assert marked.spans(0).step.tolist() == [0, 1]
    assert explain_run_step(marked, 1).makespan > 0
    with pytest.raises(ValueError, match="no mark"):
        with_steps(trace, [])


def test_texts_for_numbers_and_names_of_2021_are_read(folder):
    old = [
        {"ph": "X", "cat": "Kernel", "name": "gemm", "pid": "0", "tid": "7", "ts": "10",
         "dur": "5.5", "args": {"correlation": "3", "stream": "7"}},
        {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": "9", "tid": "1", "ts": 1,
         "dur": 2, "args": {"correlation": "3"}},
        {"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": "9", "tid": "1", "ts": 0,
         "dur": 4, "args": {"Input dims": [[1], [2]], "correlation": {"odd": 1}}},
    ]  # fmt: skip
    trace = open_recording(folder(bare=old) / "bare.json").trace
    assert [(lane.name, lane.device) for lane in trace.header.lanes[:2]] == [
        ("stream 7", "bare.json"), ("thread 1", "bare.json"),
    ]  # fmt: skip
    assert trace.span(0, 0).launched == 1_000


def test_a_process_with_a_devices_number_and_orphans_are_counted(folder):
    trace = opened(
        folder,
        event("cpu_op", "aten::mm", 0, 10, tid=7, pid=0),
        *launched("gemm", 2, 10, 20, 1),
        event("kernel", "lost", 40, 5, 7, 0, correlation=99, stream=7),
    )
    assert trace.imported.issues == {ImportIssue.COLLIDING: 1, ImportIssue.ORPHAN_LAUNCH: 1}
    assert [lane.name for lane in trace.header.lanes if lane.role is Role.COMPUTE] == [
        "stream 7", "thread 7", "thread 1",
    ]  # fmt: skip


def test_a_folder_says_which_files_it_could_not_use(folder):
    whole = kineto_file(0, [*steps((0, 90)), *a_step()])
    again = kineto_file(0, a_step(), distributedInfo=None)
    apart = kineto_file(3, [{**one, "ts": one["ts"] + 1e9} for one in a_step()])
    read = open_recording(folder(a=whole, b=whole, c=again, d=apart, e=b"[nonsense"))
    assert read.trace.imported.issues == {
        ImportIssue.SAME_RANK: 1,
        ImportIssue.NO_RANK: 1,
        ImportIssue.CLOCKS_APART: 1,
        ImportIssue.UNREADABLE: 1,
    }
    assert "e.json cannot be read" in str(read.warning) and "\n" not in str(read.warning)
    places = dict.fromkeys(lane.device for lane in read.trace.header.lanes)
    assert list(places) == ["rank 0", "rank 0 (2)", "rank 3", "c.json"]


def a_cycle(rank, first, busy=60):
    """A file of two steps of 100 us, the first of which is `first`, with the device idle for 40."""
    begin = 100.0 * first
    events = []
    for n in (0, 1):
        at = begin + 100 * n
        events.append(event("cpu_op", "aten::mm", at, 99 - busy))
        events += launched("gemm", at + 100 - busy - 1, at + 100 - busy, busy, n + 1)
    return kineto_file(rank, [*steps((begin, begin + 100), (begin + 100, begin + 200), first=first),
                              *events])  # fmt: skip


def test_the_files_of_several_recordings_of_one_rank_are_one_rank(folder, tmp_path):
    # What tensorboard_trace_handler writes with schedule(active=2, repeat=2).
    cycles = {
        f"host_{rank}.{first}.pt.trace": a_cycle(rank, first) for rank in (0, 1) for first in (2, 6)
    }
    read = open_recording(folder(**cycles))
    trace = read.trace
    assert trace.imported.issues == {}
    streams = [lane for lane in trace.header.lanes if lane.stream_of]
    assert [(lane.device, lane.name) for lane in streams] == [
        ("rank 0", "stream 7"),
        ("rank 1", "stream 7"),
    ]
    assert trace.steps == [1, 2, 5, 6]  # shown as 2, 3, 6 and 7
    starts = [trace.step_bounds(step)[0] for step in trace.steps]
    assert [start - starts[0] for start in starts] == [0, 100_000, 400_000, 500_000]
    # The device is idle for 40 us before the second step of a recording; the time between the
    # recordings does not count.
    for time in rank_times(trace):
        assert (time.span_ns, time.idle_ns) == (2 * 160_000, 2 * 40_000)
    found = verdict(trace)
    assert (found.kind, found.loss_ns) == (Limit.HOST, 20_000)
    path = tmp_path / "saved.arrow"
    for _ in write_recording(trace, path):
        pass
    assert rank_times(open_recording(path).trace) == rank_times(trace)


def test_files_of_one_rank_with_the_same_steps_are_shown_separately(folder):
    later = a_cycle(0, 2)
    later["baseTimeNanoseconds"] += 10_000_000_000
    trace = open_recording(folder(a=a_cycle(0, 2), b=later)).trace
    assert trace.imported.issues == {ImportIssue.SAME_RANK: 1, ImportIssue.CLOCKS_APART: 1}
    assert {lane.device for lane in trace.header.lanes} == {"rank 0", "rank 0 (2)"}


def test_a_folder_without_a_trace_is_refused_by_name(tmp_path):
    with pytest.raises(RecordingError, match="folder of traces: no file in it ends in "):
        open_recording(tmp_path)


def test_a_real_trace_of_two_ranks_is_read_whole():
    read = open_recording(TWO_RANKS)
    trace = read.trace
    every = [
        one
        for path in sorted(TWO_RANKS.glob("*.gz"))
        for one in json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    ]
    shown = sum(one["ph"] in "Xi" for one in every)
    assert trace.span_count == shown
    assert trace.steps == [0, 1, 2] and read.warning == ""
    assert {lane.device for lane in trace.header.lanes} == {"rank 0", "rank 1"}
    assert any(span.kind is Kind.ALL_REDUCE for span in trace)
    for step in trace.steps:
        explanation = explain_run_step(trace, step)
        assert (explanation.end > explanation.start).all()
    assert all(0 < time.compute_ns < time.span_ns for time in rank_times(trace))


def test_a_real_trace_that_was_cut_is_shown_as_far_as_it_goes(tmp_path):
    data = gzip.decompress((TWO_RANKS / "rank-0.json.gz").read_bytes())
    path = tmp_path / "rank-0.json.gz"
    path.write_bytes(gzip.compress(data[: len(data) // 2])[:-20])
    trace = open_recording(path).trace
    assert trace.imported.issues[ImportIssue.CUT] == 1 and trace.span_count > 50


def test_a_range_of_a_trace_without_steps_has_a_verdict(folder):
    trace = opened(folder, *a_step())
    assert verdict(trace) is None
    found = verdict(with_range(trace, *trace.bounds))
    assert found is not None
    assert str(found.text) == (
        "Step 79 µs. Devices are in use for 70 µs of it. Devices idle 2.9 %: mostly for reasons "
        "that the trace does not show (2.9 %). Exposed communication costs 28 µs a step (40 % of "
        "the devices' time)."
    )
    assert verdict(with_range(trace, 81_000, 90_000)) is None  # nothing begins there
