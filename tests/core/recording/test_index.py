"""An indexed recording is the same run as one that was read, and its index is made with care."""

import os
import random
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core.recording.index as index_module
from core.errors import RecordingError
from core.plan.specification import Specification
from core.recorder.stream import row_schema
from core.recording.decode import append_batch
from core.recording.index import Cancelled, build_index, index_files, read_index
from core.recording.index_process import build_apart
from core.recording.recording import RecordingFile, open_recording
from core.recording.schema import (
    COSTS_LEVEL,
    SIZE_COSTS_LEVEL,
    Record,
    Timings,
    plan_batch,
    span_batch,
)
from core.trace.blocks import BLOCK
from core.trace.spans import MOMENTS
from tests.core.helpers import SMALL, Note, batch_of, header_of, plan_of

SPECIFICATION = Specification("dp", SMALL, "3xcpu", batch=7)
PLAN = plan_of(SPECIFICATION)
NEVER = sys.maxsize
STEPS = 5


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """A cache folder of the test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def rows():
    """A run of all kinds of rows, in one table: some spans have moments or a name, some wait."""
    tasks, time = [task.index for task in PLAN.tasks], 10
    costs = [
        Note(Record.LOG, COSTS_LEVEL, 0, text="{}"),
        Note(Record.LOG, SIZE_COSTS_LEVEL, 0, text="[]"),
    ]
    batches = [plan_batch(0, PLAN.tasks), batch_of(costs)]
    for step in range(STEPS):
        starts = [time + 5 * task for task in tasks]
        ends = [start + 5 for start in starts]
        launched = [start - 1 for start in starts] if step == 3 else None
        batches.append(span_batch(Timings(0, step, [2], [starts[2]], [None])))
        batches.append(span_batch(Timings(0, step, tasks, starts, ends, None, launched)))
        notes = [Note(Record.COUNTER, "loss", ends[-1], step, None, step / 2)]
        notes += [Note(Record.COUNTER, "activations", ends[-1], step, lane, 8.0) for lane in (0, 1)]
        notes.append(Note(Record.LOG, ("info", "size")[step % 2], ends[-1], None, text="said"))
        notes.append(Note(Record.CLOCK, "cpu", ends[-1], step, value=40.0))
        batches.append(batch_of(notes))
        time = ends[-1]
    batches.append(span_batch(Timings(0, STEPS, [0], [time], [None])))
    return named(pa.Table.from_batches(batches).combine_chunks())


def named(table):
    """The same, with a name of its own for every fifth task."""
    (tasks,) = table["tasks"].drop_null().to_pylist()
    for number, task in enumerate(tasks[::5]):
        task["name"] = f"kernel {number % 3}"
    whole = pa.array([tasks, *[None] * (table.num_rows - 1)], row_schema().field("tasks").type)
    return table.set_column(
        row_schema().get_field_index("tasks"), row_schema().field("tasks"), whole
    )


ROWS = rows()


def write(path, size=40):
    """Write the run in batches of so many rows."""
    file = RecordingFile(path, header_of(SPECIFICATION, PLAN))
    for batch in ROWS.to_batches(max_chunksize=size):
        file.write(batch)
    file.close()


def assert_same(one, two):
    """Two traces tell the same, column by column and span by span."""
    assert one.header == two.header
    assert list(one) == list(two)
    for lane in range(len(one.header.lanes)):
        ours, others = one.spans(lane), two.spans(lane)
        assert [getattr(ours, n) is None for n in MOMENTS] == [
            getattr(others, n) is None for n in MOMENTS
        ]
    assert one.bounds == two.bounds and one.steps == two.steps
    assert [one.step_bounds(step) for step in one.steps] == [
        two.step_bounds(step) for step in two.steps
    ]
    assert list(one.logs) == list(two.logs)
    assert one.costs == two.costs and one.size_costs == two.size_costs
    assert one.open_tasks == two.open_tasks
    assert told(one.counters) == told(two.counters) and told(one.clocks) == told(two.clocks)


def told(counters):
    return [
        (key, c.name, c.lane, c.times.tolist(), c.values.tolist(), c.steps.tolist())
        for key, c in counters.items()
    ]


@settings(max_examples=40)
@given(st.integers(1, len(ROWS) + 1), st.floats(0.05, 1))
def test_an_indexed_recording_is_what_it_is_in_memory(tmp_path_factory, size, part):
    path = tmp_path_factory.mktemp("run") / "run.arrow"
    write(path, size)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    read = open_recording(path, indexed_from=NEVER)
    first, again = (open_recording(path, indexed_from=1) for _ in range(2))
    for opened in (first, again):
        assert str(opened.warning) == str(read.warning)
        assert_same(opened.trace, read.trace)


def test_the_whole_run_is_in_the_test_above(tmp_path):
    write(tmp_path / "run.arrow")
    trace = open_recording(tmp_path / "run.arrow", indexed_from=NEVER).trace
    assert trace.span_count == STEPS * len(PLAN.tasks) and len(trace.open_tasks) == 1
    assert trace.table.names and len(trace.logs) == len(trace.clocks["cpu", None]) == STEPS
    assert trace.spans(0).launched is not None and trace.costs == "{}"
    assert trace.size_costs == "[]"


def test_an_index_is_mapped_and_not_held(tmp_path):
    write(tmp_path / "run.arrow")
    trace = open_recording(tmp_path / "run.arrow", indexed_from=1).trace
    mapped = Path("/proc/self/maps").read_text()
    assert "run.arrow.index" in mapped and not trace.spans(1).start.flags.owndata


def test_an_indexed_run_can_grow(tmp_path):
    write(tmp_path / "run.arrow")
    trace = open_recording(tmp_path / "run.arrow", indexed_from=1).trace
    count = trace.span_count
    append_batch(trace, span_batch(Timings(0, 9, [0, 1], [9000, 9001], [9001, 9002])))
    assert trace.span_count == count + 2 and trace.steps[-1] == 9


def test_blocks_hold_the_time_of_each_kind_before_them(tmp_path):
    write(tmp_path / "run.arrow")
    trace = open_recording(tmp_path / "run.arrow", indexed_from=1).trace
    for lane in range(len(trace.header.lanes)):
        spans, blocks = trace.spans(lane), trace.blocks(lane)
        lengths, kinds = spans["end"] - spans["start"], spans["kind"]
        assert blocks.kinds.tolist() == sorted(set(kinds.tolist()))
        assert blocks.starts.tolist() == spans["start"][::BLOCK][: len(spans) // BLOCK].tolist()
        for place, sums in enumerate(blocks.sums):
            before = slice(0, place * BLOCK)
            expected = [int(lengths[before][kinds[before] == k].sum()) for k in blocks.kinds]
            assert sums.tolist() == expected
        assert len(blocks.sums) == len(spans) // BLOCK + 1


def test_an_index_is_made_once(tmp_path, monkeypatch):
    path = tmp_path / "run.arrow"
    write(path)
    open_recording(path, indexed_from=1)
    monkeypatch.setattr(index_module, "_filled", None)  # making another would fail
    assert open_recording(path, indexed_from=1).trace.span_count == STEPS * len(PLAN.tasks)


def test_an_index_of_another_recording_is_built_again(tmp_path):
    path = tmp_path / "run.arrow"
    write(path)
    build_index(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert read_index(path) is None
    opened = open_recording(path, indexed_from=1)
    assert "was cut" in str(opened.warning)
    assert_same(opened.trace, open_recording(path, indexed_from=NEVER).trace)


def test_a_flipped_bit_is_found_and_said_and_the_index_built_again(tmp_path):
    path = tmp_path / "run.arrow"
    write(path)
    read = open_recording(path, indexed_from=NEVER)
    whole, chance = build_index(path).read_bytes(), random.Random(1)
    for _ in range(60):
        place = chance.randrange(len(whole))
        bit = bytes([whole[place] ^ 1 << chance.randrange(8)])
        index_files(path)[0].write_bytes(whole[:place] + bit + whole[place + 1 :])
        opened = open_recording(path, indexed_from=1)
        assert_same(opened.trace, read.trace)
        assert str(opened.warning) in ("", f"{index_files(path)[0]} is damaged: it was built again")
        index_files(path)[1].unlink(missing_ok=True)  # where its very first bytes were hit
    data = whole.index(np.ascontiguousarray(read.trace.spans(0).start).tobytes())
    index_files(path)[0].write_bytes(whole[:data] + b"\xff" + whole[data + 1 :])
    assert "is damaged: it was built again" in str(open_recording(path, indexed_from=1).warning)
    assert open_recording(path, indexed_from=1).warning == ""


@pytest.mark.parametrize("other", ["file", "folder"])
def test_what_is_no_index_of_ours_is_left_alone(tmp_path, cache, other):
    path = tmp_path / "run.arrow"
    write(path)
    theirs = index_files(path)[0]
    if other == "folder":
        theirs.mkdir()
        theirs /= "thesis.tex"
    theirs.write_text("years of work")
    assert open_recording(path, indexed_from=1).trace.span_count == STEPS * len(PLAN.tasks)
    assert theirs.read_text() == "years of work"
    assert read_index(path) is not None and list(cache.glob("*/*run.arrow.index"))


def test_an_index_of_another_form_is_built_again(tmp_path, monkeypatch):
    path = tmp_path / "run.arrow"
    write(path)
    with monkeypatch.context() as patch:
        patch.setattr(index_module, "VERSION", 0)
        build_index(path)
    assert read_index(path) is None


def test_progress_goes_from_little_to_all(tmp_path):
    path = tmp_path / "run.arrow"
    write(path)
    said = []
    build_index(path, lambda done, total: said.append(done / total))
    assert said == sorted(said) and 0 < said[0] < 0.1 and said[-1] == 1


@pytest.mark.parametrize("after", [0, 5, 30])
def test_cancelling_leaves_nothing(tmp_path, cache, after):
    path = tmp_path / "run.arrow"
    write(path, 9)
    said = []

    def progress(done, total):
        said.append(done)
        return len(said) <= after

    with pytest.raises(Cancelled):
        open_recording(path, progress, indexed_from=1)
    assert os.listdir(tmp_path) == ["run.arrow"] and not list(cache.iterdir())


def test_where_nothing_can_be_written_the_index_is_cached(tmp_path, cache, monkeypatch):
    path = tmp_path / "run.arrow"
    write(path)
    deny(monkeypatch, tmp_path)
    open_recording(path, indexed_from=1)
    assert os.listdir(tmp_path) == ["run.arrow"]
    assert [place.name.endswith("run.arrow.index") for place in cache.glob("*/*")] == [True]
    assert read_index(path) is not None


def test_without_room_for_an_index_the_recording_is_held_in_memory(tmp_path, cache, monkeypatch):
    path = tmp_path / "run.arrow"
    write(path)
    deny(monkeypatch, tmp_path, cache)
    opened = open_recording(path, indexed_from=1)
    assert str(opened.warning) == f"{path} has no index, so it is held in memory: Permission denied"
    assert opened.trace.span_count == STEPS * len(PLAN.tasks)


def deny(monkeypatch, *folders):
    """Nothing can be written in these; permissions would not stop an administrator."""
    made, allowed = index_module.Path.mkdir, os.access

    def mkdir(self, *arguments, **options):
        if any(self.is_relative_to(folder) for folder in folders):
            raise PermissionError(13, "Permission denied", str(self))
        made(self, *arguments, **options)

    monkeypatch.setattr(index_module.Path, "mkdir", mkdir)
    monkeypatch.setattr(os, "access", lambda p, m: p not in folders and allowed(p, m))


@pytest.mark.parametrize(("word", "column"), [(b"replicate", "kind"), (b"plan", "record")])
def test_an_unknown_word_is_told_with_its_column(tmp_path, word, column):
    path = tmp_path / "run.arrow"
    file = RecordingFile(path, header_of(SPECIFICATION, PLAN))
    file.write(plan_batch(0, PLAN.tasks))
    file.close()
    written = path.read_bytes()
    place = (
        written.rindex(word)
        if column == "kind"
        else written.index(b"plan", written.index(b"span") - 8)
    )
    path.write_bytes(written[:place] + b"Q" + written[place + 1 :])
    with pytest.raises(RecordingError) as error:
        open_recording(path)
    assert f"run.arrow is damaged: its column {column} has 'Q" in str(error.value)


def test_a_damaged_recording_is_refused_by_name_and_leaves_nothing(tmp_path):
    path = tmp_path / "run.arrow"
    file = RecordingFile(path, header_of(SPECIFICATION, PLAN))
    file.write(plan_batch(0, PLAN.tasks))
    file.write(span_batch(Timings(0, 0, [0], [1], [2], lane=[99])))
    file.close()
    with pytest.raises(RecordingError, match=r"run\.arrow is damaged"):
        open_recording(path, indexed_from=1)
    assert os.listdir(tmp_path) == ["run.arrow"]


def test_another_process_makes_the_index(tmp_path):
    path = tmp_path / "run.arrow"
    write(path)
    build_apart(path, lambda done, total: True)
    assert sorted(os.listdir(tmp_path)) == ["run.arrow", "run.arrow.index"]


@pytest.mark.starts_processes  # one that is forked may end before it is asked to
def test_a_process_that_is_cancelled_leaves_nothing(tmp_path):
    path = tmp_path / "run.arrow"
    write(path)
    with pytest.raises(Cancelled):
        build_apart(path, lambda done, total: False)
    assert os.listdir(tmp_path) == ["run.arrow"]


def test_a_process_says_that_it_could_not_make_an_index(tmp_path):
    with pytest.raises(OSError, match="could not be built"):
        build_apart(tmp_path / "missing.arrow", lambda done, total: True)
