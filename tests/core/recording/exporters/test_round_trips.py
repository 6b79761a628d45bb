"""What other programs' formats hold of a run comes back when our importers read our files."""

import gzip
import json
import re
from collections import Counter as Counts
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from core.explain.balance import first_lane_load, lane_balance
from core.explain.ranks import rank_times
from core.explain.statistics import union_ns
from core.plan.plan import Role, working_lanes
from core.plan.task import IS_COLLECTIVE, IS_COMMUNICATION, KINDS
from core.recorder import stream
from core.recorder.rank_step import FIRST_TRACK, Op, rank_lanes, timed_step
from core.recording.exporters.chakra import write_chakra
from core.recording.exporters.chrome import write_chrome
from core.recording.exporters.exported_spans import ExportedSpans, lanes_by_rank
from core.recording.exporters.kineto import kernel_name, write_kineto
from core.recording.exporters.perfetto import write_perfetto
from core.recording.importers.perfetto import fields_of
from core.recording.recording import open_recording
from core.report.limits import Limit
from core.report.verdict import verdict
from core.trace.complete import measured_steps
from core.trace.spans import Spans
from core.trace.trace import Trace

RECORDINGS = Path(__file__).parents[4] / "resources" / "recordings"
TWO_RANKS = Path(__file__).parents[3] / "data" / "two-ranks"
PLANS = ("1f1b-2-cpu-lanes.arrow", "1f1b-4-virtual-lanes.arrow", "ddp-8-virtual-lanes.arrow")
RUNS = ("1f1b-2-cpu-lanes.arrow", "ddp-8-virtual-lanes.arrow")


class Held(NamedTuple):
    """How a format is written, and what of a run it holds beside names, times and ranks."""

    file: str
    write: Callable[[Trace, Path], Generator[float, None, None]]
    lanes: bool = True
    steps: bool = True
    kinds: bool = True
    links: bool = True


FORMATS = [
    Held("run.json", write_chrome),
    Held("run.json.gz", write_chrome),
    Held("run.pftrace", write_perfetto),
]
GIVEN_UP = [*FORMATS, Held("ranks", write_kineto)]


def spans_of(trace: Trace, held: Held) -> list[tuple[Any, ...]]:
    """Each span as what the format holds of it, by time; times are since the first one."""
    events = ExportedSpans.of(trace)
    spans, lanes = events.spans, trace.header.lanes
    first = int(spans.start.min())
    return sorted(
        (
            start - first, end - first, label,
            lanes[lane].name if held.lanes else "",
            kind if held.kinds else "", step if held.steps else -1,
        )
        for start, end, label, lane, kind, step in zip(
            spans.start.tolist(), spans.end.tolist(), map(str, events.labels),
            events.lane.tolist(), events.kinds, spans.step.tolist(), strict=True,
        )
        if lanes[lane].role is not Role.NESTED
    )  # fmt: skip


def links_of(trace: Trace) -> list[tuple[Any, ...]]:
    """Who waited for whom, as pairs of start, lane and label."""
    events = ExportedSpans.of(trace)
    first = int(events.spans.start.min())
    told = list(
        zip(
            (events.spans.start - first).tolist(), events.labels,
            [trace.header.lanes[lane].name for lane in events.lane.tolist()], strict=True,
        )
    )  # fmt: skip
    return sorted((told[before], told[behind]) for before, behind in events.links.tolist())


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("held", FORMATS, ids=lambda held: held.file)
def test_what_a_format_holds_comes_back(tmp_path, held, name):
    trace = open_recording(RECORDINGS / name).trace
    path = tmp_path / held.file
    shares = list(held.write(trace, path))
    assert shares[-1] == 1.0 and shares == sorted(shares)
    opened = open_recording(path)
    assert opened.warning == ""
    lanes, again = (one.header.lanes for one in (trace, opened.trace))
    told = [(lane.name, lane.role, lane.serves) for lane in lanes]
    assert [(lane.name, lane.role, lane.serves) for lane in working_lanes(again)] == told
    assert spans_of(opened.trace, held) == spans_of(trace, held)
    if held.steps:
        assert opened.trace.steps == trace.steps
        ends, again = (one.step_table.ends - one.bounds[0] for one in (trace, opened.trace))
        assert np.array_equal(again, ends)
    if held.links:
        assert links_of(opened.trace) == links_of(trace) != []


