import io
import os

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import RecordingError
from core.order import groups
from core.plan.specification import Specification
from core.plan.task import Kind
from core.recorder.stream import row_schema
from core.recording.decode import append_batch
from core.recording.recording import RecordingFile, open_recording, read_stream
from core.recording.schema import Record, Timings, TraceWriter, plan_batch, span_batch
from core.recording.spool import Spool
from core.recording.stream_header import schema_of
from core.recording.unpack_limit import CONTINUATION
from core.trace.columns import GrowingArray
from core.trace.dependencies import waited_for
from core.trace.event_rows import Counter, Counters, Log, clock_disagreement, clock_uncertainty
from core.trace.header import Header
from core.trace.trace import Trace
from tests.core.helpers import SMALL, Note, batch_of, header_of, plan_of, trace_of
from tests.full_disk import full_disk

SPECIFICATION = Specification("dp", SMALL, "3xcpu", batch=7)
PLAN = plan_of(SPECIFICATION)


def stream(steps=3):
    sink = io.BytesIO()
    writer = TraceWriter(sink, header_of(SPECIFICATION, PLAN))
    plan, time = writer.plan(PLAN.tasks), 10
    for step in range(steps):
        tasks = [task.index for task in PLAN.tasks]
        starts = [time + 5 * task for task in tasks]
        ends, launched = [start + 5 for start in starts], [start - 1 for start in starts]
        writer.spans(Timings(plan, step, tasks, starts, ends, None, launched))
        time = ends[-1]
        writer.counter("loss", step / 2, step=step)
        writer.log("info", f"step {step}", step)
        writer.clock("cpu", step, 40)
        writer.flush()
    writer.close()
    return sink.getvalue()


def test_what_is_written_is_read_back_with_its_task():
    trace = read_stream(stream())
    assert trace.span_count == 3 * len(PLAN.tasks)
    for span in trace:
        task = PLAN.tasks[span.task]
        for name in ("kind", "lane", "stage", "replica", "rows", "bytes", "payload", "after"):
            assert getattr(span, name) == getattr(task, name), name
        assert span.end == span.start + 5 and span.launched == span.start - 1
    assert [row.text for row in trace.logs] == ["step 0", "step 1", "step 2"]
    assert list(trace.counter("loss").values) == [0, 0.5, 1]
    assert list(trace.clocks) == [("cpu", None)]
    clock = trace.clocks["cpu", None]
    assert clock.steps.tolist() == [0, 1, 2] and clock.values.tolist() == [40, 40, 40]
    assert [clock_uncertainty(trace.clocks, step) for step in (0, 2, 3)] == [40, 40, None]
    assert clock_disagreement(trace.clocks) == 40  # there is one clock
    assert trace.header == header_of(SPECIFICATION, PLAN)


def test_two_clocks_may_disagree_by_the_sum_of_their_half_widths():
    clocks = Counters()
    for number, half_widths in enumerate(([5, 5, 70], [40, 60, 30], [20, 10, 10])):
        clock = clocks[f"rank-{number}", None] = Counter(f"rank-{number}", None)
        clock.extend(
            times=np.arange(3),
            values=np.array(half_widths, np.float64),
            steps=np.arange(3, dtype=np.int32),
        )
    assert [clock_disagreement(clocks, step) for step in (0, 1, 2, 3)] == [60, 70, 100, 0]
    assert clock_disagreement(clocks) == 130


def test_a_stream_is_read_by_anyone_who_reads_arrow():
    table = pa.ipc.open_stream(stream()).read_all()
    assert table.schema.equals(row_schema(), check_metadata=False)
    assert set(table["record"].to_pylist()) == {"plan", "span", "counter", "log", "clock"}
    (tasks,) = table["tasks"].drop_null().to_pylist()
    assert [task["kind"] for task in tasks] == [task.kind for task in PLAN.tasks]


