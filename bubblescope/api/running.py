"""Runs in an engine process, from the start to the last message.

Both the command line and the Python interface use this module.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa

from bubblescope.api.interrupts import holding_interrupts, noting_interrupts
from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.errors import PlanError
from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.plan.specification import Specification, describe, with_defaults
from core.recording.decode import append_batch, combined
from core.recording.recording import RecordingFile
from core.trace.header import Header
from core.trace.trace import Trace

POLL_SECONDS = 0.05  # polling more often would take time from the lanes if every core has one

MOST_STOP_SECONDS = 2.5
"""Time limit in s for an interrupted run to stop, so that a command can print its results."""


class RunError(RuntimeError):
    """Raised if a run fails; the message gives the reason in one line."""


class Progress(Protocol):
    """Protocol: a display of a run's progress."""

    def show(self, trace: Trace) -> None:
        """Show the state of a trace that has grown."""

    def close(self) -> None:
        """End the display, because the run is over."""


def execute(
    specification: Specification,
    progress: Progress,
    record: str | None = None,
    host: str = "",
    files: Sequence[Path] = (),
) -> tuple[Trace, Ended]:
    """Run in a new engine process; Ctrl+C stops the run and keeps its recording.

    With a `host`, which must be checked (core.process.ssh), the engine runs there, and `files` are
    sent there for the run; the first one is its model. Raises PlanError if the specification is
    refused before there is a trace.
    """
    with noting_interrupts() as interrupts, closing(EngineClient(host)) as client:
        send_files(client, files, interrupts)
        return execute_with(client, specification, record, progress, interrupts)


def send_files(client: EngineClient, files: Sequence[Path], interrupts: list[int]) -> None:
    """Send a model's files to the engine's machine, unless it is this one or has them already.

    Raises RunError if the engine ends, and KeyboardInterrupt if interrupted.
    """
    if not files or not client.host or client.keeps_files:
        return
    # The engine does not read files before its first answer.
    if not client.has_answered:
        ready_hardware(client, interrupts)
    for _ in client.keep(files):
        if interrupts:
            raise KeyboardInterrupt
    if not client.keeps_files:  # the engine has ended meanwhile
        _awaited(client, Hardware, interrupts)


def execute_with(
    client: EngineClient,
    specification: Specification,
    record: str | None,
    progress: Progress,
    interrupts: list[int],
) -> tuple[Trace, Ended]:
    """Run in an existing engine; a signal in `interrupts` stops the run.

    Before there is a trace, raises PlanError if the run is refused, and KeyboardInterrupt if it is
    stopped.
    """
    collector = _Collector(record, progress)
    client.run(specification)
    try:
        while collector.ended is None:
            if interrupts:
                client.stop(at_most=MOST_STOP_SECONDS)
            collector.take(client)
            time.sleep(POLL_SECONDS)
    finally:
        collector.close()
    if collector.trace is None:
        if collector.ended.outcome is Outcome.STOPPED:
            raise KeyboardInterrupt
        raise PlanError(collector.ended.text)
    return collector.trace, collector.ended


def ready_hardware(client: EngineClient, interrupts: list[int]) -> Hardware:
    """Start the engine and return the hardware. Raises RunError; KeyboardInterrupt if stopped."""
    client.start()
    return _awaited(client, Hardware, interrupts)


class _Collector:
    """Builds the trace from the engine's messages, and writes the recording, if any."""

    def __init__(self, record: str | None, progress: Progress) -> None:
        self._record = record
        self._progress = progress
        self._file: RecordingFile | None = None
        self.trace: Trace | None = None
        self.ended: Ended | None = None

    def take(self, client: EngineClient) -> None:
        batches: list[pa.RecordBatch] = []
        for message in client.poll():
            if isinstance(message, Header):
                self.trace = Trace(message)
                if self._record is not None:
                    self._file = RecordingFile(self._record, message)
            elif isinstance(message, pa.RecordBatch) and self.trace is not None:
                if self._file is not None:
                    self._file.write(message)
                # Batches are added to the trace together, because each addition has a cost.
                batches.append(message)
            elif isinstance(message, Ended):
                self.ended = message
        if batches and self.trace is not None:
            append_batch(self.trace, combined(batches))
            self._progress.show(self.trace)

    def close(self) -> None:
        self._progress.close()
        if self._file is not None:
            self._file.close()


Answer = TypeVar("Answer", Hardware, ModelDescription)


def ask_engine(kind: type[Answer], about: Specification | None = None, host: str = "") -> Answer:
    """Return the hardware, or the description of a model, from a new engine process.

    With a `host`, which must be checked (core.process.ssh), the engine runs there. Raises
    PlanError if the engine refuses, RunError if it ends.
    """
    with closing(EngineClient(host)) as client:
        with holding_interrupts():  # a half-started engine could not be closed
            client.start()
            if about is not None:
                client.describe(about)
        return _awaited(client, kind)


def _awaited(client: EngineClient, kind: type[Answer], interrupts: Sequence[int] = ()) -> Answer:
    """Wait for a message of a kind.

    Raises as `ask_engine` does, and KeyboardInterrupt if stopped.
    """
    # Polls, because it waits for two things: messages and interrupts.
    while not interrupts:
        for message in client.poll():
            if isinstance(message, kind):
                return message
            if isinstance(message, Ended):
                if message.outcome is Outcome.REFUSED:
                    raise PlanError(message.text)
                raise RunError(message.text)
        time.sleep(POLL_SECONDS)
    raise KeyboardInterrupt


def describe_model(specification: Specification) -> ModelDescription:
    """Describe a model; a user's own model is described by an engine process, which has torch.

    Raises PlanError.
    """
    if not specification.own_model:
        return describe(with_defaults(specification))
    try:
        return ask_engine(ModelDescription, specification)
    except RunError as error:
        raise PlanError(f"--model {specification.model.name!r}: {error}") from error
