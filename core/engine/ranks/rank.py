"""One rank of a strategy that torch runs, in a process of its own.

    python -m core.engine.ranks.rank WIRE SETTINGS    (a descriptor, and JSON)

Started by core.engine.ranks.run, to which it sends its rows as a stream of the same schema.
"""

from __future__ import annotations

import copy
import json
import math
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import pyarrow as pa
import torch.distributed as dist
from torch import Tensor
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.failures import explain
from core.engine.hardware import compute_exactly
from core.engine.lanes.flusher import Flusher
from core.engine.lanes.lane import Mark, open_clock, open_lanes
from core.engine.lanes.run import batches_of
from core.engine.messages import DONE_LEVEL, FAILED_LEVEL
from core.engine.models.modules import Batch
from core.engine.models.workload import (
    Workload,
    build_workload,
    make_optimizer,
    verification_notes,
)
from core.engine.prepare import Prepared, prepare
from core.engine.ranks.expectation import Expectations
from core.engine.ranks.model import RankModel, Setting, rank_model
from core.engine.ranks.timer import RankTimer, Timed
from core.engine.verify import compare, reference, save_gradients
from core.plan.lanes import Hardware
from core.plan.specification import Specification
from core.plan.task import Kind, Role
from core.process.lifeline import keep, only_here
from core.recording.writer import Timings, TraceWriter
from core.typed import typed

TIMEOUT = timedelta(minutes=5)

Row = tuple[Timed, int | None, int, int | None]
"""What happened, its lane if that is not its task's, and its start and end in ns."""


@dataclass(frozen=True, slots=True)
class RankSettings:
    """What the engine tells a rank."""

    rank: int
    world: int
    port: int
    backend: str
    origin_ns: int
    specification: Specification
    hardware: Hardware

    @classmethod
    def from_json(cls, text: str) -> RankSettings:
        """Read what run_ranks wrote."""
        settings: RankSettings = typed(cls, json.loads(text))
        return settings


class Rank:
    """Builds the model, joins the group, and runs every step."""

    def __init__(self, settings: RankSettings, prepared: Prepared, writer: TraceWriter) -> None:
        self._settings, self._prepared, self._writer = settings, prepared, writer
        self._workload: Workload = prepared.workload or build_workload(prepared.specification)
        self._lane = open_lanes((prepared.lanes[settings.rank],))[0]
        self._clock = open_clock(self._lane.lane.device)
        self._timer = RankTimer(self._lane, self._tell)
        self._expectations = Expectations(prepared, settings.rank, writer.plan)
        self._marks_lock = threading.Lock()  # the lane takes marks back that may be asked about
        specification = prepared.specification
        self._compares = specification.verify or specification.gradients is not None

    def run(self) -> None:
        """Run all steps; returns when the last one's rows are flushed."""
        with self._lane.settings():
            store = TCPStore("127.0.0.1", self._settings.port, is_master=False)
            dist.init_process_group(
                self._settings.backend,
                store=store,
                rank=self._settings.rank,
                world_size=self._settings.world,
                timeout=TIMEOUT,
            )
            self._model = self._wrap()
            self._optimizer = make_optimizer(
                self._prepared.specification, list(self._model.parameters.values())
            )
            self._writer.running = self._openings
            if self._settings.rank == 0 and self._prepared.specification.verify:
                for text in verification_notes(self._workload):
                    self._writer.log("warning", text)
            for index, batch in enumerate(batches_of(self._prepared, self._workload)):
                self._step(index, batch)
            self._model.close()
            dist.destroy_process_group()

    def _wrap(self) -> RankModel:
        # Neither torch's hooks nor the timer's may be on what the plain step is made from.
        blocks = copy.deepcopy(self._workload.blocks)
        lane, world, backend = self._lane.lane, self._settings.world, self._settings.backend
        specification = self._prepared.specification
        setting = Setting(lane, world, backend, self._timer, self._tell, specification)
        return rank_model(self._prepared.strategy)(blocks, setting)

    def _step(self, index: int, batch: Batch) -> None:
        expected = self._expectations.begin(index)
        rows = expected.plan.rows
        part = expected.plan.parts[self._settings.rank]
        mine = slice(part.start, part.start + part.rows)
        x, target = (tensor[mine].clone().to(self._lane.device) for tensor in batch)
        before = self._model.whole_parameters() if self._compares else {}
        self._model.begin()
        dist.barrier()  # steps begin together, as they do on lanes
        self._clock.begin()
        share = part.rows * self._settings.world / rows
        loss = self._compute(x, target, share)
        uncertainty = self._clock.end()
        shapes = self._timer.now.shapes
        self._record(uncertainty)
        if self._optimizer is not None:
            self._tell("optimizer", self._model.state_bytes(self._optimizer))
        self._log_sizes(batch, shapes)
        dist.all_reduce(loss)
        self._judge(batch, before, loss.item() / self._settings.world)
        self._writer.flush_soon()

    def _compute(self, x: Tensor, target: Tensor, share: float) -> Tensor:
        """One step, timed. `share` weights a rank's mean so that the ranks' mean is the batch's."""
        self._timer.begin(len(x))
        with only_here():
            output = self._model.forward(x)
        timed = self._timer.start(Kind.LOSS)
        # A rank without rows takes part in the collectives with gradients of zero.
        loss = self._workload.loss(output, target) * share if len(x) else output.sum() * 0
        loss.backward()
        self._timer.stop(timed)
        self._model.finish()
        timed = self._timer.start(Kind.STEP)
        if self._optimizer is not None:
            self._optimizer.step()
        self._timer.stop(timed)
        return loss.detach()

    def _record(self, uncertainty: int) -> None:
        """Match what happened to the plan's tasks and tell it. Raises KeyError if it cannot."""
        happened = self._timer.now
        self._expectations.learn(happened.report())
        self._writer.clock(self._lane.lane.device, self._expectations.now.step, uncertainty)
        time = self._clock.time
        done: list[Row] = [(t, None, time(t.start), time(t.end)) for t in happened.compute]
        rows = done + self._on_tracks(happened.collectives)
        assert len(rows) == len(happened.compute) + len(happened.collectives)
        self._writer.spans(self._timings(rows))
        with self._marks_lock:
            self._lane.recycle(self._timer.marks())

    def _on_tracks(self, collectives: Sequence[Timed]) -> list[Row]:
        lanes = [
            lane.index
            for lane in self._prepared.header.lanes
            if lane.serves == self._settings.rank and lane.role is Role.COMMUNICATION
        ]
        return on_tracks(collectives, lanes, self._timer.is_over, self._clock.time)

    def _timings(self, rows: Sequence[Row]) -> Timings:
        """What happened as spans of this rank's tasks, or as open ones."""
        expected, clock = self._expectations.now, self._clock
        timed, lanes, starts, ends = zip(*rows, strict=True)
        return Timings(
            expected.number,
            expected.step,
            [expected.own[t.kind, t.number, t.payload].index for t in timed],
            starts,
            ends,
            [clock.time(t.start) if t.kind.is_collective else None for t in timed],
            [t.launched for t in timed],
            lanes,
        )

    def _openings(self) -> Iterator[Timings]:
        """What is under way on the rank's lanes and was not told yet, for the thread that sends."""
        with self._marks_lock:
            rows = [row for row in self._on_tracks(self._timer.now.collectives) if row[3] is None]
            if (computing := self._timer.open_compute()) is not None:
                rows.append((computing, None, self._clock.time(computing.start), None))
            fresh = [row for row in rows if not row[0].announced and self._is_sure(row[0])]
            for row in fresh:
                row[0].announced = True
            if fresh:
                yield self._timings(fresh)

    def _is_sure(self, timed: Timed) -> bool:
        """Whether something is a task that stays what it is when torch reports its collectives."""
        expected = self._expectations.now
        task = expected.own.get((timed.kind, timed.number, timed.payload))
        return task is not None and task.index < expected.sure

    def _judge(self, batch: Batch, before: dict[str, Tensor], loss: float) -> None:
        """Rank 0 says what the loss was and, if asked, how far it is from the plain step."""
        gradients = self._model.whole_gradients() if self._compares else {}
        if self._settings.rank != 0:
            return
        specification, expected = self._prepared.specification, self._expectations.now
        self._writer.counter("loss", loss, step=expected.step)
        if specification.verify:
            wanted = reference(self._workload, before, batch, expected.plan.parts)
            errors = compare(loss, gradients, wanted)
            self._writer.counter("gradient_error", errors.gradient, step=expected.step)
            self._writer.counter("loss_error", errors.loss, step=expected.step)
        last = expected.step == len(specification.all_rows) - 1
        if last and specification.gradients is not None:
            save_gradients(specification.gradients, batch, before, gradients)

    def _log_sizes(self, batch: Batch, shapes: list[tuple[list[int], list[int]]]) -> None:
        step, entered, left = self._expectations.now.step, shapes[0][0], shapes[-1][1]
        self._writer.log("size", f"In Model: input size {entered} output size {left}", step)
        if self._settings.rank == 0:
            whole = [len(batch[0]), *left[1:]]
            sizes = f"input size {list(batch[0].shape)} output_size {whole}"
            self._writer.log("size", f"Outside: {sizes}", step)

    def _tell(self, name: str, value: float) -> None:
        self._writer.counter(name, value, self._settings.rank, self._expectations.now.step)


