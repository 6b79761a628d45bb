"""The engine process: takes specifications, sends back streams. Started by core.engine.client.

    python -m core.engine.server WIRE COMMANDS    (inherited file descriptors)

Commands are lines of JSON: {"run": specification} and {"stop": true}.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa

from core.engine.failures import explain, is_out_of_memory
from core.engine.hardware import compute_exactly, find_hardware, warnings
from core.engine.lanes.executor import Stopped
from core.engine.lanes.flusher import Flusher
from core.engine.lanes.run import run_on_lanes
from core.engine.messages import Outcome
from core.engine.prepare import Prepared, prepare
from core.engine.ranks.run import RankError, run_on_ranks
from core.engine.stop import Stop
from core.engine.wire import send_ready, send_refusal
from core.plan.specification import Specification
from core.plan.task import PlanError, Runner
from core.process.lifeline import keep
from core.recording.writer import TraceWriter

RUNNERS: dict[Runner, Callable[[Prepared, TraceWriter, Stop], None]] = {
    Runner.LANES: run_on_lanes,
    Runner.RANKS: run_on_ranks,
}
# How long a lane that has woken up waits for another's Python: 5 ms, the default, is half a task.
SWITCH_SECONDS = 1e-4


class Server:
    """Runs one specification after the other; commands come in on a thread of their own."""

    def __init__(self, sink: Any, commands: int) -> None:
        self._sink = sink
        self._commands = commands
        self._waiting: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._latest = Stop()
        self._hardware = find_hardware()

    def serve(self) -> None:
        """Serve until the client closes its pipe, which ends the process."""
        threading.Thread(target=self._listen, daemon=True, name="commands").start()
        send_ready(self._sink, self._hardware)
        while True:
            self._waiting.get()()

    def run(self, specification: Specification, stop: Stop) -> None:
        """Run one specification and send its stream, or a refusal."""
        try:
            prepared = prepare(specification, self._hardware)
        except PlanError as error:
            send_refusal(self._sink, str(error))
            return
        except (Exception, SystemExit) as error:
            send_refusal(self._sink, explain(error))
            return
        writer = TraceWriter(self._sink, prepared.header)
        for text in warnings():
            writer.log("warning", text)
        with Flusher(writer):
            outcome = self._attempt(prepared, writer, stop)
        writer.log("state", outcome)
        writer.close()

    def _attempt(self, prepared: Prepared, writer: TraceWriter, stop: Stop) -> str:
        try:
            RUNNERS[prepared.strategy.runner](prepared, writer, stop)
        except Stopped:
            return Outcome.STOPPED
        except RankError as error:  # the ranks have logged what they know
            return f"{Outcome.FAILED}: {error}"
        except (Exception, SystemExit) as error:
            if not is_out_of_memory(error):
                writer.log("error", traceback.format_exc())
            return f"{Outcome.FAILED}: {explain(error)}"
        return Outcome.FINISHED

    def _listen(self) -> None:
        with os.fdopen(self._commands, "rb") as lines:
            for line in lines:
                try:
                    self._take(json.loads(line))
                except Exception as error:  # said between two runs, by the thread that writes
                    text = f"the engine cannot read a command: {explain(error)}"
                    self._waiting.put(partial(send_refusal, self._sink, text))
        os._exit(0)

    def _take(self, command: dict[str, Any]) -> None:
        if "run" in command:
            specification = Specification.from_dict(command["run"])
            self._latest = Stop()
            self._waiting.put(partial(self.run, specification, self._latest))
        elif "stop" in command:
            self._latest.request()
        else:
            raise ValueError("it is neither run nor stop")


def main() -> None:
    """Serve on the descriptors that the client passed."""
    wire, commands = map(int, sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the client's to hear
    os.dup2(2, 1)  # what a user's model prints
    compute_exactly()
    sys.setswitchinterval(SWITCH_SECONDS)
    with os.fdopen(keep(wire), "wb", buffering=0) as sink:
        Server(pa.PythonFile(sink, "w"), keep(commands)).serve()


if __name__ == "__main__":
    main()
