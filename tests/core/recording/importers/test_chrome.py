"""Traces of other programs, with all that files in the wild do to the format."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.recording.importers.json_pieces as json_pieces
import core.recording.importers.lanes as lanes
from core.errors import RecordingError
from core.plan.plan import Role
from core.plan.task import Kind
from core.recording.formats import CHROME
from core.recording.importers.read_trace import read_trace
from core.recording.recording import open_recording
from core.recording.sniff import format_of
from core.trace.import_issue import ImportIssue

EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "trainer"}},
    {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "main"}},
    {"ph": "X", "pid": 7, "tid": 1, "ts": 100, "dur": 50, "name": "step", "args": {"a": {"b": 1}}},
    {"ph": "X", "pid": 7, "tid": 1, "ts": 110, "dur": 10.5, "name": "gemm"},
    {"ph": "X", "pid": 7, "tid": "io", "ts": "105", "dur": "5", "name": "read"},
    {"ph": "i", "pid": 7, "tid": 1, "ts": 112, "name": "mark"},
]


@pytest.fixture
def written(tmp_path):
    def write(data: bytes, name: str = "trace.json"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def odd_text(trace):
    """(lane's name, role, name, start, end) of every span."""
    lanes = trace.header.lanes
    return [
        (lanes[span.lane].name, lanes[span.lane].role, span.label, span.start, span.end)
        for span in trace
    ]


WHOLE = [
    ("main", Role.COMPUTE, "step", 0, 50_000),
    ("thread io", Role.COMPUTE, "read", 5_000, 10_000),
    ("main depth 1", Role.NESTED, "gemm", 10_000, 20_500),
    ("instants of main", Role.NESTED, "mark", 12_000, 12_000),
]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(EVENTS).encode(),
        json.dumps({"traceEvents": EVENTS, "displayTimeUnit": "ns"}).encode(),
        json.dumps({"schemaVersion": 1, "other": [{}], "traceEvents": EVENTS}, indent=1).encode(),
        gzip.compress(json.dumps({"traceEvents": EVENTS}).encode()),
    ],
    ids=["list", "object", "late list", "packed"],
)
def test_each_form_of_the_format_gives_the_same_spans(written, data):
    path = written(data)
    assert format_of(path) is CHROME
    imported = read_trace(path)
    assert odd_text(imported.trace) == WHOLE
    assert imported.trace.bounds == (0, 50_000) and imported.trace.steps == []
    assert imported.warning == "" and imported.trace.imported.issues == {}
    assert {span.kind for span in imported.trace} == {Kind.OTHER}
    assert imported.trace.header.lanes[0].device == "trainer"


@pytest.mark.parametrize("cut", ["]", "\n]\n", ', {"ph": "X", "pid": 7, "ts": 1', ","])
def test_a_file_without_its_end_is_read_up_to_its_last_whole_event(written, cut):
    whole = json.dumps(EVENTS)[:-1]
    ends = cut.strip() == "]"
    path = written((whole + cut).encode())
    imported = read_trace(path)
    assert odd_text(imported.trace) == WHOLE
    assert imported.trace.imported.issues == ({} if ends else {ImportIssue.CUT: 1})


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20), st.integers(0, 2)), min_size=1),
    st.integers(1, 60),
)
def test_any_events_are_read_in_pieces_and_never_overlap_on_a_lane(tmp_path_factory, found, piece):
    path = tmp_path_factory.mktemp("chrome") / "trace.json"
    events = [
        {"ph": "X", "ts": ts, "dur": dur, "tid": tid, "name": f"n{dur}", "args": {"x": [{}, {}]}}
        for ts, dur, tid in found
    ]
    path.write_text(json.dumps({"traceEvents": events}))
    before, json_pieces.PIECE_BYTES = json_pieces.PIECE_BYTES, piece
    try:
        trace = read_trace(path).trace
    finally:
        json_pieces.PIECE_BYTES = before
    first = min(ts for ts, _, _ in found)
    expected = sorted((1000 * (ts - first), 1000 * (ts + dur - first)) for ts, dur, _ in found)
    assert sorted((span.start, span.end) for span in trace) == expected
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        assert (np.diff(spans.start) >= 0).all()
        assert (spans.start[1:] >= spans.end[:-1]).all()