def test_work_after_the_last_step_does_not_come_back_as_a_step(tmp_path):
    events = [{"ph": "X", "cat": "cpu_op", "name": "late", "pid": 1, "tid": 1, "ts": 900, "dur": 9}]
    for step in (3, 4, 5):
        at = {"ph": "X", "pid": 1, "tid": 1, "ts": 100 * step}
        title = f"ProfilerStep#{step}"
        events.append({**at, "cat": "user_annotation", "name": title, "dur": 100})
        events.append({**at, "cat": "cpu_op", "name": "aten::mm", "dur": 50})
    document = {"schemaVersion": 1, "traceEvents": events}
    (tmp_path / "trace.json").write_text(json.dumps(document))
    trace = open_recording(tmp_path / "trace.json").trace
    list(write_chrome(trace, tmp_path / "again.json"))
    assert len(trace.steps) == 3
    assert open_recording(tmp_path / "again.json").trace.steps == trace.steps


def recorded_job(path: Path) -> Trace:
    """A job whose all-reduce ends 300 us after that of the next step has begun."""
    header = {
        "specification": {"warmup": 0},
        "model": {"name": "Net", "blocks": [], "input_bytes": 0},
        "lanes": rank_lanes(0, "cpu"), "replicas": 1, "origin_ns": 0, "started": "",
        "hardware": {"ranks": 1}, "versions": {}, "format": stream.FORMAT,
    }  # fmt: skip
    sender = stream.Sender(lambda: path.open("wb"))
    sender.start(header)
    for number, begin, reduced in ((0, 0, 500_000), (1, 1_000_000, 1_200_000)):
        ops = [
            Op("forward", begin, begin + 400_000, 0, "0", 4),
            Op("all-reduce", reduced, reduced + 1_000_000, number, bytes=8, lane=FIRST_TRACK),
            Op("step", begin + 800_000, begin + 900_000),
        ]
        timed = timed_step(ops, 0, 2)
        for batch in (
            stream.plan_row(number, timed.tasks), stream.step_rows(number, number, timed, 0)
        ):  # fmt: skip
            sender.hand_in(lambda write, batch=batch: write(batch))
    sender.close()
    return open_recording(path).trace


@pytest.mark.parametrize("held", FORMATS, ids=lambda held: held.file)
def test_spans_that_overlap_on_a_lane_come_back_with_their_times(tmp_path, held):
    trace = recorded_job(tmp_path / "rank-0.arrow")
    list(held.write(trace, tmp_path / held.file))
    told = []
    for one in (trace, open_recording(tmp_path / held.file).trace):
        events = ExportedSpans.of(one)
        first = int(events.spans.start.min())
        starts, ends = (events.spans.start - first).tolist(), (events.spans.end - first).tolist()
        told.append(sorted(zip(starts, ends, events.labels, strict=True)))
    written, read = told
    reduced = [(start, end) for start, end, _ in written if end - start == 1_000_000]
    assert reduced == [(500_000, 1_500_000), (1_200_000, 2_200_000)]
    # Steps are spans of their own in these traces.
    assert [span for span in read if span in written] == written


def test_only_rows_that_work_in_another_programs_trace_work_when_it_comes_back(tmp_path):
    trace = open_recording(TWO_RANKS).trace
    told = sorted((lane.name, lane.role) for lane in working_lanes(trace.header.lanes))
    for name, write in (("run.json", write_chrome), ("run.pftrace", write_perfetto)):
        list(write(trace, tmp_path / name))
        again = working_lanes(open_recording(tmp_path / name).trace.header.lanes)
        assert sorted((lane.name, lane.role) for lane in again) == told


@pytest.mark.parametrize(
    "words", ["copy lane, serves 9", "copy lane, serves 2", "nested lane, serves 3", "dance lane"]
)
def test_roles_that_make_no_sense_are_passed_over(tmp_path, words):
    told = {1: "compute lane, serves 3", 2: words, 3: "nested lane, serves 2"}
    events = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": tid,
         "args": {"name": f"row {tid}", "lane role": role}}
        for tid, role in told.items()
    ]  # fmt: skip
    events += [{"ph": "X", "name": "a", "pid": 1, "tid": tid, "ts": tid, "dur": 1} for tid in told]
    (tmp_path / "run.json").write_text(json.dumps(events))
    lanes = open_recording(tmp_path / "run.json").trace.header.lanes
    assert sorted(lane.name for lane in lanes) == ["row 1", "row 2", "row 3"]
    for lane in lanes:
        its = lanes[lane.serves].role
        assert its is Role.COMPUTE or (lane.role is not Role.COMPUTE and its is not Role.NESTED)


