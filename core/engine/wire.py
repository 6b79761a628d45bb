"""The pipe from engine to client: Arrow streams one behind the other.

A run is a stream with a header and rows. What the engine says apart from a run is a stream without
rows whose metadata holds it: that it is ready, or that it refuses a specification.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from core.engine.messages import Ended, Message, Outcome, Ready, Rows, Started
from core.plan.lanes import Gpu, Hardware
from core.recording.decode import notes_of, parts_of
from core.recording.schema import Record, read_header

READY_KEY = b"bubblescope-ready"
REFUSED_KEY = b"bubblescope-refused"


def send_ready(sink: Any, hardware: Hardware) -> None:
    """Say that the engine is ready, and what the machine has."""
    _send(sink, READY_KEY, json.dumps(asdict(hardware)))


def send_refusal(sink: Any, text: str) -> None:
    """Say that a specification cannot be run."""
    _send(sink, REFUSED_KEY, text)


def receive(source: pa.NativeFile) -> Iterator[Message]:
    """Messages until the pipe closes; a stream that breaks off ends without an Ended."""
    while True:
        try:
            reader = pa.ipc.open_stream(source)
            yield from _receive_stream(reader)
        except (pa.ArrowInvalid, EOFError, OSError):
            return


def _receive_stream(reader: pa.RecordBatchStreamReader) -> Iterator[Message]:
    metadata = reader.schema.metadata or {}
    if READY_KEY in metadata:
        values = json.loads(metadata[READY_KEY])
        gpus = tuple(Gpu(**gpu) for gpu in values["gpus"])
        message: Message = Ready(Hardware(values["cores"], values["memory"], gpus))
    elif REFUSED_KEY in metadata:
        message = Ended(Outcome.REFUSED, metadata[REFUSED_KEY].decode())
    else:
        yield Started(read_header(reader.schema))
        ended = None
        for batch in reader:
            yield Rows(batch)
            ended = _ending(batch) or ended
        if ended is not None:
            yield ended
        return
    for _ in reader:
        pass
    yield message


def _ending(batch: pa.RecordBatch) -> Ended | None:
    """How the run ended, if the batch says so in a log row of level `state`."""
    logs = parts_of(batch).get(Record.LOG)
    for note in notes_of(logs).to_pylist() if logs is not None else ():
        if note["name"] == "state":
            outcome, _, reason = note["text"].partition(": ")
            return Ended(Outcome(outcome), reason)
    return None


def _send(sink: Any, key: bytes, text: str) -> None:
    with pa.ipc.new_stream(sink, pa.schema([], metadata={key: text.encode()})):
        pass


def describe_exit(code: int) -> str:
    """What a process's return code says, in words."""
    if code >= 0:
        return f"ended with status {code}"
    name = signal.Signals(-code).name
    hint = "; it may have run out of memory" if name == "SIGKILL" else ""
    return f"was ended by {name}{hint}"
