"""One rank of a strategy that torch runs, in a process of its own.

Started by core.engine.ranks.run, which sends its settings as a line of JSON and gets its rows as a
stream of the same schema.
"""

from __future__ import annotations

import copy
import json
import math
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import NoReturn

import pyarrow as pa
import torch.distributed as dist
from torch import Tensor
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.failures import explain
from core.engine.hardware import MEETING_TIMEOUT, compute_exactly
from core.engine.lanes.devices import open_clock, open_lanes
from core.engine.lanes.lane import Timestamp
from core.engine.lanes.memory import optimizer_bytes
from core.engine.messages import Outcome, send
from core.engine.models.modules import Batch
from core.engine.models.workload import (
    Workload,
    build_workload,
    make_optimizer,
    verification_notes,
)
from core.engine.prepare import Prepared, prepare
from core.engine.rank_models.model import RankModel, RankSetup, rank_model
from core.engine.rank_models.timer import RankEvents, RankTimer, TimedOp
from core.engine.ranks.expectation import Expectations
from core.engine.tasks.step_counters import inside, outside
from core.engine.verify import judge, keeps_parameters
from core.plan.devices import GLOO, Hardware
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.task import Kind
from core.process.lifeline import only_here, open_pipes
from core.recording.schema import Timings, TraceWriter
from core.trace.event_rows import STARTED
from core.typed import typed

Row = tuple[TimedOp, int | None, int, int | None]
"""What happened, its lane if that is not its task's, and its start and end in ns."""


@dataclass(frozen=True, slots=True)
class RankSettings:
    """The first line that the engine sends to a rank."""

    rank: int
    port: int
    origin_ns: int
    specification: Specification
    hardware: Hardware


