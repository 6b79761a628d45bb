"""What is read of a file is bounded by its size, and whatever is read can be cancelled."""

import gzip
import json
import sqlite3
from collections import defaultdict

import pyarrow as pa
import pytest

import core.recording.importers.json_pieces as json_pieces
import core.recording.importers.nsight_database as nsight
import core.recording.importers.perfetto as perfetto
import core.recording.index as index
import core.recording.limits as limits
from core.costs.costs import CostError
from core.costs.costs_file import read_costs
from core.errors import RecordingError
from core.recording.exporters.recording import write_recording
from core.recording.index import Cancelled
from core.recording.recording import open_recording
from core.trace.import_issue import ImportIssue
from tests.core.recording.importers.foreign_files import (
    MEGASCAN,
    flight_dump,
    nsight_export,
    perfetto_trace,
)
from tests.core.recording.importers.kineto_files import kineto_file
from tests.fuzz.bombs import BOMBS, QUICK
from tests.fuzz.drive import fuzz

EVENTS = [{"ph": "X", "ts": n, "dur": 0.5, "name": f"n{n}"} for n in range(300)]


@pytest.fixture(scope="module")
def bombs():
    """What became of each bomb that takes less than a second, in a process of their own."""
    return fuzz("bombs", 0, 0, len(QUICK))


@pytest.mark.parametrize("name", QUICK)
def test_a_small_file_takes_less_than_30_s_and_2_gb(name, bombs):
    assert bombs.failures.get(list(BOMBS).index(name)) is None
    assert bombs.slowest < 15 and bombs.largest < 1 << 30


@pytest.fixture
def in_pieces(monkeypatch):
    monkeypatch.setattr(json_pieces, "PIECE_BYTES", 1 << 10)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", '"},{" ' * 50),
        ("name", "},{" * 100),
        ("name", "\\\\\\" + '"' * 9 + "\\"),
        ("args", {"a": [{}, {}] * 50, "b": [[{}, {"c": "}"}], {}]}),
        ("more", [1, [2, [3, {}]], {}] * 20),
    ],
)
@pytest.mark.parametrize("form", ["[{}]", '{{"a": [{{}}, {{}}], "traceEvents": [{}], "b": 1}}'])
def test_what_looks_like_a_border_between_events_is_none(in_pieces, tmp_path, field, value, form):
    path = tmp_path / "trace.json"
    events = [json.dumps({**event, field: value}) for event in EVENTS]
    path.write_text(form.format(",".join(events)))
    read = open_recording(path)
    assert read.trace.span_count == len(EVENTS) and read.warning == ""


@pytest.mark.parametrize("ends_with", ["", " , ", ', {"na', ', {"args": {"x": [{"a": 1}, {'])
def test_a_file_of_several_pieces_that_was_cut_is_shown_up_to_there(in_pieces, tmp_path, ends_with):
    path = tmp_path / "trace.json"
    events = [{**event, "args": {"x": [{}, {}]}} for event in EVENTS]
    path.write_text(json.dumps({"traceEvents": events})[:-2] + ends_with)
    trace = open_recording(path).trace
    assert trace.span_count == len(EVENTS) and trace.imported.issues == {ImportIssue.CUT: 1}
    assert len(list(trace.imported.arguments.every())) == len(EVENTS)


def test_a_file_that_is_damaged_between_its_events_says_where(in_pieces, tmp_path):
    path = tmp_path / "trace.json"
    text = json.dumps(EVENTS)
    middle = text.index('"n150"')
    path.write_text(text[:middle] + "nonsense" + text[middle:])
    with pytest.raises(RecordingError, match=r"damaged after event 1[34]\d: JSON is malformed"):
        open_recording(path)


@pytest.mark.parametrize("unit", [b"1,", b"null,", b"[{}],", b'"},{",'])
def test_values_that_are_no_events_are_counted_as_they_are_read(
    in_pieces, tmp_path, monkeypatch, unit
):
    monkeypatch.setattr(limits, "FREE_EVENTS", 0)
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(b"[" + unit * 100_000 + b"{}]"))
    with pytest.raises(RecordingError, match=f"more than {path.stat().st_size:,} events"):
        open_recording(path)


