"""What other programs' files tell of their events beside times and names."""

import gzip
import json
from pathlib import Path

import pytest

from core.errors import RecordingError
from core.recording.importers import json_pieces
from core.recording.recording import open_recording
from core.trace.event_arguments import MOST_SHOWN, MOST_TEXT, Reading, bounded, pairs
from tests.core.recording.importers.foreign_files import flight_dump, nsight_export, perfetto_trace

TWO_RANKS = Path(__file__).parents[3] / "data" / "two-ranks"


def result(reading: Reading) -> str:
    """What it returns at its end."""
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return end.value


def told(trace) -> dict[str, dict[str, str]]:
    """The arguments of each event by its name."""
    read = trace.imported.arguments.read
    return {span.name: dict(pairs(result(read(row_of(trace, span))))) for span in trace}


def row_of(trace, span) -> int:
    """Where a span's task stands."""
    return int(trace.spans(span.lane).row[span.index])


def events() -> list[dict[str, object]]:
    own = {"pid": 1, "tid": 1}
    return [
        {**own, "ph": "M", "name": "thread_name", "args": {"name": "main"}},
        {**own, "ph": "X", "ts": 5, "dur": 2, "name": "late", "args": {"n": 1.5, "s": "x\n"}},
        {**own, "ph": "X", "name": "lost", "args": {"n": "no time"}},
        {**own, "ph": "B", "ts": 0, "name": "begun", "args": {"list": [1, {"a": None}]}},
        {**own, "ph": "X", "ts": 1, "dur": 1, "name": "bare"},
        {**own, "ph": "E", "ts": 4},
        {**own, "ph": "B", "ts": 8, "name": "at end"},
        {**own, "ph": "E", "ts": 9, "args": {"told": "at its end"}},
        {**own, "ph": "b", "id": 3, "cat": "io", "ts": 1, "name": "async", "args": {"id": 3}},
        {**own, "ph": "e", "id": 3, "cat": "io", "ts": 2, "name": "async"},
        {**own, "ph": "i", "ts": 3, "name": "mark", "args": {"\ue000": "7", "correlation": []}},
    ]


WANTED = {
    "late": {"n": "1.5", "s": "x\\n"},
    "begun": {"list": '[1, {"a": null}]'},
    "bare": {},
    "at end": {"told": "at its end"},
    "async": {"id": "3"},
    "mark": {"\ue000": "7", "correlation": "[]"},
}


@pytest.mark.parametrize("piece", [1 << 20, 64])
@pytest.mark.parametrize("form", ["list", "object", "packed", "cut"])
def test_each_event_has_its_own_arguments(tmp_path, monkeypatch, piece, form) -> None:
    monkeypatch.setattr(json_pieces, "PIECE_BYTES", piece)
    monkeypatch.setattr(json_pieces, "MOST_BEFORE", piece)
    whole = json.dumps({"traceEvents": events(), "more": 1})
    data = {
        "list": json.dumps(events()).encode(),
        "object": whole.encode(),
        "packed": gzip.compress(whole.encode()),
        "cut": json.dumps(events())[:-1].encode() + b', {"ph": "X", "ts',
    }[form]
    path = tmp_path / "trace.json"
    path.write_bytes(data)
    trace = open_recording(path).trace
    assert told(trace) == WANTED
    named = {row_of(trace, span): span.name for span in trace}
    every = {named[row]: dict(pairs(text)) for row, text in trace.imported.arguments.every()}
    assert every == {name: args for name, args in WANTED.items() if args}


def test_the_ranks_of_a_folder_have_theirs() -> None:
    trace = open_recording(TWO_RANKS).trace
    for lane in trace.header.lanes:
        spans = trace.spans(lane.index)
        for place, span in enumerate(trace.span(lane.index, n) for n in range(0, len(spans), 60)):
            text = result(trace.imported.arguments.read(int(spans.row[60 * place])))
            rank = json.loads(
                gzip.decompress(
                    (TWO_RANKS / f"{lane.device.replace(' ', '-')}.json.gz").read_bytes()
                )
            )
            same = [e.get("args", {}) for e in rank["traceEvents"] if e.get("name") == span.name]
            assert (json.loads(text) if text else {}) in same


