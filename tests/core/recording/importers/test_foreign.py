"""Traces of MegaScan, the flight recorder, Nsight Systems and Perfetto."""

import gzip
import json
import sqlite3

import pytest

import core.recording.importers.lanes as lanes
import core.recording.importers.perfetto_fields as perfetto
from bubblescope.cli.start import run_arguments
from core.errors import RecordingError
from core.explain.arrivals import arrivals
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.run_step import explain_run_step
from core.plan.plan import Role
from core.plan.task import Kind
from core.recording.formats import FLIGHT_RECORDER
from core.recording.recording import open_recording
from core.recording.sniff import format_of
from core.report.verdict import verdict
from core.trace.import_issue import ImportIssue
from core.trace.own_steps import with_range
from tests.core.recording.importers.foreign_files import (
    MEGASCAN,
    flight_dump,
    nsight_export,
    perfetto_trace,
)


@pytest.fixture
def written(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def odd_text(trace):
    """(lane's name, label, start, end) of every span that is no part of another."""
    lanes = trace.header.lanes
    return [
        (lanes[span.lane].name, span.label, span.start, span.end)
        for span in trace
        if lanes[span.lane].role is not Role.NESTED
    ]


def test_megascan_tells_iteration_microbatch_and_stage(written):
    trace = open_recording(written("scan.json", json.dumps(MEGASCAN).encode())).trace
    assert trace.steps == [4]  # shown as step 5
    # The backward of rank 1 is sent to rank 0, and only that is not in the file.
    assert trace.imported.issues == {ImportIssue.INFERRED_TRANSFER: 1}
    forward = [span for span in trace if span.kind is Kind.FORWARD]
    assert [(span.microbatch, span.stage) for span in forward] == [(1, 0), (1, 1)]
    kinds = {span.label: span.kind for span in trace}
    assert (kinds["forward copy"], kinds["backward"]) == (Kind.COPY, Kind.BACKWARD)
    assert kinds["optimizer"] is Kind.STEP


def test_megascan_has_the_causes_that_are_counted_by_hand(written):
    """In us, from 1 on, when the first forward starts:

    rank 0  F 1-20  send 21-25               B 70-90  U 92-98
    rank 1              F 26-45  B 48-68              U 92-98
    """
    trace = open_recording(written("scan.json", json.dumps(MEGASCAN).encode())).trace
    totals = cause_totals(explain_run_step(trace, 4))
    lanes = [lane.name for lane in trace.header.lanes]
    found = []
    for lane in ("DP0-PP0", "DP0-PP1"):
        row = totals[lanes.index(lane)].tolist()
        found.append({CAUSES[code]: ns for code, ns in enumerate(row) if ns})
    # Rank 0 waits until F and B of rank 1 have run, and for the backward's transfer. The host is
    # late by 1 us before the send, 1 us before F and 3 us before B of rank 1. No update says what
    # it waits for.
    assert found[0] == {
        Cause.COMPUTE: 39_000, Cause.TRANSFER: 6_000, Cause.HOST: 5_000, Cause.UNEXPLAINED: 2_000,
    }  # fmt: skip
    assert found[1] == {
        Cause.FILL: 19_000, Cause.TRANSFER: 4_000, Cause.HOST: 5_000, Cause.UNEXPLAINED: 24_000,
    }  # fmt: skip


def megascan_job(slow, names=(), threads=(1,)):
    """Eight steps of two replicas of two ranks (pid = 2 · replica + rank), of which one is slow."""
    events = []
    for pid in range(4):
        for tid in threads:
            for step in range(8):
                for microbatch in range(4):
                    length = 15 if (pid, tid) == slow else 10
                    at = 1000 * step + 40 * microbatch + (20 if pid % 2 else 0)
                    args = {"iteration": step, "microbatch": microbatch, "model_chunk": 0}
                    if not names:
                        args["pp_rank"] = pid % 2
                    for name, start in (("forward", at), ("backward", 500 + at - 40 * (pid % 2))):
                        own = {"pid": pid, "tid": tid, "name": name, "cat": "mb"}
                        events.append({**own, "ph": "B", "ts": start, "args": args})
                        events.append({**own, "ph": "E", "ts": start + length, "args": {}})
    for pid, name in enumerate(names):
        event = {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
        events.append(event)
    return events


MEGASCAN_NAMES = ("DP0-PP0-TP0", "DP0-PP1-TP0", "DP1-PP0-TP0", "DP1-PP1-TP0")


@pytest.mark.parametrize(
    ("names", "threads", "expected"),
    [
        ((), (1,), ["DP0-PP0", "DP0-PP1", "DP1-PP0", "DP1-PP1"]),
        (MEGASCAN_NAMES, (0,), list(MEGASCAN_NAMES)),
        ((), (0, 1), [f"DP{d}-PP{p}-TP{t}" for d in (0, 1) for p in (0, 1) for t in (0, 1)]),
    ],
    ids=["no names", "names of processes", "tensor ranks as threads"],
)
def test_threads_of_megascan_without_names_have_those_of_their_ranks(
    written, capsys, names, threads, expected
):
    events = megascan_job((2, threads[-1]), names, threads)
    # Events of all ranks are in the order of their times, so any rank can be the first.
    events.sort(key=lambda event: (event.get("ts", -1), -event["pid"]))
    path = written("scan.json", json.dumps(events).encode())
    lanes = open_recording(path).trace.header.lanes
    computing = [lane.name for lane in lanes if lane.role is Role.COMPUTE]
    assert sorted(computing) == expected
    assert run_arguments(["slowdown", str(path)]) == 0
    slow = expected[4 + len(threads) - 1] if len(threads) > 1 else expected[2]
    first = next(row for row in capsys.readouterr().out.splitlines() if row.startswith("Worker "))
    assert first.startswith(f"Worker {slow} takes 5")


def test_moments_of_megascan_are_notes_and_no_lanes_that_compute(written):
    trace = open_recording(written("scan.json", json.dumps(MEGASCAN).encode())).trace
    roles = {lane.name: (lane.role, lane.serves) for lane in trace.header.lanes}
    assert roles["DP0-PP0"] == (Role.COMPUTE, 0) and roles["DP0-PP1"] == (Role.COMPUTE, 1)
    for rank in (0, 1):
        assert roles[f"instants of DP0-PP{rank}"] == (Role.NESTED, rank)
    assert [role for role, _ in roles.values()].count(Role.COMPUTE) == 2


def test_the_flight_recorder_tells_collectives_by_process_group(written):
    path = written("nccl_trace_rank_3.json", flight_dump())
    assert format_of(path) is FLIGHT_RECORDER
    trace = open_recording(path).trace
    assert odd_text(trace) == [
        ("default_pg 0", "nccl:all_reduce", 0, 700),
        ("default_pg 0", "nccl:send 0->1", 1_800, 1_800),
        ("default_pg 1", "nccl:all_gather", 800, 1_300),
    ]
    assert trace.imported.issues == {ImportIssue.NOT_OVER: 1}
    assert {lane.device for lane in trace.header.lanes} == {"rank 3"}
    assert trace.span(0, 0).kind is Kind.ALL_REDUCE


def flight_entries(calls):
    """A dump of all-reduces: sequence number, and created, completed and duration, in ms."""
    entries = [
        {"profiling_name": "nccl:all_reduce", "process_group": ["0", "default_pg"],
         "collective_seq_id": number, "time_created_ns": 10**18 + round(1e6 * created),
         "time_discovered_started_ns": None, "duration_ms": length,
         "time_discovered_completed_ns": 10**18 + round(1e6 * completed)}
        for number, created, completed, length in calls
    ]  # fmt: skip
    return json.dumps({"version": "2.10", "entries": entries}).encode()


def test_the_flight_recorders_collectives_are_matched_by_sequence_number(written):
    # Rank 0's ring holds collectives 1001 to 1003, rank 1's 1003 to 1005.
    folder = written(
        "nccl_trace_rank_0.json",
        flight_entries([(1001, 0, 10, 5), (1002, 100, 110, 5), (1003, 200, 212, 7)]),
    ).parent
    written(
        "nccl_trace_rank_1.json",
        flight_entries([(1003, 200, 212, 5), (1004, 300, 310, 5), (1005, 400, 410, 5)]),
    )
    trace = open_recording(folder).trace
    whole = with_range(trace, *trace.bounds)
    [found] = arrivals(explain_run_step(whole, 0))
    assert (found.times, found.members, found.wait_ns) == (1, 2, 2_000_000)


def test_queued_collectives_of_the_flight_recorder_follow_each_other(written):
    # All three are queued at once, and their ends are discovered together.
    path = written("rank_0.json", flight_entries([(n, n, 100, None) for n in (1, 2, 3)]))
    trace = open_recording(path).trace
    assert [lane.name for lane in trace.header.lanes] == ["default_pg 0"]
    assert odd_text(trace) == [
        ("default_pg 0", "nccl:all_reduce", 0, 99_000_000),
        ("default_pg 0", "nccl:all_reduce", 99_000_000, 99_000_000),
        ("default_pg 0", "nccl:all_reduce", 99_000_000, 99_000_000),
    ]


def test_measured_collectives_of_the_flight_recorder_end_before_the_next_one_starts(written):
    calls = [(1, 1, 100, 10), (2, 2, 100, 20), (3, 3, 100, 30)]
    trace = open_recording(written("rank_0.json", flight_entries(calls))).trace
    assert odd_text(trace) == [
        ("default_pg 0", "nccl:all_reduce", 0, 10_000_000),
        ("default_pg 0", "nccl:all_reduce", 10_000_000, 30_000_000),
        ("default_pg 0", "nccl:all_reduce", 30_000_000, 60_000_000),
    ]


def test_nsight_tells_streams_calls_and_ranges(tmp_path):
    path = tmp_path / "run.sqlite"
    nsight_export(path)
    trace = open_recording(path).trace
    assert odd_text(trace) == [
        ("device 0 stream 7", "gemm", 1_000, 2_000),
        ("device 0 stream 7", "Memcpy", 3_100, 3_200),
        ("device 0 stream 9", "ncclDevKernel_AllReduce_Sum", 1_500, 3_000),
        ("thread 123", "cudaLaunchKernel", 100, 200),
        ("thread 123", "cudaLaunchKernel", 300, 400),
    ]
    roles = {lane.name: lane.role for lane in trace.header.lanes}
    assert roles["device 0 stream 9"] is Role.COMMUNICATION
    assert roles["thread 123 NVTX"] is Role.NESTED
    gemm = trace.span(0, 0)
    assert gemm.launched == 100 and trace.task(gemm.after[0]).kind is Kind.OTHER
    assert trace.steps == [0, 1]  # shown as step 1 and step 2
    assert trace.imported.issues == {ImportIssue.BAD_ROW: 1, ImportIssue.ORPHAN_LAUNCH: 1}


def graph_export(path, calls, graphs, kernels):
    """An export of NVTX steps of 1 ms, with whole CUDA graphs as nsys records them by default.

    `calls` are (start, correlation), `graphs` (start, end, correlation, graph), and `kernels`
    (start, end, correlation), all on one stream and in µs.
    """
    nsight_export(path)
    base = sqlite3.connect(path)
    thread = (1 << 56) | (77 << 24) | 123
    process = thread & ~0xFFFFFF
    for table in ("KERNEL", "MEMCPY", "RUNTIME"):
        base.execute(f"DELETE FROM CUPTI_ACTIVITY_KIND_{table}")
    base.execute("DELETE FROM NVTX_EVENTS")
    base.execute(
        """CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT NOT NULL, "end" INT NOT NULL,
        deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT,
        globalPid INT, graphId INT NOT NULL, graphExecId INT NOT NULL)"""
    )
    for start, number in calls:
        row = (1000 * start, 1000 * start + 500, thread, number, 3)
        base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)", row)
    for start, end, number, graph in graphs:
        row = (1000 * start, 1000 * end, 0, 1, 7, number, process, graph + 10, graph)
        base.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
        )
    for start, end, number in kernels:
        row = (1000 * start, 1000 * end, 7, number, process)
        base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, ?, ?, ?, 1, 1)", row)
    for number in range(3):
        row = (1_000_000 * number, 1_000_000 * (number + 1), f"step {number}", thread)
        base.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, NULL, ?)", row)
    base.commit()
    base.close()


