"""The pipe from engine to client: Arrow streams one behind the other.

A run is a stream with a header and rows. What is said apart from its rows is a stream without any,
whose metadata holds it: that the engine is ready, what a model is, and how a run or a rank ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from core.engine.messages import Described, Ended, Message, Outcome, Ready, Rows, Started
from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.recording.schema import read_header
from core.typed import typed

APART_KEY = b"bubblescope-apart"
APART: dict[str, Callable[[Any], Message]] = {
    "ready": lambda hardware: Ready(typed(Hardware, hardware)),
    "described": lambda model: Described(ModelDescription.from_dict(model)),
    "ended": lambda ended: Ended(Outcome(ended[0]), ended[1]),
}
"""The messages apart from a run, by name, from what JSON holds of them."""


def send(sink: Any, name: str, value: object) -> None:
    """Say something apart from a run: a name of `APART`, and what JSON can hold."""
    said = json.dumps([name, value]).encode()
    with pa.ipc.new_stream(sink, pa.schema([], metadata={APART_KEY: said})):
        pass


def receive(file: BinaryIO) -> Iterator[Message]:
    """Messages until the pipe closes; a stream that breaks off ends without an Ended."""
    source = pa.PythonFile(file, "r")
    while True:
        try:
            reader = pa.ipc.open_stream(source)
            yield from _receive_stream(reader)
        except (pa.ArrowInvalid, EOFError, OSError):
            return


def _receive_stream(reader: pa.RecordBatchStreamReader) -> Iterator[Message]:
    said = (reader.schema.metadata or {}).get(APART_KEY)
    if said is not None:
        name, value = json.loads(said)
        for _ in reader:
            pass
        yield APART[name](value)
        return
    yield Started(read_header(reader.schema))
    for batch in reader:
        yield Rows(batch)
