"""One rank of a strategy that torch runs, in a process of its own.

Started by core.engine.ranks.run, which sends its settings as a line of JSON and gets its rows as a
stream of the same schema.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import NoReturn, cast

import pyarrow as pa
import torch.distributed as dist
from torch import Tensor
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.failures import explain
from core.engine.hardware import MEETING_TIMEOUT, compute_exactly
from core.engine.lanes.devices import Clock, has_timed_events, open_lanes
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
from core.engine.ranks.expectation import Expectations, Expected
from core.engine.ranks.matching import key_of, moved_by, placed, timings
from core.engine.tasks.step_counters import inside, outside
from core.engine.verify import judge, keeps_parameters
from core.plan.devices import GLOO, Hardware
from core.plan.division import Collective
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.task import Kind, Payload
from core.process.lifeline import only_here, open_pipes
from core.recorder.events import Step
from core.recorder.guard import Guard
from core.recorder.instrument import Instrument
from core.recorder.rank_step import COMPUTE, Op
from core.recording.schema import Timings, TraceWriter
from core.trace.event_rows import STARTED
from core.typed import typed

DEVICE_SECONDS = 60.0
"""For a device to end a step, once the host has."""


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
        self._guard = Guard()
        self._instrument = Instrument(None, self._guard, self._record, self._report)
        if not has_timed_events(self._lane.lane.device):
            # The host's time: of a device that times nothing itself, when it is idle.
            self._instrument.ops.now = cast("Callable[[], int]", self._lane.timestamp)
        # How finely the host's clock is taken, in ns.
        self._resolution = Clock().end()
        self._tracks = [
            lane.index
            for lane in prepared.header.lanes
            if lane.serves == settings.rank and lane.role is Role.COMMUNICATION
        ]
        self._expectations = Expectations(prepared, settings.rank, writer.plan)
        # A step ends either before or after the thread that sends looks at what is open: else it
        # would announce tasks of the last step as the next one's.
        self._step_lock = threading.Lock()
        self._announced: set[int] = set()
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
            self._instrument.own(self._model.module, self._model.blocks)
            self._instrument.install()
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
        # Neither torch's hooks nor the recorder's may be on what the plain step is made from.
        blocks = copy.deepcopy(self._workload.blocks)
        specification = self._prepared.specification
        on_streams = self._prepared.backend != GLOO
        setup = RankSetup(self._lane, on_streams, self._instrument, self._report, specification)
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
        share = part.rows * dist.get_world_size() / rows
        # Torch averages gradients over the n ranks. With share = rows of
        # the rank * n / rows of the batch, that average of the ranks'
        # means, weighted, is the gradient of the mean over the whole batch.
        loss, output_shape = self._compute(x, target, share)
        self._end_step(index)
        if self._optimizer is not None:
            size = optimizer_bytes(self._optimizer, self._model.held_bytes)
            self._report("optimizer", size)
        self._log_sizes(batch, list(x.shape), output_shape)
        dist.all_reduce(loss)
        gradients = self._model.whole_gradients() if self._compares else {}
        if self._settings.rank == 0:
            mean, parts = loss.item() / dist.get_world_size(), self._expectations.now.plan.parts
            about = self._prepared.specification, self._workload, index
            judge(self._writer, *about, batch, parts, before, mean, lambda: [gradients])
        self._writer.flush_soon()

    def _compute(self, x: Tensor, target: Tensor, share: float) -> tuple[Tensor, list[int]]:
        """Run one step, recorded; return its loss and the output's shape.

        `share` weights a rank's mean so that the ranks' mean is the batch's.
        """
        with only_here():
            output = self._model.module(x)
        # A rank without rows takes part in the collectives with gradients of zero.
        loss = self._workload.weighted_loss(output, target, share)
        loss.backward()
        self._model.finish()
        update = self._instrument.ops.note(self._instrument.begin_update())
        if self._optimizer is not None:
            self._optimizer.step()
        self._instrument.end_update(update)
        return loss.detach(), list(output.shape)

    def _end_step(self, number: int) -> None:
        """End a step, and send it once its device has ended it too."""
        with self._step_lock:
            self._instrument.end_step(number)
            self._instrument.ops.flush()
            self._instrument.finish(DEVICE_SECONDS)
            self._announced.clear()
        times = self._instrument.device_times
        if times is not None and times.left_out:
            raise RuntimeError(f"{self._lane.lane.device} did not end a step in {DEVICE_SECONDS} s")
        if self._guard.error:
            raise RuntimeError(f"a rank's recording has ended: {self._guard.error}")

    def _record(self, step: Step) -> None:
        """Match what happened to the plan's tasks and send it as spans.

        Raises KeyError for what the plan does not have.
        """
        self._expectations.learn(
            tuple(
                Collective(Kind(op.kind), Payload(op.payload), self._model.parameters_of(op))
                for op in moved_by(step.ops)
            )
        )
        uncertainty = step.half_width if step.since is not None else self._resolution
        self._writer.clock(self._lane.lane.device, step.number, uncertainty)
        rows = placed(step.ops, len(self._tracks))
        # The model's finish() has waited for the collectives: so nothing is open any more.
        assert len(rows) == len(step.ops)
        assert all(row.end is not None for row in rows)
        self._writer.spans(timings(rows, self._expectations.now, self._tracks))

    def _openings(self) -> Iterator[Timings]:
        """Tasks under way on the rank's lanes that were not sent yet, for the thread that sends."""
        with self._step_lock:
            expected = self._expectations.now
            rows = placed(self._instrument.under_way(), len(self._tracks))
            # A row of an open task names its task by index, and cannot be taken back.
            fresh = [row for row in rows if row.end is None and self._is_new(row.op, expected)]
            # On one lane one task is under way at a time: the first that has no end.
            computing = [row for row in fresh if row.op.lane == COMPUTE]
            fresh = [row for row in fresh if row.op.lane != COMPUTE or row is computing[0]]
            if fresh:
                opened = timings(fresh, expected, self._tracks)
                self._announced.update(opened.task)
                yield opened

    def _is_new(self, op: Op, expected: Expected) -> bool:
        """Whether an operation is a task that was not sent and keeps its number in the plan.

        It may get another one when torch reports its collectives.
        """
        task = expected.own.get(key_of(op))
        return task is not None and task.index < expected.sure and task.index not in self._announced

    def _log_sizes(self, batch: Batch, entered: list[int], left: list[int]) -> None:
        step = self._expectations.now.step
        self._writer.log("size", inside(None, entered, left), step)
        if self._settings.rank == 0:
            self._writer.log("size", outside(batch[0].shape, left[1:]), step)

    def _report(self, name: str, value: float) -> None:
        self._writer.counter(name, value, self._settings.rank, self._expectations.now.step)


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
