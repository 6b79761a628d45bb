"""The one schema of wire, recording and file, and the run's header kept as its metadata.

A stream is an Apache Arrow IPC stream. Its `record` column tells its rows apart:

    plan     `tasks` are all tasks of plan number `plan`, told once and before any span of theirs
    span     in `step`, `task` of `plan` ran from `start` to `end`
    open     it has started and not ended; its span follows (on a GPU the start is provisional)
    counter  its `note`'s name had the note's value at `start`, on the note's lane if there is one
    log      the note's text was said at `start`; the note's name is its level
    clock    the note's value is the half-width in ns of its device's (name) clock anchors in `step`

Plans are numbered from 0 in the order in which they come, and a task's number is its place among
its plan's. So a span says no more than which task it is and when it ran; a plan row joined with it
by plan and task says what it is. A span's lane is its task's, unless the span has a note that names
one: a collective that ran beside another of its rank.

`ready` is when the data of a collective was there, `launched` when a task was handed to the device,
where these are known. Times are int64 nanoseconds since the run's start. Unused columns are null;
`note` and `tasks` are lists (a note of one entry), since a null number takes as much room as any
other and a null list hardly any.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum

import numpy as np
import pyarrow as pa

from core.trace.header import FORMAT, MOST_LANES, Header
from core.trace.spans import ATTRIBUTES
from core.typed import typed

HEADER_KEY = b"bubblescope"
COSTS_LEVEL = "costs"
"""The level of the log row that holds what a run's tasks cost, as JSON: no line to read."""


class RecordingError(ValueError):
    """A file or stream is not a recording; the message names it and says why."""


class Record(StrEnum):
    """What a row of the stream is."""

    PLAN = "plan"
    SPAN = "span"
    OPEN = "open"
    COUNTER = "counter"
    LOG = "log"
    CLOCK = "clock"


RECORDS = tuple(Record)
ARROW_TYPES = {
    a.name: pa.string() if a.words else pa.int64() if a.dtype is np.int64 else pa.int32()
    for a in ATTRIBUTES
}
"""How the stream holds what a task is; a number that does not apply is null."""
TASK = pa.struct(
    [
        *ARROW_TYPES.items(),
        ("after", pa.list_(pa.int32())),
        ("name", pa.string()),
    ]
)
NOTE = pa.struct(
    [
        pa.field("name", pa.string()),
        pa.field("lane", pa.int32()),
        pa.field("value", pa.float64()),
        pa.field("text", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("record", pa.dictionary(pa.int8(), pa.string()), nullable=False),
        pa.field("plan", pa.int32()),
        pa.field("task", pa.int32()),
        pa.field("step", pa.int32()),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        pa.field("ready", pa.int64()),
        pa.field("launched", pa.int64()),
        pa.field("note", pa.list_(NOTE)),
        pa.field("tasks", pa.list_(TASK)),
    ]
)


def schema_of(header: Header) -> pa.Schema:
    """The stream's schema with a run's header as metadata."""
    values = {**asdict(header), "model": header.model.to_dict()}
    return SCHEMA.with_metadata({HEADER_KEY: json.dumps(values).encode()})


def read_header(schema: pa.Schema, name: str = "the stream") -> Header:
    """The header of a stream. Raises RecordingError if there is none that can be read."""
    data = (schema.metadata or {}).get(HEADER_KEY)
    if data is None:
        raise RecordingError(f"{name} is an Arrow stream, but no recording of Bubblescope")
    try:
        values = json.loads(data)
        if values["format"] != FORMAT:
            raise RecordingError(
                f"{name} has format {values['format']!r:.40}; this version reads format "
                f"{FORMAT}: record it anew"
            )
        if len(values["lanes"]) > MOST_LANES:
            raise ValueError(f"it has more than {MOST_LANES:,} lanes")
        header: Header = typed(Header, values)
        header.check()
    except RecordingError:
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise RecordingError(f"{name} has a damaged header: {error}") from error
    if not schema.equals(SCHEMA, check_metadata=False):
        raise RecordingError(f"{name} is damaged: its columns are not those of a recording")
    return header