def test_a_packed_file_may_unpack_to_a_hundred_times_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "FREE_UNPACKED", 0)
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(json.dumps(EVENTS).encode()))
    assert open_recording(path).trace.span_count == len(EVENTS)
    path.write_bytes(gzip.compress(json.dumps(EVENTS).encode() + b" " * 2_000_000))
    with pytest.raises(RecordingError, match=r"unpacks to more than [\d,]+, the most"):
        open_recording(path)


def test_a_file_whose_names_are_too_long_is_left_out_of_its_folder(tmp_path):
    folder_of(tmp_path / "job")
    long = kineto_file(1, [{**EVENTS[0], "name": "x" * (1 << 21)}])
    (tmp_path / "job" / "rank-1.json").write_text(json.dumps(long))
    opened = open_recording(tmp_path / "job")
    assert opened.trace.imported.issues[ImportIssue.UNREADABLE] == 1
    reason = "rank-1.json cannot be read: a name has more than 1,048,576 characters"
    assert reason in str(opened.warning)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("phase", ["i", "X", "b", "C", "s"])
def test_an_infinite_time_is_no_time(tmp_path, phase):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps([*EVENTS, {"ph": phase, "ts": "1e999", "dur": "-1e999", "id": 1}]))
    assert open_recording(path).trace.span_count == len(EVENTS)


def test_events_behind_a_large_one_are_not_looked_at_again_and_again(
    in_pieces, monkeypatch, tmp_path
):
    scanned, whole = [], json_pieces._comma

    def comma(text):
        scanned.append(len(text))
        return whole(text)

    monkeypatch.setattr(json_pieces, "_comma", comma)
    events = [{**event, "args": {"x": [{"a": "y" * 2000}, {}]}} for event in EVENTS]
    events[0]["args"]["x"][0]["a"] = "y" * 270_000
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))
    assert open_recording(path).trace.span_count == len(EVENTS)
    assert sum(scanned) < 10 * path.stat().st_size


def rows_of(path, script):
    base = sqlite3.connect(path)
    base.executescript(script)
    base.commit()
    base.close()


RANGES = 'CREATE TABLE NVTX_EVENTS(start INT, "end" INT, text TEXT, textId INT)'
ROWS = "INSERT INTO NVTX_EVENTS VALUES (1, 2, 'a', 7), (2, 3, NULL, 7)"


@pytest.mark.parametrize(
    ("script", "labels"),
    [
        (f"{RANGES}; {ROWS}", ["a", "unnamed"]),
        (f"{RANGES}; {ROWS}; CREATE TABLE StringIds(id INT, value TEXT);"
         "INSERT INTO StringIds VALUES (7, 'first'), (7, 'second')", ["a", "first"]),
        (f"{RANGES}; {ROWS}; CREATE VIEW StringIds AS SELECT 7 AS id, 'seen' AS value",
         ["a", "unnamed"]),
        ("CREATE TABLE NVTX_EVENTS(start INT, \"end\" INT, text TEXT AS ('made'), textId INT);"
         "INSERT INTO NVTX_EVENTS VALUES (1, 2, 7), (2, 3, 7)", ["unnamed", "unnamed"]),
    ],
)  # fmt: skip
def test_only_values_that_a_table_keeps_are_read(tmp_path, script, labels):
    rows_of(tmp_path / "run.sqlite", script)
    assert [span.label for span in open_recording(tmp_path / "run.sqlite").trace] == labels


def test_no_view_of_a_database_is_read(tmp_path):
    rows_of(tmp_path / "run.sqlite", "CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start, 2 AS 'end'")
    with pytest.raises(RecordingError, match="no kernel, call or range"):
        open_recording(tmp_path / "run.sqlite")