def test_a_file_that_has_changed_is_not_taken_for_the_same(tmp_path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events()))
    trace = open_recording(path).trace
    path.write_text(json.dumps(events()[1:]))
    with pytest.raises(RecordingError, match="has changed since it was opened"):
        result(trace.imported.arguments.read(0))
    path.unlink()
    with pytest.raises(RecordingError, match=r"trace\.json"):
        result(trace.imported.arguments.read(0))


def test_long_arguments_are_bounded_and_say_so() -> None:
    text = bounded(json.dumps({"a": 1, "long": "x" * MOST_TEXT, "b": [2] * 500, "c": 3}))
    assert len(text) <= MOST_TEXT
    assert [name for name, _ in pairs(text)] == ["a", "b", "c", "…"]
    assert dict(pairs(text))["…"] == "1"
    assert len(dict(pairs(text))["b"]) == MOST_SHOWN + 1
    assert [bounded(text) for text in ("", "{}", "[1]", "7", '{"a":' * 9000)].count("") == 4
    assert pairs('{"n": ' + "9" * 5000 + "}") == pairs('{"a":' * 9000) == []


def test_depths_in_a_file_that_was_cut_do_no_harm(tmp_path) -> None:
    deep = '{"ph": "B", "ts": ' + "[" * 100_000 + ', "name": "deep"}]'
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events())[:-1] + ", " + deep)
    trace = open_recording(path).trace
    assert told(trace) == WANTED


def test_what_follows_a_files_last_task_is_not_taken_for_the_next_files(tmp_path) -> None:
    for rank in (0, 1):
        one = {"ph": "X", "ts": rank, "dur": 1, "name": f"of {rank}", "args": {"rank": rank}}
        later = {"ph": "M", "name": "thread_name", "args": {"name": "x", "wrong": rank}}
        told_of = {"distributedInfo": {"rank": rank}, "traceEvents": [one, later, later]}
        (tmp_path / f"{rank}.json").write_text(json.dumps(told_of))
    trace = open_recording(tmp_path).trace
    assert told(trace) == {"of 0": {"rank": "0"}, "of 1": {"rank": "1"}}
    assert [pairs(text) for _, text in trace.imported.arguments.every()] == [
        [("rank", "0")],
        [("rank", "1")],
    ]


def test_entries_of_dumps_and_rows_of_nsight_are_shown_as_they_are(tmp_path) -> None:
    (tmp_path / "dump.json").write_bytes(flight_dump())
    entries = json.loads(flight_dump())["entries"]
    trace = open_recording(tmp_path / "dump.json").trace
    for text in told_in_order(trace):
        assert json.loads(text) in entries
    nsight_export(tmp_path / "run.sqlite")
    trace = open_recording(tmp_path / "run.sqlite").trace
    rows = [dict(pairs(text)) for text in told_in_order(trace)]
    for span, row in zip(trace, rows, strict=True):
        assert int(row.get("end", row["start"])) - int(row["start"]) == span.end - span.start
    assert {row.get("streamId") for row in rows} == {None, "7", "9"}


def told_in_order(trace) -> list[str]:
    """The arguments of each span, lane by lane."""
    return [result(trace.imported.arguments.read(row_of(trace, span))) for span in trace]


def test_what_perfetto_notes_on_an_event_is_shown(tmp_path) -> None:
    path = tmp_path / "trace.pftrace"
    for data in (perfetto_trace(), gzip.compress(perfetto_trace())):
        path.write_bytes(data)
        known = told(open_recording(path).trace)
        assert known.pop("step") == {
            "loss": "0.5", "shape": "[8, -1]", "deep": '{"on": true}', "text": "words",
        }  # fmt: skip
        assert not any(known.values())
