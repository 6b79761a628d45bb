"""A process that writes spans as fast as it is told, as an engine would, without any torch.

    python -m tests.benchmarks.helpers.flood WIRE COMMANDS    (as core.engine.client starts it)

FLOOD_RATE and FLOOD_SECONDS are read from the environment: spans a second, and for how long. Each
step has its tasks' spans, a counter of activations for each of them, and a line of the log.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa

from core.engine.messages import Outcome, send
from core.plan.specification import Specification
from core.recording.schema import NoteRow, Record, Timings, TraceWriter
from tests.make_believe import HARDWARE, header_and_plans, timed

FILLED = 0.9  # of the time that a step has; the rest lies between two steps


class Steps:
    """A plan's steps, each as long as its share of the rate allows."""

    def __init__(self, specification: Specification, rate: float) -> None:
        self.header, plans = header_and_plans(specification)
        self.plan = next(iter(plans.values()))
        model = timed(self.plan, 0, 0)
        self.count = len(self.plan.tasks)
        self.period = self.count / rate * 1e9
        scale = FILLED * self.period / max(t.end for t in model)
        self.starts = np.array([int(t.start * scale) for t in model])
        self.ends = np.array([int(t.end * scale) for t in model])
        self.tasks = np.arange(self.count)

    def news(self, step: int, begin: int) -> Iterator[Timings | NoteRow]:
        """All that is told of a step that began at `begin`, absolute ns."""
        ends = self.ends + begin
        yield Timings(0, step, self.tasks, self.starts + begin, ends)
        for place in np.argsort(ends, kind="stable").tolist():
            lane, held = self.plan.tasks[place].lane, place % 7 * 3_000_000
            end = int(ends[place])
            yield NoteRow(Record.COUNTER, "activations", end, step, lane, held)
        yield NoteRow(
            Record.LOG, "size", int(ends.max()), step, text="In Model: input size [8, 64]"
        )


def flood(writer: TraceWriter, steps: Steps, origin: int, seconds: float) -> None:
    """Tell step after step, each when its time has come, for so many seconds."""
    told: deque[tuple[int, int]] = deque()
    begun: deque[Timings] = deque()

    def news() -> Iterator[Timings | NoteRow]:
        while told:
            yield from steps.news(*told.popleft())
        while begun:
            yield begun.popleft()

    writer.plan(steps.plan.tasks)
    writer.running = news
    with writer.sending():
        for step in range(int(seconds * 1e9 / steps.period)):
            begin = origin + int(step * steps.period)
            begun.append(Timings(0, step, [0], [begin], [None]))
            wait = (begin + steps.period - time.perf_counter_ns()) / 1e9
            if wait > 0:
                time.sleep(wait)
            begun.clear()
            told.append((step, begin))


def main() -> None:
    """Serve one run after the other."""
    wire, commands = map(int, sys.argv[1:])
    rate, seconds = float(os.environ["FLOOD_RATE"]), float(os.environ["FLOOD_SECONDS"])
    with os.fdopen(wire, "wb", buffering=0) as raw, os.fdopen(commands, "rb") as lines:
        sink = pa.PythonFile(raw, "w")
        send(sink, "ready", asdict(HARDWARE))
        for line in lines:
            command = json.loads(line)
            if "run" in command:
                steps = Steps(Specification.from_dict(command["run"]), rate)
                origin = time.perf_counter_ns()
                writer = TraceWriter(sink, replace(steps.header, origin_ns=origin))
                flood(writer, steps, origin, seconds)
                writer.log("state", Outcome.FINISHED)
                writer.close()
                send(sink, "ended", [Outcome.FINISHED, ""])


if __name__ == "__main__":
    main()