@pytest.mark.parametrize("name", RUNS)
def test_a_folder_of_ranks_holds_streams_steps_and_communication(tmp_path, name):
    trace = open_recording(RECORDINGS / name).trace
    assert list(write_kineto(trace, tmp_path / "ranks"))[-1] == 1.0
    opened = open_recording(tmp_path / "ranks")
    assert opened.warning == "" and opened.trace.steps == trace.steps
    events, again = ExportedSpans.of(trace), ExportedSpans.of(opened.trace)
    rank_of = {lane: rank for rank, lanes in enumerate(lanes_by_rank(trace)) for lane in lanes}
    written = [
        (start, end - start, kernel_name(KINDS[kind], label), rank_of[lane], step)
        for start, end, kind, label, lane, step in zip(
            (events.spans.start - events.spans.start.min()).tolist(),
            (events.spans.end - events.spans.start.min()).tolist(),
            events.spans["kind"].tolist(), events.labels, events.lane.tolist(),
            events.spans.step.tolist(), strict=True,
        )
    ]  # fmt: skip
    lanes = opened.trace.header.lanes
    read = [
        (span.start, span.end - span.start, span.label, int(lanes[span.lane].device[5:]), span.step)
        for span in opened.trace
        if lanes[span.lane].role is not Role.NESTED and not lanes[span.lane].cores
    ]
    assert sorted(read) == sorted(written)
    moves = IS_COMMUNICATION[again.spans["kind"]]
    assert moves.sum() == IS_COMMUNICATION[events.spans["kind"]].sum() > 0


@pytest.mark.parametrize("name", PLANS)
def test_the_ranks_of_a_written_plan_wait_for_each_other_and_come_to_their_end(tmp_path, name):
    trace = open_recording(RECORDINGS / name).trace
    step = trace.steps[-1]
    list(write_chakra(trace, tmp_path / "plan", step))
    ranks = [nodes_of(path) for path in sorted((tmp_path / "plan").glob("run.*.et"))]
    assert len(ranks) == len(lanes_by_rank(trace))
    told = Counts(node["type"] for nodes in ranks for node in nodes)
    events = ExportedSpans.of(trace, step)
    sizes = [node["comm_size"] for nodes in ranks for node in nodes if node["type"] == SEND]
    tasks = sum(told.values()) - told[RECEIVE] - sizes.count(1)  # a byte: only that one waited
    assert told[SEND] == told[RECEIVE] and tasks == len(events)
    collective = IS_COLLECTIVE[events.spans["kind"]].sum()
    assert told[COLLECTIVE] == collective
    tagged = [
        sorted(node["comm_tag"] for nodes in ranks for node in nodes if node["type"] == kind)
        for kind in (SEND, RECEIVE)
    ]
    assert tagged[0] == tagged[1] and len(set(tagged[0])) == len(tagged[0])
    took = sum(node["micros"] for nodes in ranks for node in nodes if node["type"] != RECEIVE)
    assert abs(took - (events.spans.end - events.spans.start).sum() / 1000) <= len(events) / 2
    done: list[set[int]] = [set() for _ in ranks]
    sent = set[int]()
    while before := sum(len(nodes) - len(ids) for nodes, ids in zip(ranks, done, strict=True)):
        for nodes, ids in zip(ranks, done, strict=True):
            for node in nodes:
                waits = node["type"] == RECEIVE and node["comm_tag"] not in sent
                if node["id"] not in ids and node["after"] <= ids and not waits:
                    ids.add(node["id"])
                    sent |= {node["comm_tag"]} if node["type"] == SEND else set()
        assert sum(len(nodes) - len(ids) for nodes, ids in zip(ranks, done, strict=True)) < before


SEND, RECEIVE, COLLECTIVE = 5, 6, 7


def nodes_of(path: Path) -> list[dict[str, Any]]:
    """The nodes of a rank's execution trace, read field by field: lengths stand before each."""
    # As a message of fields that are messages, what our reader of the wire format can split.
    data, at, parts = path.read_bytes(), 0, []
    while at < len(data):
        length, at = varint(data, at)
        parts.append(dict_of(data[at : at + length]))
        at += length
    assert parts[0][1] == [b"0.0.4"]
    nodes = []
    for node in parts[1:]:
        after = set[int]()
        for some in (*node.get(4, ()), *node.get(5, ())):
            place = 0
            while place < len(some):
                one, place = varint(some, place)
                after.add(one)
        told = {"id": node[1][0], "type": node[3][0], "after": after, "micros": node[7][0]}
        for attribute in map(dict_of, node[10]):
            value = next(number for number in attribute if number != 1)
            told[attribute[1][0].decode()] = attribute[value][0]
        nodes.append(told)
    return nodes