class Rank:
    """Builds the model, joins the group, and runs every step."""

    def __init__(self, settings: RankSettings, prepared: Prepared, writer: TraceWriter) -> None:
        self._settings, self._prepared, self._writer = settings, prepared, writer
        self._workload: Workload = prepared.workload or build_workload(prepared.specification)
        self._lane = open_lanes((prepared.lanes[settings.rank],))[0]
        self._clock = open_clock(self._lane.lane.device)
        self._timer = RankTimer(self._lane, self._report)
        self._tracks = [
            lane.index
            for lane in prepared.header.lanes
            if lane.serves == settings.rank and lane.role is Role.COMMUNICATION
        ]
        self._expectations = Expectations(prepared, settings.rank, writer.plan)
        # Between the thread that sends and the end of a step, where the lane recycles timestamps.
        self._stamps_lock = threading.Lock()
        # Collectives outside the timed step (whole_parameters, whole_gradients) are entered by all
        # ranks or by none: so this follows from the specification, which is the same everywhere.
        self._compares = keeps_parameters(prepared.specification)

    def run(self) -> None:
        """Run all steps; returns when the last one's rows are flushed."""
        self._writer.counter(STARTED, 1, self._settings.rank)
        with self._lane.settings():
            store = TCPStore("127.0.0.1", self._settings.port, is_master=False)
            dist.init_process_group(
                self._prepared.backend,
                store=store,
                rank=self._settings.rank,
                world_size=len(self._prepared.lanes),
                timeout=MEETING_TIMEOUT,
            )
            self._model = self._wrap()
            self._optimizer = make_optimizer(
                self._prepared.specification, list(self._model.parameters.values())
            )
            self._writer.running = self._openings
            if self._settings.rank == 0 and self._lane.note:
                self._writer.log("warning", self._lane.note)
            if self._settings.rank == 0 and self._prepared.specification.verify:
                for text in verification_notes(self._workload):
                    self._writer.log("warning", text)
            for index, batch in enumerate(self._workload.batches(self._prepared.specification)):
                self._step(index, batch)
            self._model.close()
            dist.destroy_process_group()

    def _wrap(self) -> RankModel:
        # Neither torch's hooks nor the timer's may be on what the plain step is made from.
        blocks = copy.deepcopy(self._workload.blocks)
        specification = self._prepared.specification
        on_streams = self._prepared.backend != GLOO
        setup = RankSetup(self._lane, on_streams, self._timer, self._report, specification)
        return rank_model(self._prepared.strategy)(blocks, setup)

    def _step(self, index: int, batch: Batch) -> None:
        expected = self._expectations.begin(index)
        rows = expected.plan.rows
        part = expected.plan.parts[self._settings.rank]
        mine = slice(part.start, part.start + part.rows)
        # Copies, since the model may write to its input, and
        # verification needs the batch as it was.
        x, target = (tensor[mine].clone().to(self._lane.device) for tensor in batch)
        before = self._model.whole_parameters() if self._compares else {}
        self._model.begin()
        dist.barrier()  # steps begin together, as they do on lanes
        self._clock.begin()
        share = part.rows * dist.get_world_size() / rows
        # Torch averages gradients over the n ranks. With share = rows of
        # the rank * n / rows of the batch, that average of the ranks'
        # means, weighted, is the gradient of the mean over the whole batch.
        loss = self._compute(x, target, share)
        uncertainty = self._clock.end()
        shapes = self._timer.now.shapes
        self._record(uncertainty)
        if self._optimizer is not None:
            size = optimizer_bytes(self._optimizer, self._model.held_bytes)
            self._report("optimizer", size)
        self._log_sizes(batch, shapes)
        dist.all_reduce(loss)
        gradients = self._model.whole_gradients() if self._compares else {}
        if self._settings.rank == 0:
            mean, parts = loss.item() / dist.get_world_size(), self._expectations.now.plan.parts
            about = self._prepared.specification, self._workload, index
            judge(self._writer, *about, batch, parts, before, mean, lambda: [gradients])
        self._writer.flush_soon()

    def _compute(self, x: Tensor, target: Tensor, share: float) -> Tensor:
        """One step, timed. `share` weights a rank's mean so that the ranks' mean is the batch's."""
        self._timer.begin(len(x))
        with only_here():
            output = self._model.module(x)
        op = self._timer.start(Kind.LOSS)
        # A rank without rows takes part in the collectives with gradients of zero.
        loss = self._workload.weighted_loss(output, target, share)
        loss.backward()
        self._timer.stop(op)
        self._model.finish()
        op = self._timer.start(Kind.STEP)
        if self._optimizer is not None:
            self._optimizer.step()
        self._timer.stop(op)
        return loss.detach()

    def _record(self, uncertainty: int) -> None:
        """Match what happened to the plan's tasks and send it as spans.

        Raises KeyError for what the plan does not have.
        """
        happened = self._timer.now
        self._expectations.learn(happened.report())
        self._writer.clock(self._lane.lane.device, self._expectations.now.step, uncertainty)
        time = self._clock.time
        done: list[Row] = [
            (op, None, time(op.start), time(op.end))
            for op in happened.compute
            if op.end is not None
        ]
        # The model's finish() has waited for the collectives, and the clock's end for
        # the device: so nothing is open any more, and every row below has an end.
        rows = done + on_tracks(happened.collectives, self._tracks, time)
        assert len(rows) == len(happened.compute) + len(happened.collectives)
        self._writer.spans(self._timings(rows))
        with self._stamps_lock:
            # Forgotten before its events go back to the pool: _openings, on the thread that
            # sends, would else ask an event that by then is recorded for something else.
            self._timer.now = RankEvents()
            self._lane.recycle(happened.timestamps())

    def _timings(self, rows: Sequence[Row]) -> Timings:
        """What happened as spans of this rank's tasks, or as open ones."""
        expected, clock = self._expectations.now, self._clock
        ops, lanes, starts, ends = zip(*rows, strict=True)
        return Timings(
            expected.number,
            expected.step,
            [expected.own[op.key].index for op in ops],
            starts,
            ends,
            [clock.time(op.start) if op.kind.is_collective else None for op in ops],
            [op.launched for op in ops],
            lanes,
        )

    def _openings(self) -> Iterator[Timings]:
        """Tasks under way on the rank's lanes that were not sent yet, for the thread that sends."""
        with self._stamps_lock:
            asked = on_tracks(self._timer.now.collectives, self._tracks, self._clock.time)
            rows = [row for row in asked if row[3] is None]
            if (computing := self._timer.now.open_compute()) is not None:
                rows.append((computing, None, self._clock.time(computing.start), None))
            # A row of an open task names its task by index, and cannot be taken back.
            fresh = [row for row in rows if not row[0].announced and self._is_sure(row[0])]
            for row in fresh:
                row[0].announced = True
            if fresh:
                yield self._timings(fresh)

    def _is_sure(self, op: TimedOp) -> bool:
        """Whether something is a task that stays what it is when torch reports its collectives."""
        expected = self._expectations.now
        task = expected.own.get(op.key)
        return task is not None and task.index < expected.sure

    def _log_sizes(self, batch: Batch, shapes: list[tuple[list[int], list[int]]]) -> None:
        step, entered, left = self._expectations.now.step, shapes[0][0], shapes[-1][1]
        self._writer.log("size", inside(None, entered, left), step)
        if self._settings.rank == 0:
            self._writer.log("size", outside(batch[0].shape, left[1:]), step)

    def _report(self, name: str, value: float) -> None:
        self._writer.counter(name, value, self._settings.rank, self._expectations.now.step)


