"""The engine process: receives specifications and sends streams. Started by core.engine.start.

Commands are lines of JSON: {"run": specification}, {"describe": specification} or {"stop": true}.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any, BinaryIO, TypeVar

from core.engine.failures import RunStopped, error_line, is_out_of_memory
from core.engine.hardware import compute_exactly, find_hardware, warnings
from core.engine.messages import Outcome, send
from core.engine.models.workload import build_workload
from core.engine.prepare import Prepared, prepare
from core.engine.ranks.run import RankError, run_on_ranks
from core.engine.tasks.steps import run_on_lanes
from core.engine.virtual.run import run_on_virtual_lanes
from core.message import Text, error_message, message, text_to_plain
from core.plan.specification import Specification
from core.recording.schema import TraceWriter

T = TypeVar("T")
# Time after which a lane that has woken up takes the interpreter's lock from another lane's thread.
# The default of 5 ms is half of a task.
SWITCH_SECONDS = 1e-4


RunFunction = Callable[[Prepared, TraceWriter, threading.Event], None]


def runner_of(prepared: Prepared) -> RunFunction:
    """Return the function that runs a prepared job: on virtual lanes, in ranks or on lanes."""
    if prepared.lanes[0].is_virtual:
        return run_on_virtual_lanes
    return run_on_ranks if prepared.strategy.on_ranks else run_on_lanes


class Server:
    """Runs one specification after the other. A separate thread reads commands."""

    def __init__(self, sink: Any, commands: BinaryIO) -> None:
        self._sink = sink
        self._commands = commands
        self._waiting: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._latest = threading.Event()
        self._hardware = find_hardware()

    def serve(self) -> None:
        """Execute commands until the client closes its pipe, which ends the process."""
        threading.Thread(target=self._listen, daemon=True, name="commands").start()
        send(self._sink, "ready", asdict(self._hardware))
        while True:
            command = self._waiting.get()
            command()

    def run(self, specification: Specification, stop: threading.Event) -> None:
        """Run one specification and send its stream, or a refusal."""
        prepared = self._result_or_refusal(lambda: prepare(specification, self._hardware))
        if prepared is None:
            return
        writer = TraceWriter(self._sink, prepared.header)
        for text in warnings():
            writer.log("warning", text)
        with writer.sending():
            outcome, reason = self._attempt(prepared, writer, stop)
        writer.log("state", f"{outcome}: {reason}" if reason else outcome)
        writer.close()
        self._end(outcome, reason)

    def describe(self, specification: Specification) -> None:
        """Send the description of the user's model, or a refusal."""
        workload = self._result_or_refusal(lambda: build_workload(specification))
        if workload is not None:
            send(self._sink, "described", workload.description.to_dict())

    def _result_or_refusal(self, make: Callable[[], T]) -> T | None:
        """Return the result of `make`; if that fails, send a refusal and return None."""
        try:
            return make()
        except (Exception, SystemExit) as error:
            # SystemExit too: a user's model is a script, which may call sys.exit().
            self._end(Outcome.REFUSED, error_line(error))
            return None

    def _end(self, outcome: Outcome, text: Text) -> None:
        send(self._sink, "ended", [outcome, text_to_plain(text)])

    def _attempt(
        self, prepared: Prepared, writer: TraceWriter, stop: threading.Event
    ) -> tuple[Outcome, Text]:
        try:
            runner_of(prepared)(prepared, writer, stop)
        except RunStopped:
            return Outcome.STOPPED, ""
        except RankError as error:  # the ranks have logged the details
            return Outcome.FAILED, error_message(error)
        except (Exception, SystemExit) as error:
            if not is_out_of_memory(error):
                writer.log("error", traceback.format_exc())
            return Outcome.FAILED, error_line(error)
        return Outcome.FINISHED, ""

    def _listen(self) -> None:
        for line in self._commands:
            try:
                self._take(json.loads(line))
            except Exception as error:
                # Queued, so that the thread that writes to the pipe sends it between two runs.
                text = message(
                    "the engine cannot read a command: {reason}", reason=error_line(error)
                )
                self._waiting.put(partial(self._end, Outcome.REFUSED, text))
        # The pipe is closed: without a client nobody needs the results of this process.
        os._exit(0)

    def _take(self, command: dict[str, Any]) -> None:
        match command:
            # A stop applies to the run that was requested last, even if it has not started. Each
            # run has a separate event, so that a late stop does not affect the next run.
            case {"run": values}:
                specification = Specification.from_dict(values)
                self._latest = threading.Event()
                self._waiting.put(partial(self.run, specification, self._latest))
            case {"describe": values}:
                specification = Specification.from_dict(values)
                self._waiting.put(partial(self.describe, specification))
            case {"stop": _}:
                self._latest.set()
            case _:
                raise ValueError(message("it is not run, describe or stop"))


def run_server(sink: Any, commands: BinaryIO) -> None:
    """Execute a client's commands until it closes `commands`; messages are sent to `sink`."""
    compute_exactly()
    sys.setswitchinterval(SWITCH_SECONDS)
    Server(sink, commands).serve()