def test_nsight_shows_the_replay_of_a_cuda_graph_as_a_task_of_its_device(tmp_path):
    path = tmp_path / "run.sqlite"
    calls = [(10, 1), (1010, 2), (1400, 3)]
    graphs = [(100, 900, 1, 3), (1100, 1500, 2, 3), (1500, 1600, 3, 4)]
    graph_export(path, calls, graphs, [])
    trace = open_recording(path).trace
    tasks = [(span.label, span.start, span.launched) for span in trace if span.lane == 0]
    assert trace.header.lanes[0].name == "device 0 stream 7"
    assert tasks == [
        ("CUDA graph 3", 100_000, 10_000),
        ("CUDA graph 3", 1_100_000, 1_010_000),
        ("CUDA graph 4", 1_500_000, 1_400_000),
    ]
    assert trace.imported.issues == {}


def test_no_host_is_late_while_a_device_replays_graphs(tmp_path):
    path = tmp_path / "run.sqlite"
    calls = []
    graphs = []
    kernels = []
    for number in range(3):
        at = 1000 * number
        calls += [(at, 2 * number + 1), (at + 960, 2 * number + 2)]
        graphs.append((at + 10, at + 960, 2 * number + 1, 3))
        kernels.append((at + 970, at + 1000, 2 * number + 2))
    graph_export(path, calls, graphs, kernels)
    text = str(verdict(open_recording(path).trace).text)
    # Of each step the device is idle for 20 us.
    assert "Devices idle 1.7 %" in text and "Nothing stands out" in text


