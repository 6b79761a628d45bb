"""The one schema of wire, recording and file, and the run's header kept as its metadata.

A stream is an Apache Arrow IPC stream. Its `record` column tells its rows apart:

    span     a finished task: kind, lane, step, stage, ..., start, end
    open     a task that has started; its span follows (on CUDA the start is provisional); its end,
             if there is one, is a moment at which it still ran
    none     a task of which there is no news: it was told before, or has not started
    counter  `name` had `value` at `start`, on `lane` and in `step` where these apply
    log      `text` was said at `start`; `name` is its level
    clock    half-width in ns (`value`) of device `name`'s clock anchors in `step`

Times are int64 nanoseconds since the run's start. Unused columns are null.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

import pyarrow as pa

from core.models.description import ModelDescription
from core.plan.specification import Specification
from core.plan.task import KINDS, Lane, Payload, Role

FORMAT = 1
HEADER_KEY = b"bubblescope"


class RecordingError(ValueError):
    """A file or stream is not a recording; the message names it and says why."""


class Record(StrEnum):
    """What a row of the stream is."""

    SPAN = "span"
    OPEN = "open"
    COUNTER = "counter"
    LOG = "log"
    CLOCK = "clock"
    NONE = "none"


RECORDS = tuple(Record)
PAYLOADS = tuple(Payload)
_WORD = pa.dictionary(pa.int8(), pa.string())

TASK_FIELDS = (
    pa.field("lane", pa.int32()),
    pa.field("kind", _WORD),
    pa.field("task", pa.int32()),
    pa.field("stage", pa.int32()),
    pa.field("replica", pa.int32()),
    pa.field("microbatch", pa.int32()),
    pa.field("block", pa.int32()),
    pa.field("bucket", pa.int32()),
    pa.field("paired_stage", pa.int32()),
    pa.field("paired_microbatch", pa.int32()),
    pa.field("rows", pa.int64()),
    pa.field("bytes", pa.int64()),
    pa.field("payload", _WORD),
    pa.field("after", pa.list_(pa.int32())),
)
SCHEMA = pa.schema(
    (
        pa.field("record", _WORD, nullable=False),
        pa.field("step", pa.int32()),
        *TASK_FIELDS,
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        pa.field("ready", pa.int64()),
        pa.field("launched", pa.int64()),
        pa.field("name", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("text", pa.string()),
    )
)
WORDS: dict[str, tuple[str, ...]] = {"record": RECORDS, "kind": KINDS, "payload": PAYLOADS}
"""The dictionary of each word column; the columns hold indices into it."""


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
        if data is None or not schema.equals(SCHEMA, check_metadata=False):
            raise RecordingError(f"{name} is an Arrow stream, but no recording of Bubblescope")
        try:
            values = json.loads(data)
            if values["format"] > FORMAT:
                raise RecordingError(
                    f"{name} has format {values['format']}; this version reads up to {FORMAT}"
                )
            lanes = tuple(Lane(**{**lane, "role": Role(lane["role"])}) for lane in values["lanes"])
            return cls(
                Specification.from_dict(values["specification"]),
                ModelDescription.from_dict(values["model"]),
                lanes,
                predicted=values.get("predicted", False),  # recordings of version 0.1 lack it
                **{
                    key: values[key]
                    for key in (
                        "replicas",
                        "origin_ns",
                        "started",
                        "hardware",
                        "versions",
                        "format",
                    )
                },
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, RecordingError):
                raise
            raise RecordingError(f"{name} has a damaged header: {error}") from error