def on_tracks(
    collectives: Sequence[TimedOp], lanes: Sequence[int], time: Callable[[Timestamp], int]
) -> list[Row]:
    """The collectives that have begun: each on the first lane that was free, in launch order.

    So a stream runs them, which is one lane, and so do the threads of a gloo group, which share one
    queue. Torch does not report when one begins: here it is the later of its launch and the lane's
    last end. Those under way have no end.
    """
    # When each lane is free again (ns); infinite while its collective is still under way. Of a, b
    # and c on two lanes, launched in this order, c begins when the first of the others has ended:
    #     lane 0  aaaaaaaa cccc
    #     lane 1     bbbbbbbbbbbbb
    free: dict[int, float] = dict.fromkeys(lanes, 0)
    rows: list[Row] = []
    for op in collectives:
        lane = min(free, key=free.__getitem__)
        # All behind this one wait in the same queue, so none of them has begun either.
        if op.launched is None or free[lane] == math.inf:
            break
        start = int(max(op.launched, time(op.start), free[lane]))
        end = max(start, time(op.end)) if op.end is not None and op.is_over else None
        free[lane] = math.inf if end is None else end
        rows.append((op, lane if lane != lanes[0] else None, start, end))
    return rows


def main() -> None:
    """Run on the pipes that the engine passed."""
    wire, commands = open_pipes()
    compute_exactly()
    settings: RankSettings = typed(RankSettings, json.loads(commands.readline()))
    prepared = prepare(settings.specification, settings.hardware)
    # All ranks' times are one run's.
    header = replace(prepared.header, origin_ns=settings.origin_ns)
    sink = pa.PythonFile(wire, "w")
    writer = TraceWriter(sink, header)
    leaving = threading.Lock()
    sending = ExitStack()

    def leave(outcome: Outcome, text: str = "") -> NoReturn:
        """Flush and exit the process; a second caller blocks until it is gone."""
        leaving.acquire()
        sending.close()
        writer.close()
        send(sink, "ended", [outcome, text])
        with suppress(Exception):  # the user's model may have closed it
            sys.stdout.flush()
        # Not through destructors, which may wait for other ranks; nor through the interpreter's
        # end: a thread of torch's that still wants its lock then aborts the process.
        os._exit(0 if outcome is Outcome.FINISHED else 1)

    def stop_when_asked() -> None:
        """The only command is to stop; at the end of the pipe the lifeline ends the process."""
        if commands.readline():
            leave(Outcome.STOPPED)

    with sending:
        sending.enter_context(writer.sending())
        threading.Thread(target=stop_when_asked, daemon=True, name="commands").start()
        try:
            Rank(settings, prepared, writer).run()
        except Exception as error:
            writer.log("error", f"rank {settings.rank}: {traceback.format_exc()}")
            leave(Outcome.FAILED, explain(error))
        leave(Outcome.FINISHED)


if __name__ == "__main__":
    main()
