"""As many rows as a file may have are read in a moment, one more is refused with the limit."""

import json
from dataclasses import replace

import pytest

import core.recording.importers.trace_events as trace_events
from core.errors import RecordingError
from core.plan.plan import Lane
from core.recording.recording import open_recording
from core.recording.stream_header import read_header, schema_of
from core.trace.header import MOST_LANES, Header


@pytest.mark.parametrize("around", ["[{}]", '{{"deviceProperties": [], "traceEvents": [{}]}}'])
def test_more_threads_than_can_be_shown_are_refused_while_they_are_read(
    tmp_path, monkeypatch, around
) -> None:
    monkeypatch.setattr(trace_events, "MOST_IMPORTED_LANES", 500)
    path = tmp_path / "trace.json"
    one = {"ph": "X", "ts": 1, "dur": 1, "cat": "kernel"}
    for count, refused in ((500, False), (501, True)):
        events = [json.dumps({**one, "tid": n}) for n in range(count)]
        path.write_text(around.format(",".join(events)))
        if refused:
            with pytest.raises(RecordingError, match="it has more than 500 threads"):
                open_recording(path)
        else:
            assert len(open_recording(path).trace.header.lanes) == 500


def test_a_recording_of_too_many_lanes_is_refused_with_the_limit() -> None:
    lanes = tuple(Lane(n, "", "", serves=n) for n in range(MOST_LANES + 1))
    schema = schema_of(replace(Header.unknown(), lanes=lanes))
    with pytest.raises(RecordingError, match="it has more than 32,767 lanes"):
        read_header(schema)