def dict_of(data: bytes) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, value in fields_of(data):
        found.setdefault(number, []).append(value)
    return found


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


@pytest.mark.parametrize("name", ["1f1b-4-virtual-lanes.arrow", "dp-8-virtual-lanes.arrow"])
def test_what_was_written_idles_as_the_run_does_and_no_lane_is_slower_than_another(tmp_path, name):
    trace = open_recording(RECORDINGS / name).trace
    idle = re.compile(r"(?:Lanes|Devices) idle (\d+) %")
    whole = int(idle.search(str(verdict(trace).text))[1])
    for held in (FORMATS[0], FORMATS[2]):
        for _ in held.write(trace, tmp_path / held.file):
            pass
        found = verdict(open_recording(tmp_path / held.file).trace)
        assert abs(int(idle.search(str(found.text))[1]) - whole) <= 1
        # Of the run's two warm-up steps the second one may count as measured, with its hiccup.
        assert found.kind not in (Limit.SLOW_LANE, Limit.SLOW_LINK)
    list(write_kineto(trace, tmp_path / "ranks"))
    found = verdict(open_recording(tmp_path / "ranks").trace)
    # A device that communicates is not idle; a lane that waits for its collective is.
    alone = re.search(r"Exposed communication takes ([\d.]+) %", str(found.text))
    moving = float(alone[1]) if alone else 0.0
    assert -1 <= whole - int(idle.search(str(found.text))[1]) <= moving + 1
    assert found.kind in (Limit.HOST, Limit.UNEXPLAINED)  # launches were not recorded


def test_threads_beside_streams_are_none_of_the_lanes_whose_mean_work_is_told(tmp_path):
    trace = open_recording(RECORDINGS / "dp-8-virtual-lanes.arrow").trace
    for _ in write_kineto(trace, tmp_path / "ranks"):
        pass
    read = open_recording(tmp_path / "ranks").trace
    loads = [
        first_lane_load(one, [lane_balance(one, lane.index, one.steps)
                              for lane in working_lanes(one.header.lanes)])
        for one in (trace, read)
    ]  # fmt: skip
    assert loads[0].work == pytest.approx(loads[1].work, rel=0.01)


def test_what_links_calls_and_kernels_needs_as_wide_a_type_as_places_of_events(tmp_path):
    trace = open_recording(RECORDINGS / RUNS[1]).trace
    list(write_kineto(trace, tmp_path / "ranks"))
    for path in (tmp_path / "ranks").iterdir():
        events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
        by_kind: dict[str, list[int]] = {"cuda_runtime": [], "kernel": []}
        for event in events:
            if event.get("cat") in by_kind:
                by_kind[event["cat"]].append(event["args"]["correlation"])
        calls, kernels = by_kind.values()
        assert sorted(calls) == sorted(kernels) and len(set(calls)) == len(calls) > 0
        # Holistic Trace Analysis puts places of events into a column of the type of these.
        assert min(calls) > np.iinfo(np.int16).max


def test_idle_compute_and_communication_of_written_ranks_are_those_of_the_run(tmp_path):
    trace = open_recording(RECORDINGS / RUNS[1]).trace
    list(write_kineto(trace, tmp_path / "ranks"))
    written = open_recording(tmp_path / "ranks").trace
    read, ranks = rank_times(written), lanes_by_rank(trace)
    measured = measured_steps(written)
    assert len(measured) >= len(measured_steps(trace))
    assert [time.place for time in read] == [f"rank {rank}" for rank in range(len(ranks))]
    for time, lanes in zip(read, ranks, strict=True):
        every = [trace.spans(lane) for lane in lanes]
        spans = Spans.joined([one[np.isin(one.step, measured)] for one in every])
        moves = IS_COMMUNICATION[spans["kind"]]
        busy = union_ns(spans.start, spans.end)
        compute = union_ns(spans.start[~moves], spans.end[~moves])
        assert time.span_ns == spans.end.max() - spans.start.min()
        assert (time.idle_ns, time.compute_ns) == (time.span_ns - busy, compute)
        assert time.communication_ns == union_ns(spans.start[moves], spans.end[moves]) > 0


