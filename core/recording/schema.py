"""The one schema of wire, recording and file, and the run's header kept as its metadata.

A stream is an Apache Arrow IPC stream. Its `record` column tells its rows apart:

    plan     `tasks` are all tasks of plan number `plan`, told once and before any span of theirs
    span     in `step`, `task` of `plan` ran from `start` to `end`
    open     it has started and not ended; its span follows (on CUDA the start is provisional)
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
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from core.models.description import ModelDescription
from core.plan.specification import Specification, check_numbers
from core.plan.task import KINDS, PAYLOADS, Lane
from core.typed import typed

FORMAT = 2
MOST_LANES = 32_767
"""Lanes, replicas, stages or blocks that columns have room to tell apart."""
HEADER_KEY = b"bubblescope"


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


class Attribute(NamedTuple):
    """Something that a task is: its name, its types in Arrow and in NumPy's columns.

    A word's column holds its place among `words`; a number that does not apply is null in Arrow
    and -1 (ABSENT) in columns.
    """

    name: str
    arrow: pa.DataType
    dtype: type[np.generic]
    words: tuple[str, ...] = ()


ATTRIBUTES = (
    Attribute("kind", pa.string(), np.int8, KINDS),
    Attribute("lane", pa.int32(), np.int16),
    Attribute("stage", pa.int32(), np.int16),
    Attribute("replica", pa.int32(), np.int16),
    Attribute("microbatch", pa.int32(), np.int32),
    Attribute("block", pa.int32(), np.int16),
    Attribute("bucket", pa.int32(), np.int16),
    Attribute("paired_stage", pa.int32(), np.int16),
    Attribute("paired_microbatch", pa.int32(), np.int32),
    Attribute("rows", pa.int64(), np.int64),
    Attribute("bytes", pa.int64(), np.int64),
    Attribute("payload", pa.string(), np.int8, PAYLOADS),
)
"""What a task is, beside what it waits for (`after`) and its own `name`: the one list of it, from
which the schema, the columns in memory, tables and CSV are made. The names are core.plan.task's."""

TASK = pa.struct(
    [
        *(pa.field(attribute.name, attribute.arrow) for attribute in ATTRIBUTES),
        pa.field("after", pa.list_(pa.int32())),
        pa.field("name", pa.string()),
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


@dataclass(frozen=True, slots=True)
class Header:
    """What a run was: kept as the stream's metadata.

    `origin_ns` is `time.perf_counter_ns()` at the run's start on `host`'s clock, so that another
    process of the same machine can tell the time since. `hardware` and `versions` are for people.
    `predicted` says that the spans never ran: their times are those of a cost model.
    """

    specification: Specification
    model: ModelDescription
    lanes: tuple[Lane, ...]
    replicas: int = 1
    origin_ns: int = 0
    started: str = ""
    hardware: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    predicted: bool = False
    format: int = FORMAT

    @classmethod
    def unknown(cls) -> Header:
        """The header of a recording that was cut before it said anything."""
        return cls(Specification(), ModelDescription("unknown", (), 0), ())

    @property
    def foreign(self) -> bool:
        """Whether another program made the recording: there is no plan, nor steps, nor a model."""
        return not self.model.blocks

    def since(self, origin_ns: int) -> Header:
        """The same with another run's origin, for processes that write to one stream."""
        return replace(self, origin_ns=origin_ns)

    def to_schema(self) -> pa.Schema:
        """The stream's schema with this header as metadata."""
        values = {**asdict(self), "model": self.model.to_dict()}
        return SCHEMA.with_metadata({HEADER_KEY: json.dumps(values).encode()})

    @classmethod
    def from_schema(cls, schema: pa.Schema, name: str = "the stream") -> Header:
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
            header: Header = typed(cls, values)
            header.check()
        except RecordingError:
            raise
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise RecordingError(f"{name} has a damaged header: {error}") from error
        if not schema.equals(SCHEMA, check_metadata=False):
            raise RecordingError(f"{name} is damaged: its columns are not those of a recording")
        return header

    def check(self) -> None:
        """Raise ValueError for numbers that contradict each other or that no run can have."""
        check_numbers(self.specification)
        count = len(self.lanes)
        for place, lane in enumerate(self.lanes):
            if lane.index != place or not lane.serves < count:
                raise ValueError(f"lane {place} has number {lane.index} and serves {lane.serves}")
        if not 1 <= self.replicas <= MOST_LANES or count > MOST_LANES:
            raise ValueError(f"it has {self.replicas} replicas on {count} lanes")