def two_processes(path, kernels):
    """An export of processes 10 and 11, which lags by 40 ms; kernels have process, name and ms."""
    base = sqlite3.connect(path)
    base.executescript(
        """
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT,
            correlationId INT, globalPid INT, demangledName INT);
        CREATE TABLE NVTX_EVENTS (start INT, "end" INT, text TEXT, textId INT, globalTid INT);
        INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'ncclDevKernel_AllReduce_Sum');
        """
    )
    for process, name, start, end in kernels:
        times = start * 1_000_000, end * 1_000_000
        base.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 7, 0, ?, ?)",
            (*times, process, process << 24, name),
        )
    for process, lag in ((10, 0), (11, 40)):
        for number in (1, 2):
            start = (100 * number - 100 + lag) * 1_000_000
            base.execute(
                "INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, NULL, ?)",
                (start, start + 100_000_000, f"step {number}", process << 24 | 1),
            )
    base.commit()
    base.close()


def test_each_process_of_nsight_has_its_own_steps(tmp_path):
    path = tmp_path / "run.sqlite"
    kernels = [(10, 1, 50, 60), (10, 1, 120, 130), (11, 1, 50, 60), (11, 1, 120, 130)]
    two_processes(path, [*kernels, (11, 1, 150, 160)])
    trace = open_recording(path).trace
    steps = {lane.device: trace.spans(lane.index).step.tolist() for lane in trace.header.lanes[:2]}
    assert steps == {"process 10": [0, 1], "process 11": [0, 0, 1]}