def test_calls_lie_below_the_call_that_they_are_part_of(written):
    nest = [(0, 100), (0, 60), (10, 20), (30, 30), (60, 40), (100, 5)]
    events = [{"ph": "X", "ts": ts, "dur": dur, "tid": 0, "name": str(n)}
              for n, (ts, dur) in enumerate(nest)]  # fmt: skip
    trace = read_trace(written(json.dumps(events).encode())).trace
    assert [(s.lane, s.label) for s in trace] == [
        (0, "0"), (0, "5"), (1, "1"), (1, "4"), (2, "2"), (2, "3"),
    ]  # fmt: skip
    assert [lane.serves for lane in trace.header.lanes] == [0, 0, 0]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{}", "it has no list of events"),
        (b'{"traceEvents": []}', "has no complete event"),
        (b'[{"ph": "X", "name": "a"}]', "has no complete event"),
        (b"[nonsense", "cannot be read as a trace in Chrome's format"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line_that_names_the_file(written, data, says):
    path = written(data)
    with pytest.raises(RecordingError, match=says) as caught:
        read_trace(path)
    assert "trace.json" in str(caught.value) and "\n" not in str(caught.value)


PACKED = gzip.compress(json.dumps(EVENTS * 50).encode(), mtime=0)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"[" * 100_000, "trace.json"),
        (b'[{"ph": "X", "ts": 1, "args": ' + b'{"a":' * 100_000, "trace.json"),
        (PACKED[:60] + bytes(30) + PACKED[90:], "trace.json"),
    ],
)
def test_a_file_that_is_made_to_do_harm_is_refused_in_one_line(written, data, says):
    path = written(data)
    with pytest.raises(RecordingError, match=says) as caught:
        open_recording(path)
    assert "trace.json" in str(caught.value) and "\n" not in str(caught.value)


def test_a_number_of_400_digits_is_no_time(written):
    odd = [{"ph": "X", "pid": 1, "tid": 1, "ts": ts} for ts in (10**400, "9" * 400, "nan")]
    imported = read_trace(written(json.dumps(EVENTS + odd).encode()))
    assert odd_text(imported.trace) == WHOLE
    assert imported.trace.imported.issues == {ImportIssue.NO_TIME: 3}


def test_as_many_threads_as_no_window_can_show_are_refused(written, monkeypatch):
    monkeypatch.setattr(lanes, "MOST_IMPORTED_LANES", 100)
    events = [{"ph": "X", "pid": 1, "tid": n, "ts": n, "dur": 1} for n in range(101)]
    assert read_trace(written(json.dumps(events[:100]).encode())).trace.span_count == 100
    with pytest.raises(RecordingError, match="more than 100"):
        read_trace(written(json.dumps(events).encode()))


def test_calls_that_are_nested_without_end_are_refused(written):
    nest = [{"ph": "X", "pid": 1, "tid": 1, "ts": n, "dur": 4e5 - n} for n in range(100_000)]
    with pytest.raises(RecordingError, match="more than 65,536"):
        read_trace(written(json.dumps(nest).encode()))


def test_events_without_a_time_are_counted_not_shown(written):
    events = [*EVENTS[:4], {"ph": "X", "tid": 1, "name": "odd"}, {"ph": "X", "ts": 5, "dur": -1}]
    path = written(json.dumps(events).encode())
    imported = read_trace(path)
    assert imported.trace.span_count == 2
    assert str(imported.warning) == f"{path}: 2 events without a time are left out."


def test_times_that_no_clock_tells_are_counted_not_shown(written):
    odd = [{"ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": dur} for ts, dur in
           ((1e300, 1), (9e15, 1), (-5e15, 1), (1, 1e300), (1, 5e15))]  # fmt: skip
    imported = read_trace(written(json.dumps(EVENTS + odd).encode()))
    assert odd_text(imported.trace) == WHOLE
    assert imported.trace.imported.issues == {ImportIssue.NO_TIME: 5}


