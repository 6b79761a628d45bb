"""Connects an engine on this machine to a client on another one, over standard streams.

The engine is a child of this process and ends with it. This process ends when its standard input
closes or is silent for SILENT_SECONDS, so nothing keeps running when the connection breaks. Files
that the client has sent for its runs are removed then.

**A slow link does not slow a run.** The engine's messages are taken from its pipe at once. A
separate thread writes them to standard output and may have to wait; batches that have arrived
meanwhile are sent as one. Every row is sent exactly once.
"""

from __future__ import annotations

import json
import os
import queue
import select
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from typing import Any, BinaryIO, NoReturn

import pyarrow as pa

from core.engine.client import EngineClient
from core.engine.kept_files import KeptFiles
from core.engine.messages import Ended, EngineMessage, Outcome, send
from core.engine.remote import greeting
from core.message import error_message, message, text_to_plain
from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.plan.specification import Specification
from core.recording.decode import combined
from core.recording.stream_header import schema_of
from core.trace.header import Header

POLL_SECONDS = 0.02
"""Time between two checks for messages, if no command arrives."""
SILENT_SECONDS = 90.0
MOST_ROWS = 8192
"""Rows of a merged batch, about 400 kB: a client on a slow link shows each as it arrives."""


def relay() -> NoReturn:
    """Run the engine for the client at the other end of the standard streams."""
    wire, commands = _streams()
    received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    kept = KeptFiles()
    reader = threading.Thread(
        target=_read, args=(commands, received, kept), daemon=True, name="commands"
    )
    outbox = _Outbox(wire, kept)
    with closing(kept), closing(EngineClient()) as client:
        client.start()
        reader.start()
        while True:
            _take(client, received, outbox, kept)
            outbox.put(client.poll())


def _streams() -> tuple[BinaryIO, int]:
    """Return standard output as a file, and the descriptor of standard input.

    No other code can use them afterwards: a model reads nothing, and its output goes to standard
    error.
    """
    wire = os.dup(1)
    commands = os.dup(0)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return os.fdopen(wire, "wb"), commands


def _leave(status: int, kept: KeptFiles) -> NoReturn:
    """Remove the client's files and end this process, and with it the engine."""
    with suppress(OSError):
        kept.close()
    # Without cleanup, which may hang. The engine ends too, because its lifeline closes.
    os._exit(status)


def _read(commands: int, received: queue.SimpleQueue[bytes], kept: KeptFiles) -> None:
    """Queue the commands, one a line. Ends the process when the client is gone."""
    rest = b""
    while select.select([commands], [], [], SILENT_SECONDS)[0]:
        piece = os.read(commands, 1 << 16)
        if not piece:
            break
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            received.put(line)
    _leave(0, kept)


def _take(
    client: EngineClient,
    received: queue.SimpleQueue[bytes],
    outbox: _Outbox,
    kept: KeptFiles,
) -> None:
    """Execute the next command, if one arrives soon."""
    try:
        line = received.get(timeout=POLL_SECONDS)
    except queue.Empty:
        return
    try:
        _execute(client, json.loads(line), kept)
    except Exception as error:
        text = message("the engine cannot read a command: {reason}", reason=error_message(error))
        outbox.put([Ended(Outcome.REFUSED, text)])


def _execute(client: EngineClient, command: dict[str, Any], kept: KeptFiles) -> None:
    match command:
        case {"keep": piece}:
            kept.add(piece)
        case {"run": values}:
            client.run(_specification(values, command.get("kept"), kept))
        case {"describe": values}:
            client.describe(_specification(values, command.get("kept"), kept))
        case {"stop": _}:
            client.stop()
        case {"alive": _}:
            pass
        case _:
            raise ValueError(message("it is not run, describe or stop"))


def _specification(values: dict[str, Any], name: str | None, kept: KeptFiles) -> Specification:
    """Return the specification of a command; `name` is the name of a kept model file or None."""
    specification = Specification.from_dict(values)
    if name is None:
        return specification
    model = replace(specification.model, name=str(kept.path(name)))
    return replace(specification, model=model)


class _Outbox:
    """Writes messages to the wire on a separate thread; a broken wire ends the process."""

    def __init__(self, wire: BinaryIO, kept: KeptFiles) -> None:
        self._wire = wire
        self._sink = pa.PythonFile(wire, "w")
        self._kept = kept
        self._stream: pa.ipc.RecordBatchStreamWriter | None = None
        self._waiting: list[EngineMessage] = []
        self._lock = threading.Lock()
        self._filled = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="outbox")
        self._thread.start()

    def put(self, messages: Sequence[EngineMessage]) -> None:
        """Add messages; never waits for the link."""
        if not messages:
            return
        with self._lock:
            self._waiting.extend(messages)
        self._filled.set()

    def _run(self) -> None:
        try:
            self._wire.write(greeting())
            self._wire.flush()
            while self._filled.wait():
                self._filled.clear()
                with self._lock:
                    messages, self._waiting = self._waiting, []
                for received in merged(messages):
                    self._write(received)
                    self._wire.flush()
        except OSError:  # the client is gone
            pass
        except Exception:
            traceback.print_exc()  # on the client's standard error, through ssh
        finally:
            _leave(1, self._kept)

    def _write(self, received: EngineMessage) -> None:
        match received:
            case Header():
                self._stream = pa.ipc.new_stream(self._sink, schema_of(received))
            case pa.RecordBatch():
                assert self._stream is not None, "rows come after their header"
                self._stream.write_batch(received)
            case Hardware():
                send(self._sink, "ready", asdict(received))
            case ModelDescription():
                send(self._sink, "described", received.to_dict())
            case Ended():
                # An engine that was killed has not ended its stream.
                if self._stream is not None:
                    self._stream.close()
                    self._stream = None
                send(self._sink, "ended", [received.outcome, text_to_plain(received.text)])
            case _:
                raise TypeError(f"{type(received).__name__} is no message of a client")


def merged(messages: Sequence[EngineMessage]) -> Iterator[EngineMessage]:
    """Yield messages in order, and merge consecutive batches into one of up to MOST_ROWS.

    A single batch that is longer is not divided.
    """
    together: list[pa.RecordBatch] = []
    rows = 0
    for received in messages:
        batch = received if isinstance(received, pa.RecordBatch) else None
        if together and (batch is None or rows + len(batch) > MOST_ROWS):
            yield combined(together)
            together = []
            rows = 0
        if batch is None:
            yield received
        else:
            together.append(batch)
            rows += len(batch)
    if together:
        yield combined(together)
