"""Messages from the engine process to its client. Does not import torch, which is slow to load.

The wire carries Arrow streams one after the other. A run is a stream with a header and rows. Every
other message is a stream without rows, with the message in its metadata: the machine's hardware,
the description of a model, the end of a run or rank, or the reason why the engine is unusable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa

from core.message import Text, text_from_plain
from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.recording.stream_header import read_header
from core.trace.header import Header
from core.typed import typed

WIRE = 2
"""Version of the messages, of the commands, and of the specifications in them.

An engine on another machine must have the same version.
"""


class Outcome(StrEnum):
    """End of a run: all steps done, stopped on request, refused before its start, or failed."""

    FINISHED = "finished"
    STOPPED = "stopped"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over. `text` gives the reason if it did not finish."""

    outcome: Outcome
    text: Text = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """The engine cannot run anything, and its process ends. `text` has the reason and a remedy."""

    text: Text


EngineMessage: TypeAlias = (
    "Hardware | ModelDescription | Header | pa.RecordBatch | Ended | Unusable"
)
"""In order: the machine, once the engine has loaded torch; the description of the user's model,
which only the engine can determine; the header of a run, then its rows in batches; the end of a
run; and the reason why the engine is unusable."""

MESSAGE_KEY = b"bubblescope-apart"
"""The key of a message in the metadata of its stream."""


def _parse_ended(value: Any) -> Ended:
    outcome, text = value
    return Ended(Outcome(outcome), text_from_plain(text))


_PARSERS: dict[str, Callable[[Any], EngineMessage]] = {
    "ready": lambda value: typed(Hardware, value),
    "described": ModelDescription.from_dict,
    "ended": _parse_ended,
    "unusable": lambda value: Unusable(text_from_plain(value)),
}
"""Parsers of the messages outside runs, by the name of the message."""


def send(sink: Any, name: str, value: object) -> None:
    """Send a message outside a run: its name in `_PARSERS`, and a value that JSON can represent."""
    text = json.dumps([name, value]).encode()
    with pa.ipc.new_stream(sink, pa.schema([], metadata={MESSAGE_KEY: text})):
        pass


def parse_message(text: bytes) -> EngineMessage:
    """Return the message in the metadata of a stream. Raises KeyError if its name is unknown."""
    name, value = json.loads(text)
    return _PARSERS[name](value)


def receive(file: BinaryIO) -> Iterator[EngineMessage]:
    """Yield messages until the pipe closes. If a stream is incomplete, there is no Ended."""
    source = pa.PythonFile(file, "r")
    while True:
        try:
            # Each stream has an end mark, and the schema of the next one follows directly.
            reader = pa.ipc.open_stream(source)
            yield from _receive_stream(reader)
        except (pa.ArrowInvalid, EOFError, OSError):
            return


def _receive_stream(reader: pa.RecordBatchStreamReader) -> Iterator[EngineMessage]:
    text = (reader.schema.metadata or {}).get(MESSAGE_KEY)
    if text is not None:
        # Read to the end mark, where the next stream starts.
        for _ in reader:
            pass
        yield parse_message(text)
        return
    yield read_header(reader.schema)
    yield from reader