@given(st.integers(0, len(stream()) - 1))
def test_a_recording_cut_anywhere_opens_to_its_last_whole_batch(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("cut") / "run.arrow"
    path.write_bytes(stream()[:cut])
    opened = open_recording(path)
    assert "cut" in str(opened.warning) and "\n" not in str(opened.warning)
    assert opened.trace.span_count % len(PLAN.tasks) == 0


def test_a_whole_recording_opens_without_a_warning(tmp_path):
    path = tmp_path / "run.arrow"
    path.write_bytes(stream())
    assert open_recording(path).warning == ""


def test_what_follows_a_recordings_end_is_told(tmp_path):
    path = tmp_path / "run.arrow"
    path.write_bytes(stream() + b"and more")
    opened = open_recording(path)
    assert str(opened.warning).endswith("after the recording's end: its last 8 bytes are not shown")
    assert opened.trace.span_count == 3 * len(PLAN.tasks)


def test_a_recording_damaged_inside_is_not_said_to_be_cut(tmp_path):
    path, whole = tmp_path / "run.arrow", stream()
    batch = whole.index(CONTINUATION, len(whole) // 2)
    path.write_bytes(whole[: batch + 4] + b"\xff\xff\xff\x7f" + whole[batch + 8 :])
    opened = open_recording(path)
    assert "run.arrow is damaged: it is shown up to its last whole batch" in str(opened.warning)
    assert 0 < opened.trace.span_count < 3 * len(PLAN.tasks)


@pytest.mark.parametrize("content", [b"not a recording", b"\xff\xff\xff\xff\x10\0\0\0" + b"x" * 99])
def test_a_file_that_is_no_recording_is_refused_by_name(tmp_path, content):
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"other\.bin is not a recording"):
        open_recording(path)


def test_another_arrow_stream_is_refused_by_name(tmp_path):
    path = tmp_path / "other.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, pa.schema([])):
        pass
    with pytest.raises(RecordingError, match="not a recording of Bubblescope"):
        open_recording(path)


def test_a_recording_of_a_later_format_is_refused(tmp_path):
    path = tmp_path / "later.arrow"
    header = Header(SPECIFICATION, header_of(SPECIFICATION, PLAN).model, PLAN.lanes, format=99)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, schema_of(header)):
        pass
    with pytest.raises(RecordingError, match="has format 99; this version reads format 2: rec"):
        open_recording(path)


def test_a_recording_is_not_touched_before_its_first_batch(tmp_path):
    path = tmp_path / "run.arrow"
    path.write_bytes(b"kept")
    RecordingFile(path, header_of(SPECIFICATION, PLAN)).close()
    assert path.read_bytes() == b"kept"


def test_a_recording_can_have_a_name_that_is_not_utf_8(tmp_path):
    path = tmp_path / "caf\udce9.arrow"
    path.write_bytes(stream())
    assert open_recording(path).trace.span_count == 3 * len(PLAN.tasks)


def test_a_disk_without_room_for_the_first_batch_leaves_what_was_there(tmp_path):
    path = tmp_path / "run.arrow"
    path.write_bytes(b"kept")
    file = RecordingFile(path, header_of(SPECIFICATION, PLAN))
    batch = next(iter(pa.ipc.open_stream(stream())))
    with full_disk(), pytest.raises(RecordingError) as told:
        file.write(batch)
    file.close()
    assert str(told.value) == f"{path} cannot be written: File too large"
    assert path.read_bytes() == b"kept" and os.listdir(tmp_path) == ["run.arrow"]


def test_a_disk_that_fills_up_keeps_the_batches_that_it_took(tmp_path):
    path = tmp_path / "run.arrow"
    batches = list(pa.ipc.open_stream(stream()))
    file = RecordingFile(path, header_of(SPECIFICATION, PLAN))
    file.write(batches[0])
    with full_disk(path.stat().st_size + 64), pytest.raises(RecordingError, match="too large"):
        file.write(batches[1])
    file.close()
    assert "was cut" in str(open_recording(path).warning)


def test_what_was_received_is_on_disk_before_the_next_batch_comes(tmp_path):
    path = tmp_path / "run.arrow"
    batches = list(pa.ipc.open_stream(stream()))
    file = RecordingFile(path, header_of(SPECIFICATION, PLAN))
    for batch in batches[:2]:
        file.write(batch)
    opened = open_recording(path)
    assert opened.trace.span_count == len(PLAN.tasks)
    file.close()
    assert open_recording(path).warning == ""