def test_collectives_of_two_processes_of_nsight_meet_only_if_they_run_at_the_same_time(tmp_path):
    path = tmp_path / "run.sqlite"
    times = {10: [(10, 20), (50, 60), (80, 85)], 11: [(55, 60), (90, 95)]}
    kernels = [(process, 2, *each) for process, some in times.items() for each in some]
    two_processes(path, [*kernels, (10, 1, 0, 5), (11, 1, 41, 45)])
    trace = open_recording(path).trace
    [found] = arrivals(explain_run_step(trace, 0))
    assert (found.times, found.members, found.wait_ns) == (1, 2, 5_000_000)


def ranges_export(path, ranges):
    """An export with a call of CUDA in each range of NVTX: (name, start, end, thread), in µs."""
    nsight_export(path)
    base = sqlite3.connect(path)
    process = (1 << 56) | (77 << 24)
    for table in ("KERNEL", "MEMCPY", "RUNTIME"):
        base.execute(f"DELETE FROM CUPTI_ACTIVITY_KIND_{table}")
    base.execute("DELETE FROM NVTX_EVENTS")
    for name, start, end, thread in ranges:
        row = (1000 * start, 1000 * end, name, process + thread)
        base.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, NULL, ?)", row)
        row = (1000 * start, 1000 * end, process + thread)
        base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, 1, 3)", row)
    base.commit()
    base.close()