def test_the_time_of_day_in_microseconds_is_a_time(written):
    now = 1.8e15
    event = {"ph": "X", "pid": 1, "tid": 1, "ts": now, "dur": 2.0, "name": "a"}
    trace = read_trace(written(json.dumps([event, {**event, "ts": now + 4}]).encode())).trace
    assert [(span.start, span.end) for span in trace] == [(0, 2_000), (4_000, 6_000)]


def test_an_event_without_a_name_and_a_byte_order_mark_are_no_hindrance(written):
    event = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "name": None}
    path = written(b"\xef\xbb\xbf" + json.dumps([event]).encode())
    assert format_of(path) is CHROME
    assert [span.label for span in read_trace(path).trace] == ["unnamed"]


def test_text_that_is_not_utf_8_is_refused_by_name(written):
    path = written('[{"ph": "X", "ts": 0, "name": "caf\xe9"}]'.encode("latin-1"))
    with pytest.raises(RecordingError, match=r"trace\.json .*text that is not UTF-8"):
        read_trace(path)


def test_a_trace_opens_as_a_recording_does(written):
    opened = open_recording(written(json.dumps(EVENTS).encode()))
    assert odd_text(opened.trace) == WHOLE
    assert opened.warning == ""


def chrome_events(*events):
    return json.dumps([{"pid": 1, "tid": 1, "name": "a", **event} for event in events]).encode()


def test_begins_and_ends_are_calls_and_those_alone_are_counted(written):
    data = chrome_events(
        {"ph": "E", "ts": 0}, {"ph": "B", "ts": 1}, {"ph": "B", "ts": 2, "name": "inner"},
        {"ph": "E", "ts": 3}, {"ph": "E", "ts": 9}, {"ph": "B", "ts": 10},
        {"ph": "X", "ts": 0, "dur": 1}, {"ph": "?", "ts": 3},
    )  # fmt: skip
    imported = read_trace(written(data))
    assert [span[2:] for span in odd_text(imported.trace)] == [
        ("a", 0, 1_000), ("a", 1_000, 9_000), ("inner", 2_000, 3_000),
    ]  # fmt: skip
    assert imported.trace.imported.issues == {
        ImportIssue.NO_BEGIN: 1,
        ImportIssue.NO_END: 1,
        ImportIssue.UNKNOWN: 1,
    }
    assert "1 event that begins and never ends is left out." in str(imported.warning)


def test_asynchronous_events_have_rows_of_their_own_and_counters_count(written):
    data = chrome_events(
        {"ph": "b", "ts": 1, "id": 1, "cat": "io"}, {"ph": "b", "ts": 2, "id": 2, "cat": "io"},
        {"ph": "e", "ts": 5, "id": 1, "cat": "io"}, {"ph": "e", "ts": 7, "id": 2, "cat": "io"},
        {"ph": "C", "ts": 2, "name": "held", "args": {"MB": "12"}},
        {"ph": "C", "ts": 1, "name": "held", "args": {"MB": 10}},
    )  # fmt: skip
    trace = read_trace(written(data)).trace
    assert [span[0] for span in odd_text(trace)] == ["async io", "async io depth 1"]
    assert trace.imported.issues == {ImportIssue.NOT_NESTED: 1}
    counter = trace.counters["held MB", None]
    assert counter.times.tolist() == [0, 1_000] and counter.values.tolist() == [10, 12]


def test_counters_of_one_name_are_told_apart_by_their_process_and_id(written):
    named = {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "loader"}}
    data = chrome_events(
        {"ph": "X", "ts": 0, "dur": 9, "pid": 1}, {"ph": "X", "ts": 0, "dur": 9, "pid": 2}, named,
        {"ph": "C", "ts": 1, "pid": 1, "name": "held", "args": {"MB": 10, "blocks": 3}},
        {"ph": "C", "ts": 2, "pid": 2, "name": "held", "args": {"MB": 20}},
        {"ph": "C", "ts": 3, "pid": 3, "name": "load", "id": "0", "args": {"%": 30}},
        {"ph": "C", "ts": 3, "pid": 3, "name": "load", "id": "1", "args": {"%": 40}},
    )  # fmt: skip
    trace = read_trace(written(data)).trace
    values = {name: counter.values.tolist() for (name, _), counter in trace.counters.items()}
    assert values == {
        "held MB (process 1)": [10], "held blocks": [3], "held MB (loader)": [20],
        "load[0] %": [30], "load[1] %": [40],
    }  # fmt: skip
    assert trace.imported.counter_places == {
        "held MB (process 1)": "process 1", "held blocks": "process 1",
        "held MB (loader)": "loader", "load[0] %": "process 3", "load[1] %": "process 3",
    }  # fmt: skip