def test_counters_stand_on_the_process_of_their_lane(tmp_path):
    trace = open_recording(RECORDINGS / "dp-8-virtual-lanes.arrow").trace
    list(write_chrome(trace, tmp_path / "run.json"))
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    counted = {event["name"]: event["pid"] for event in events if event["ph"] == "C"}
    lanes = trace.header.lanes
    of_lanes = {
        f"{name} of {lanes[lane].name}": lanes[lane].device
        for name, lane in trace.counters
        if lane is not None
    }
    assert len(set(of_lanes.values())) == 8
    assert {name: processes[counted[name]] for name in of_lanes} == of_lanes
    assert counted["loss"] == 0  # of the whole run
    read = open_recording(tmp_path / "run.json").trace
    assert read.imported.counter_places["activations of virtual:3 value"] == "virtual:3"


def test_counters_of_another_program_stay_on_their_process(tmp_path):
    events = [{"ph": "X", "name": "a", "ts": 0, "dur": 5, "pid": pid, "tid": 1} for pid in (7, 8)]
    counted = {"ph": "C", "name": "held", "ts": 1, "pid": 8, "args": {"MB": 3}}
    (tmp_path / "one.json").write_text(json.dumps([*events, counted]))
    trace = open_recording(tmp_path / "one.json").trace
    list(write_chrome(trace, tmp_path / "two.json"))
    again = open_recording(tmp_path / "two.json").trace
    assert list(trace.imported.counter_places.values()) == ["process 8"]
    assert list(again.imported.counter_places.values()) == ["process 8"]


def test_another_programs_ranks_are_written_and_read_again(tmp_path):
    trace = open_recording(TWO_RANKS).trace
    list(write_kineto(trace, tmp_path / "ranks"))
    again = open_recording(tmp_path / "ranks").trace
    before, after = rank_times(trace), rank_times(again)
    assert [time.place for time in after] == [time.place for time in before]
    assert again.steps == trace.steps
    for name in ("run.json", "run.pftrace"):
        write = write_perfetto if name.endswith("pftrace") else write_chrome
        list(write(trace, tmp_path / name))
        read = open_recording(tmp_path / name).trace
        assert read.span_count >= trace.span_count


@pytest.mark.parametrize("held", GIVEN_UP, ids=lambda held: held.file)
def test_a_file_that_is_given_up_is_not_there(tmp_path, held, monkeypatch):
    monkeypatch.setattr("core.recording.exporters.exported_spans.CHUNK", 7)
    trace = open_recording(RECORDINGS / RUNS[0]).trace
    writing = held.write(trace, tmp_path / held.file)
    next(writing)
    writing.close()
    assert list(tmp_path.iterdir()) == []


def test_perfettos_own_classes_read_our_file(tmp_path):
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = open_recording(RECORDINGS / RUNS[0]).trace
    list(write_perfetto(trace, tmp_path / "run.pftrace"))
    read = protos.Trace()
    read.ParseFromString((tmp_path / "run.pftrace").read_bytes())
    named = {
        p.track_descriptor.uuid: p.track_descriptor.name
        for p in read.packet
        if p.HasField("track_descriptor")
    }
    begun = [p for p in read.packet if p.track_event.type == protos.TrackEvent.TYPE_SLICE_BEGIN]
    ended = [p for p in read.packet if p.track_event.type == protos.TrackEvent.TYPE_SLICE_END]
    events = ExportedSpans.of(trace)
    lanes = [trace.header.lanes[lane].name for lane in events.lane.tolist()]
    spans = zip(events.spans.start.tolist(), lanes, events.labels, events.kinds, strict=True)
    assert sorted(
        (p.timestamp, named[p.track_event.track_uuid], p.track_event.name,
         *p.track_event.categories)
        for p in begun if named[p.track_event.track_uuid] != "steps"
    ) == sorted(spans)  # fmt: skip
    assert len(ended) == len(begun) == len(events) + len(trace.steps)
    flows = [p.track_event.flow_ids for p in begun]
    assert sum(map(len, flows)) == len(events.links)
    counted = [p for p in read.packet if p.track_event.type == protos.TrackEvent.TYPE_COUNTER]
    assert len(counted) == sum(len(counter.times) for counter in trace.counters.values())