def on_tracks(
    collectives: Sequence[Timed], lanes: Sequence[int],
    is_over: Callable[[Timed], bool], time: Callable[[Mark], int],
) -> list[Row]:  # fmt: skip
    """The collectives that have begun: each on the first lane that was free, in launch order.

    So a stream runs them, which is one lane, and so do the threads of a gloo group: a queue that
    several work off. When one begins is not told, but follows. Those under way have no end.
    """
    free: dict[int, float] = dict.fromkeys(lanes, 0)
    rows: list[Row] = []
    for timed in collectives:
        lane = min(free, key=free.__getitem__)
        if timed.launched is None or free[lane] == math.inf:
            break
        start = int(max(timed.launched, time(timed.start), free[lane]))
        end = max(start, time(timed.end)) if is_over(timed) else None
        free[lane] = math.inf if end is None else end
        rows.append((timed, lane if lane != lanes[0] else None, start, end))
    return rows


def main() -> None:
    """Run on the descriptors that the engine passed."""
    wire = int(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wire = keep(wire)
    os.dup2(2, 1)  # what a user's model prints
    compute_exactly()
    settings = RankSettings.from_json(sys.argv[2])
    prepared = prepare(settings.specification, settings.hardware)
    header = prepared.header.since(settings.origin_ns)
    with os.fdopen(wire, "wb", buffering=0) as sink:
        writer = TraceWriter(pa.PythonFile(sink, "w"), header)
        status = 0
        try:
            with Flusher(writer):
                Rank(settings, prepared, writer).run()
            writer.log(DONE_LEVEL, "")
        except Exception as error:
            status = 1
            writer.log("error", f"rank {settings.rank}: {traceback.format_exc()}")
            writer.log(FAILED_LEVEL, explain(error))
        writer.close()
        with suppress(Exception):  # the user's model may have closed it
            sys.stdout.flush()
        # Not through destructors, which may wait for other ranks; nor through the interpreter's
        # end: a thread of torch's that still wants its lock then aborts the process.
        os._exit(status)


if __name__ == "__main__":
    main()