def test_arrows_tell_what_a_task_waited_for(written):
    data = chrome_events(
        {"ph": "X", "ts": 0, "dur": 10}, {"ph": "X", "ts": 2, "dur": 5, "name": "inner"},
        {"ph": "X", "ts": 20, "dur": 5, "tid": 2, "name": "late"},
        {"ph": "s", "ts": 3, "id": 7}, {"ph": "f", "ts": 21, "id": 7, "tid": 2, "bp": "e"},
        {"ph": "s", "ts": 3, "id": 8}, {"ph": "f", "ts": 21, "id": 9, "tid": 2},
    )  # fmt: skip
    trace = read_trace(written(data)).trace
    by_name = {span.label: span for span in trace}
    assert by_name["late"].after == (by_name["inner"].task,)
    assert trace.imported.issues == {ImportIssue.ORPHAN_FLOW: 2}


def test_what_overlaps_and_does_not_nest_is_counted_and_shown_apart(written):
    data = chrome_events({"ph": "X", "ts": 0, "dur": 10}, {"ph": "X", "ts": 5, "dur": 10})
    trace = read_trace(written(data)).trace
    assert [(span.lane, span.start) for span in trace] == [(0, 0), (1, 5_000)]
    assert trace.imported.issues == {ImportIssue.NOT_NESTED: 1}


def test_the_time_of_day_keeps_its_nanoseconds_as_far_as_the_file_tells_them(written):
    data = b'[{"ph": "X", "ts": 1700000000000000.25, "dur": 0.5}, {"ph": "X", "ts": 0, "dur": 1}]'
    last = list(read_trace(written(data)).trace)[-1]
    assert (last.start, last.end) == (1_700_000_000_000_000_250, 1_700_000_000_000_000_750)


def test_events_of_odd_forms_are_counted_and_no_file_is_cut_for_them(written):
    plain = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "name": "a"}
    counts = {"ph": "C", "pid": 1, "ts": 5, "name": 3}
    opened = open_recording(written(json.dumps([
        plain, {**plain, "name": 5, "ts": 20}, {**plain, "args": "x", "ts": 40}, None, 3,
        {**counts, "args": {"v": 1}}, {**counts, "args": [1]}, {**counts, "ts": [5]},
        {**plain, "ts": [60]}, {**plain, "tid": {"of": 1}, "ts": 80}, {**plain, "ts": 100},
    ]).encode()))  # fmt: skip
    trace = opened.trace
    assert [(span.label, span.start) for span in trace if span.lane == 0] == [
        ("a", 0), ("5", 20_000), ("a", 40_000), ("a", 100_000),
    ]  # fmt: skip
    assert "cut" not in str(opened.warning) and trace.span_count == 5
    assert trace.imported.issues == {ImportIssue.NO_TIME: 3, ImportIssue.UNKNOWN: 2}


def test_arguments_that_are_true_or_false_do_not_refuse_a_file(written):
    plain = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "name": "a"}
    data = json.dumps([plain, {**plain, "ts": 20, "args": {"microbatch": True, "iteration": 1}}])
    trace = read_trace(written(data.encode())).trace
    assert [(span.label, span.start) for span in trace] == [("a", 0), ("a", 20_000)]


def test_a_thread_whose_name_is_blank_is_named_after_its_number(written):
    plain = {"ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 10, "name": "a"}
    process = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "  "}}
    thread = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": " "}}
    trace = read_trace(written(json.dumps([process, thread, plain]).encode())).trace
    [lane] = trace.header.lanes
    assert (lane.name, lane.device) == ("thread 2", "process 1")