def bounds_of_steps(path):
    trace = open_recording(path).trace
    return {step: trace.step_bounds(step) for step in trace.steps}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0, 1, 2, 0, 1, 2), (0, 1, 2, 3, 4, 5)),
        ((10, 20, 10, 20, 10), (9, 19, 20, 30, 31)),  # shown as 10, 20, 21, 31, 32
        ((999_999_999, 0, 999_999_999, 0, 999_999_999, 0), (0, 1, 2, 3, 4, 5)),
    ],
)
def test_steps_whose_numbers_begin_again_are_further_steps(tmp_path, numbers, expected):
    path = tmp_path / "run.sqlite"
    ranges = [(f"step {n}", 10 * at, 10 * at + 10, 5) for at, n in enumerate(numbers)]
    ranges_export(path, ranges)
    found = bounds_of_steps(path)
    assert list(found.values()) == [
        (10_000 * at, 10_000 * at + 10_000) for at in range(len(numbers))
    ]
    assert tuple(step - min(found) for step in found) == tuple(n - expected[0] for n in expected)


def test_a_thread_that_lags_behind_does_not_begin_the_numbers_again(tmp_path):
    path = tmp_path / "run.sqlite"
    ranges = []
    for number in range(3):
        ranges.append((f"step {number}", 10 * number, 10 * number + 10, 5))
        ranges.append((f"step {number}", 10 * number + 12, 10 * number + 20, 6))
    ranges_export(path, ranges)
    assert list(bounds_of_steps(path)) == [0, 1, 2]


def test_a_numbered_range_within_a_step_is_no_step(tmp_path):
    path = tmp_path / "run.sqlite"
    ranges = []
    for number in range(3):
        ranges.append((f"step {number}", 10 * number, 10 * number + 10, 5))
        for inner in range(2):
            start = 10 * number + 5 * inner
            ranges.append((f"iteration {inner}", start, start + 4, 5))
    ranges_export(path, ranges)
    assert bounds_of_steps(path) == {n: (10_000 * n, 10_000 * n + 10_000) for n in range(3)}


def test_nsight_without_a_table_or_with_a_trigger_is_refused_or_harmless(tmp_path):
    path = tmp_path / "run.sqlite"
    base = sqlite3.connect(path)
    base.execute("CREATE VIEW NVTX_EVENTS AS SELECT load_extension('x') AS start, 1 AS [end]")
    base.commit()
    base.close()
    with pytest.raises(RecordingError, match=r"run\.sqlite cannot be read as an export"):
        open_recording(path)