def test_work_that_no_table_of_that_size_needs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(nsight, "FREE_WORK", 0)
    monkeypatch.setattr(nsight, "WORK_PER_BYTE", 0)
    monkeypatch.setattr(nsight, "WORK_BETWEEN", 1)
    nsight_export(tmp_path / "run.sqlite")
    with pytest.raises(RecordingError, match="more rows than a file of its size can have"):
        open_recording(tmp_path / "run.sqlite")


def test_a_damaged_description_of_tables_is_no_lack_of_memory(tmp_path):
    nsight_export(tmp_path / "run.sqlite")
    rows_of(
        tmp_path / "run.sqlite",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = NULL",
    )
    with pytest.raises(RecordingError, match=r"run\.sqlite cannot be read") as caught:
        open_recording(tmp_path / "run.sqlite")
    assert "memory" not in str(caught.value)


def saved_batches(folder):
    """A trace that was saved as a recording: its schema, and its batches by the first record."""
    (folder / "trace.json").write_text(json.dumps(EVENTS))
    for _ in write_recording(open_recording(folder / "trace.json").trace, folder / "saved.arrow"):
        pass
    reader = pa.ipc.open_stream((folder / "saved.arrow").read_bytes())
    batches = defaultdict(list)
    for batch in reader:
        batches[batch["record"][0].as_py()].append(batch)
    return reader.schema, batches


@pytest.mark.parametrize("kinds", ["plan span log", "plan log span span", "plan span span"])
def test_a_saved_trace_with_spans_twice_or_before_its_steps_is_refused(tmp_path, kinds):
    schema, batches = saved_batches(tmp_path)
    path = tmp_path / "odd.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, schema) as stream:
        for kind in kinds.split():
            for batch in batches[kind]:
                stream.write_batch(batch)
    with pytest.raises(RecordingError, match=r"after its spans|spans of a lane overlap|no step"):
        open_recording(path)


@pytest.mark.parametrize("key", ["a." * 100_000 + "a", '"a" . ' * 1000 + "a", "a = {" + "b." * 500])
def test_a_key_of_thousands_of_parts_is_refused(tmp_path, key):
    (tmp_path / "costs.toml").write_text(f"x = 1.5\n{key} = 1")
    with pytest.raises(CostError, match="a key has more than 64 parts"):
        read_costs(tmp_path / "costs.toml")


def folder_of(place):
    place.mkdir()
    for rank in (0, 1):
        (place / f"rank-{rank}.json").write_bytes(json.dumps(kineto_file(rank, EVENTS)).encode())
    (place / "rank_2.json").write_bytes(flight_dump())


MADE = {
    "trace.json": lambda place: place.write_text(json.dumps(EVENTS)),
    "mega.json": lambda place: place.write_text(json.dumps(MEGASCAN)),
    "dump_rank_1.json": lambda place: place.write_bytes(flight_dump()),
    "run.sqlite": nsight_export,
    "run.pftrace": lambda place: place.write_bytes(perfetto_trace()),
    "folder": folder_of,
}


class Looks:
    """A progress callback that notes each call, and returns False from the last one on."""

    def __init__(self, last=1 << 60):
        self.seen, self.last = [], last

    def __call__(self, done, total):
        self.seen.append((done, total))
        return len(self.seen) < self.last


@pytest.mark.parametrize("name", MADE)
def test_opening_can_be_cancelled_wherever_it_looks(in_pieces, tmp_path, monkeypatch, name):
    for module, constant in ((perfetto, "PACKETS"), (nsight, "WORK_BETWEEN"), (index, "WATCHED")):
        monkeypatch.setattr(module, constant, 2)
    MADE[name](tmp_path / name)
    looks = Looks()
    open_recording(tmp_path / name, looks)
    assert len(looks.seen) > 5 and all(0 <= done <= total for done, total in looks.seen)
    for last in range(1, len(looks.seen) + 1, max(1, len(looks.seen) // 20)):
        cancelled = Looks(last)
        with pytest.raises(Cancelled):
            open_recording(tmp_path / name, cancelled)
        assert len(cancelled.seen) == last