def test_an_open_task_is_seen_until_its_span_comes():
    sink = io.BytesIO()
    writer = TraceWriter(sink, header_of(SPECIFICATION, PLAN))
    plan = writer.plan(PLAN.tasks)
    writer.running = lambda: [Timings(plan, 0, [4], [70], [None])]
    writer.flush()
    writer.running = tuple
    writer.spans(Timings(plan, 0, [4], [70], [90]))
    writer.close()
    trace = Trace(header_of(SPECIFICATION, PLAN))
    seen = []
    for batch in pa.ipc.open_stream(sink.getvalue()):
        append_batch(trace, batch)
        seen.append([(span.task, span.start, span.end) for span in trace.open_tasks])
    assert seen == [[], [(4, 70, None)], []]  # the first batch tells the plan
    assert trace.span_count == 1


def test_the_wait_of_a_span_is_blamed_on_what_ended_last():
    durations = [10 + task.index for task in PLAN.tasks]
    trace = trace_of(PLAN, durations, SPECIFICATION)
    gather = next(span for span in trace if span.kind is Kind.GATHER)
    held = waited_for(trace, gather)
    ends = {task: trace.find(0, task).end for task in gather.after}
    assert held is not None and held.end == max(ends.values())


@given(st.lists(st.lists(st.integers(0, 9), max_size=200), max_size=20))
def test_a_column_keeps_all_that_it_was_given(pieces):
    column = GrowingArray(np.int64)
    for piece in pieces:
        column.extend(np.array(piece, np.int64))
    assert list(column.view) == [value for piece in pieces for value in piece]


def test_notes_of_several_records_share_a_batch():
    batch = batch_of(
        [Note(Record.COUNTER, "loss", 1, value=2.0), Note(Record.LOG, "info", 2, text="said")]
    )
    trace = Trace(header_of(SPECIFICATION, PLAN))
    append_batch(trace, batch)
    assert trace.logs[0].text == "said" and trace.counter("loss").values[0] == 2


def test_runs_that_take_turns_on_disk_come_back_whole(tmp_path):
    shared, batches = Spool(), list(pa.ipc.open_stream(stream()))
    header = header_of(SPECIFICATION, PLAN)
    one, other, empty = (shared.begin(header) for _ in range(3))
    for batch in batches:
        one.write(batch)
        other.write(batch)
        one.write(batch.slice(0, 0))
    for kept, spans in ((one, 3 * len(PLAN.tasks)), (other, 3 * len(PLAN.tasks)), (empty, 0)):
        with (tmp_path / "run.arrow").open("wb") as file:
            file.writelines(kept.parts())
        opened = open_recording(tmp_path / "run.arrow")
        assert opened.warning == "" and opened.trace.span_count == spans
        assert opened.trace.header == header
    shared.close()


def test_a_task_that_begins_and_ends_in_one_batch_is_not_left_open():
    told = plan_batch(0, PLAN.tasks)
    ended = span_batch(Timings(0, 0, [2], [5], [9]))
    opened = span_batch(Timings(0, 0, [2, 3], [5, 9], [None, None]))
    trace = Trace(header_of(SPECIFICATION, PLAN))
    append_batch(
        trace, pa.Table.from_batches([told, opened, ended]).combine_chunks().to_batches()[0]
    )
    assert [span.task for span in trace.open_tasks] == [3] and trace.span_count == 1


@given(st.lists(st.integers(-1, 70_000), max_size=60))
def test_groups_are_every_key_with_its_places_in_order(keys):
    found = [places.tolist() for places in groups(np.array(keys, np.int64))]
    assert found == [[n for n, k in enumerate(keys) if k == key] for key in sorted(set(keys))]


@given(st.lists(st.tuples(st.sampled_from(["info", "size"]), st.integers(0, 3)), max_size=30))
def test_a_log_gives_back_its_lines_and_those_of_a_level(lines):
    log, times = Log(), np.arange(len(lines))
    levels = [level for level, _ in lines]
    log.add(times, np.full(len(lines), -1), levels, [f"line {n}" for _, n in lines])
    assert [(row.level, row.text, row.step) for row in log] == [
        (level, f"line {n}", None) for level, n in lines
    ]
    places = log.at_levels({"size"}, 2).tolist()
    assert places == [n for n, level in enumerate(levels) if level == "size" and n >= 2]