def test_perfetto_tells_slices_counters_and_flows(written):
    for data in (perfetto_trace(), gzip.compress(perfetto_trace())):
        trace = open_recording(written("trace.pftrace", data)).trace
        assert odd_text(trace) == [
            ("main", "step", 0, 1_000), ("io", "read", 600, 700), ("io", "mark", 800, 800),
        ]  # fmt: skip
        assert {lane.device for lane in trace.header.lanes} == {"trainer"}
        assert trace.imported.issues == {ImportIssue.NO_BEGIN: 1}
        assert trace.counters["held", None].values.tolist() == [12.0]
        read = next(span for span in trace if span.label == "read")
        assert trace.span(0, 0).task in read.after


BOOTTIME, MONOTONIC = 6, 3
INCREMENTAL, ABSOLUTE_US = 64, 65
"""Clocks of a sequence, as the numbers are in the SDK."""


class PerfettoFile:
    """Packets of track events, made with Perfetto's own classes."""

    def __init__(self):
        self.protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
        self.trace = self.protos.Trace()

    def packet(self, sequence, time=None, clock=None, dropped=False):
        packet = self.trace.packet.add()
        packet.trusted_packet_sequence_id = sequence
        if time is not None:
            packet.timestamp = time
        if clock is not None:
            packet.timestamp_clock_id = clock
        if dropped:
            packet.previous_packet_dropped = 1
        return packet

    def snapshot(self, sequence, *clocks, default=None, time=None):
        """Add a snapshot of clocks: (id, time, is incremental, unit in ns)."""
        packet = self.packet(sequence, time)
        for number, at, incremental, unit in clocks:
            clock = packet.clock_snapshot.clocks.add()
            clock.clock_id = number
            clock.timestamp = at
            if incremental:
                clock.is_incremental = True
            if unit != 1:
                clock.unit_multiplier_ns = unit
        if default is not None:
            packet.trace_packet_defaults.timestamp_clock_id = default

    def slice(self, sequence, name, begin, end, clock=None):
        for time, kind in ((begin, "TYPE_SLICE_BEGIN"), (end, "TYPE_SLICE_END")):
            event = self.packet(sequence, time, clock).track_event
            event.type = self.protos.TrackEvent.Type.Value(kind)
            event.track_uuid = sequence
            if kind == "TYPE_SLICE_BEGIN":
                event.name = name

    def opened(self, written):
        return open_recording(written("trace.pftrace", self.trace.SerializeToString())).trace


def slices(trace):
    return sorted((span.label, span.start, span.end) for span in trace)


def test_times_of_perfettos_sdk_are_differences_to_the_packet_before(written):
    file = PerfettoFile()
    for sequence, start in ((2, 5_000_000), (3, 5_000_400)):
        clocks = (BOOTTIME, start, False, 1), (INCREMENTAL, start, True, 1)
        file.snapshot(sequence, *clocks, default=INCREMENTAL, time=0)
    file.slice(2, "first", 100, 500)
    file.packet(2, 50)  # not an event, but it has a time
    file.slice(3, "other", 0, 100)
    file.slice(2, "second", 50, 200)
    # The SDK writes a time that is before the last one with its own clock.
    file.slice(2, "late", 5_000_650, 5_000_660, clock=BOOTTIME)
    file.slice(2, "third", 100, 100)
    assert slices(file.opened(written)) == [
        ("first", 0, 500), ("late", 550, 560), ("other", 300, 400), ("second", 600, 800),
        ("third", 900, 1_000),
    ]  # fmt: skip


def test_clocks_of_perfetto_have_units_and_are_converted_by_snapshots(written):
    file = PerfettoFile()
    file.snapshot(1, (BOOTTIME, 9_000_000, False, 1), (MONOTONIC, 1_000_000, False, 1))
    units = (INCREMENTAL, 1_000, True, 1_000), (ABSOLUTE_US, 1_000, False, 1_000)
    file.snapshot(2, (MONOTONIC, 1_000_000, False, 1), *units, default=INCREMENTAL)
    file.slice(2, "incremental", 1, 2)
    file.slice(2, "absolute", 1_005, 1_006, clock=ABSOLUTE_US)
    file.slice(2, "monotonic", 1_007_000, 1_008_000, clock=MONOTONIC)
    file.slice(3, "boottime", 9_009_000, 9_010_000)
    trace = file.opened(written)
    assert slices(trace) == [
        ("absolute", 4_000, 5_000), ("boottime", 8_000, 9_000), ("incremental", 0, 2_000),
        ("monotonic", 6_000, 7_000),
    ]  # fmt: skip
    assert trace.imported.issues == {}


def test_events_of_perfetto_whose_clock_is_unknown_are_left_out_and_counted(written):
    file = PerfettoFile()
    file.slice(2, "known", 9_000_000, 9_000_500)
    file.slice(3, "no snapshot", 100, 200, clock=INCREMENTAL)
    file.slice(3, "another clock", 100, 200, clock=MONOTONIC)
    file.snapshot(
        4, (BOOTTIME, 9_001_000, False, 1), (INCREMENTAL, 9_001_000, True, 1), default=INCREMENTAL
    )
    file.slice(4, "before a loss", 0, 10)
    file.packet(4, 5, dropped=True)
    file.slice(4, "after a loss", 5, 10)
    trace = file.opened(written)
    assert slices(trace) == [("before a loss", 1_000, 1_010), ("known", 0, 500)]
    assert trace.imported.issues == {ImportIssue.UNKNOWN_CLOCK: 6}


def test_a_clock_that_all_events_share_needs_no_snapshot(written):
    file = PerfettoFile()
    file.slice(2, "one", 700, 800, clock=MONOTONIC)
    file.slice(3, "two", 750, 900, clock=MONOTONIC)
    trace = file.opened(written)
    assert slices(trace) == [("one", 0, 100), ("two", 50, 200)]
    assert trace.imported.issues == {}


def test_perfetto_that_was_cut_is_shown_as_far_as_it_goes(written):
    data = perfetto_trace()[:-30]
    trace = open_recording(written("trace.pftrace", data)).trace
    assert trace.imported.issues[ImportIssue.CUT] == 1 and trace.span_count >= 2


def bomb(size):
    return gzip.compress(bytes([10]) + b"\x00\x0a" * (size // 2))


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.pftrace", bomb(2 << 20), "more than 1,048,576 bytes"),
        ("b.json.gz", gzip.compress(b"[" + b'{"ph":"X","ts":1,"dur":1},' * 3000 + b"{}]"),
         "more than 2,000 events"),
        ("c.json", b'[{"ph": "X", "ts": 1, "name": "' + b"x" * (1 << 22) + b'"},',
         "an event has more than 2,097,152 bytes"),
        ("d.json", json.dumps({"entries": [{"profiling_name": "x" * (1 << 20) + "y",
                                            "time_created_ns": 5}]}).encode(),
         "a name has more than 1,048,576 characters"),
    ],
)  # fmt: skip
def test_bombs_are_refused_in_one_line_with_the_limit(written, monkeypatch, name, data, says):
    import core.recording.importers.json_pieces as json_pieces
    import core.recording.limits as limits

    monkeypatch.setattr(perfetto, "MOST_TRACE_BYTES", 1 << 20)
    monkeypatch.setattr(limits, "MOST_EVENTS", 2_000)
    monkeypatch.setattr(json_pieces, "MOST_EVENT", 1 << 21)
    monkeypatch.setattr(json_pieces, "PIECE_BYTES", 1 << 14)
    with pytest.raises(RecordingError, match=says) as caught:
        open_recording(written(name, data))
    assert name in str(caught.value) and "\n" not in str(caught.value)


def test_as_many_lanes_as_no_window_can_show_are_refused(written, monkeypatch):
    monkeypatch.setattr(lanes, "MOST_IMPORTED_LANES", 1)
    with pytest.raises(RecordingError, match="more than 1"):
        open_recording(written("trace.pftrace", perfetto_trace()))
