"""The process of one rank, for strategies that torch runs.

core.engine.ranks.run starts it through core.engine.ranks.start, sends its settings as a line of
JSON, and receives its rows as a stream with the recording's schema.
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

from core.engine.failures import error_line
from core.engine.hardware import COLLECTIVE_TIMEOUT, compute_exactly, group_device
from core.engine.lanes.devices import Clock, has_timed_events, open_lanes
from core.engine.lanes.lane import has_passed
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
from core.engine.ranks.expectation import ExpectedStep, StepExpectations
from core.engine.ranks.matching import collectives_in, place_ops, task_key, timings
from core.engine.tasks.step_counters import batch_size_text, forward_size_text
from core.engine.verify import needs_parameters, verify_step
from core.message import Text, message, text_to_plain
from core.plan.devices import GLOO, Hardware
from core.plan.division import Collective
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.task import Kind, Payload
from core.process.lifeline import only_here, open_pipes
from core.recorder.events import RecordedStep
from core.recorder.guard import Guard
from core.recorder.instrument import Instrument
from core.recorder.rank_step import COMPUTE, Op
from core.recording.schema import Timings, TraceWriter
from core.trace.event_rows import STARTED
from core.typed import typed

DEVICE_SECONDS = 60.0
"""Limit on the wait for a device to complete a step that the host has completed."""


@dataclass(frozen=True, slots=True)
class RankSettings:
    """The first line that the engine sends to a rank."""

    rank: int
    port: int
    origin_ns: int
    specification: Specification
    hardware: Hardware


class RankWorker:
    """Builds the model, joins the process group, and runs every step."""

    def __init__(self, settings: RankSettings, prepared: Prepared, writer: TraceWriter) -> None:
        self._settings = settings
        self._prepared = prepared
        self._writer = writer
        self._workload: Workload = prepared.workload or build_workload(prepared.specification)
        self._lane = open_lanes((prepared.lanes[settings.rank],))[0]
        self._guard = Guard()
        self._instrument = Instrument(None, self._guard, self._record, self._report)
        if not has_timed_events(self._lane.lane.device):
            # Host times. A device that does not time its work is synchronized first.
            self._instrument.ops.now = cast("Callable[[], int]", self._lane.timestamp)
        # The resolution of the host's clock in ns.
        self._resolution = Clock().end()
        self._tracks: list[int] = []
        for lane in prepared.header.lanes:
            if lane.serves == settings.rank and lane.role is Role.COMMUNICATION:
                self._tracks.append(lane.index)
        self._expectations = StepExpectations(prepared, settings.rank, writer.plan)
        # Held while a step ends and while the sending thread looks for open tasks. Otherwise that
        # thread could report tasks of the last step as tasks of the next one.
        self._step_lock = threading.Lock()
        self._announced: set[int] = set()
        # All ranks or none must enter the collectives outside the timed step (whole_parameters and
        # whole_gradients). So this depends only on the specification, which all ranks share.
        self._compares = needs_parameters(prepared.specification)

    def run(self) -> None:
        """Run all steps; return when the rows of the last one are handed in."""
        self._writer.counter(STARTED, 1, self._settings.rank)
        with self._lane.settings():
            store = TCPStore("127.0.0.1", self._settings.port, is_master=False)
            backend = self._prepared.backend
            dist.init_process_group(
                backend,
                store=store,
                rank=self._settings.rank,
                world_size=len(self._prepared.lanes),
                timeout=COLLECTIVE_TIMEOUT,
                device_id=group_device(backend, self._lane.device),
            )
            self._model = self._wrap()
            self._optimizer = make_optimizer(
                self._prepared.specification, list(self._model.parameters.values())
            )
            self._instrument.use_blocks(self._model.module, self._model.blocks)
            self._instrument.install()
            self._writer.running = self._open_tasks
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
        # Copied, because the plain step for verification must run on modules without hooks.
        blocks = copy.deepcopy(self._workload.blocks)
        specification = self._prepared.specification
        on_streams = self._prepared.backend != GLOO
        setup = RankSetup(
            lane=self._lane,
            on_streams=on_streams,
            instrument=self._instrument,
            report=self._report,
            specification=specification,
        )
        return rank_model(self._prepared.strategy)(blocks, setup)

    def _step(self, index: int, batch: Batch) -> None:
        expected = self._expectations.begin(index)
        rows = expected.plan.rows
        part = expected.plan.parts[self._settings.rank]
        mine = slice(part.start, part.start + part.rows)
        # Copied, because the model may write to its input, and verification needs the original
        # batch.
        x, target = (tensor[mine].clone().to(self._lane.device) for tensor in batch)
        before = self._model.whole_parameters() if self._compares else {}
        self._model.begin()
        dist.barrier()  # all ranks begin a step together, as lanes do
        # torch averages gradients over the ranks. This weight makes the average of the ranks' means
        # the gradient of the mean over the whole batch.
        share = part.rows * dist.get_world_size() / rows
        loss, output_shape = self._compute(x, target, share)
        self._end_step(index)
        if self._optimizer is not None:
            size = optimizer_bytes(self._optimizer, self._model.held_bytes)
            self._report("optimizer", size)
        self._log_sizes(batch, list(x.shape), output_shape)
        dist.all_reduce(loss)
        gradients = self._model.whole_gradients() if self._compares else {}
        if self._settings.rank == 0:
            verify_step(
                writer=self._writer,
                specification=self._prepared.specification,
                workload=self._workload,
                step=index,
                batch=batch,
                parts=self._expectations.current.plan.parts,
                before=before,
                loss=loss.item() / dist.get_world_size(),
                copies=lambda: [gradients],
            )
        self._writer.flush_soon()

    def _compute(self, x: Tensor, target: Tensor, share: float) -> tuple[Tensor, list[int]]:
        """Run and record one step; return its loss and the shape of its output.

        `share` is the weight of this rank's mean.
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
        """End a step and hand in its rows once its device has completed it."""
        with self._step_lock:
            self._instrument.end_step(number)
            self._instrument.ops.flush()
            self._instrument.finish(DEVICE_SECONDS)
            self._announced.clear()
        times = self._instrument.device_times
        if times is not None and times.left_out:
            raise RuntimeError(
                message(
                    "{device} did not end a step in {seconds} s",
                    device=self._lane.lane.device,
                    seconds=DEVICE_SECONDS,
                )
            )
        if self._guard.error:
            raise RuntimeError(
                message("a rank's recording has ended: {error}", error=self._guard.error)
            )

    def _record(self, step: RecordedStep) -> None:
        """Hand in a step's operations as spans of the plan's tasks.

        Raise KeyError for an operation that is not in the plan.
        """
        collectives = []
        for op in collectives_in(step.ops):
            names = self._model.parameters_of(op)
            collectives.append(Collective(Kind(op.kind), Payload(op.payload), names))
        self._expectations.learn(tuple(collectives))
        uncertainty = step.half_width if step.anchor is not None else self._resolution
        self._writer.clock(self._lane.lane.device, step.number, uncertainty)
        rows = place_ops(step.ops, len(self._tracks))
        # The model's finish() has waited for all collectives, so none is still running.
        assert len(rows) == len(step.ops)
        assert all(row.end is not None for row in rows)
        self._writer.spans(timings(rows, self._expectations.current, self._tracks))

    def _open_tasks(self) -> Iterator[Timings]:
        """Yield the tasks that run on the rank's lanes and were not reported yet.

        The sending thread calls it.
        """
        with self._step_lock:
            expected = self._expectations.current
            running = self._instrument.running(has_passed)
            fresh = []
            is_computing = False
            for row in place_ops(running, len(self._tracks)):
                if row.end is not None or not self._is_new(row.op, expected):
                    continue
                # A lane runs one task at a time: the first one without an end.
                if row.op.lane == COMPUTE:
                    if is_computing:
                        continue
                    is_computing = True
                fresh.append(row)
            if fresh:
                opened = timings(fresh, expected, self._tracks)
                self._announced.update(opened.task)
                yield opened

    def _is_new(self, op: Op, expected: ExpectedStep) -> bool:
        """Return True if an operation is a task that was not reported and keeps its number.

        A row of an open task names it by its number and cannot be taken back, but tasks may be
        renumbered when torch reports its collectives.
        """
        task = expected.own.get(task_key(op))
        if task is None or task.index >= expected.settled:
            return False
        return task.index not in self._announced

    def _log_sizes(self, batch: Batch, entered: list[int], left: list[int]) -> None:
        step = self._expectations.current.step
        self._writer.log("size", forward_size_text(None, entered, left), step)
        if self._settings.rank == 0:
            self._writer.log("size", batch_size_text(batch[0].shape, left[1:]), step)

    def _report(self, name: str, value: float) -> None:
        self._writer.counter(name, value, self._settings.rank, self._expectations.current.step)


def run_rank() -> None:
    """Run a rank on the pipes that the engine has passed to this process."""
    wire, commands = open_pipes()
    compute_exactly()
    settings: RankSettings = typed(RankSettings, json.loads(commands.readline()))
    prepared = prepare(settings.specification, settings.hardware)
    # The times of all ranks count from the run's start.
    header = replace(prepared.header, origin_ns=settings.origin_ns)
    sink = pa.PythonFile(wire, "w")
    writer = TraceWriter(sink, header)
    leaving = threading.Lock()
    sending = ExitStack()

    def leave(outcome: Outcome, text: Text = "") -> NoReturn:
        """Flush and exit the process. A second caller blocks until the process is gone."""
        leaving.acquire()
        sending.close()
        writer.close()
        send(sink, "ended", [outcome, text_to_plain(text)])
        with suppress(Exception):  # the user's model may have closed stdout
            sys.stdout.flush()
        # Exit without destructors, which may wait for other ranks, and without ending the
        # interpreter: a thread of torch that then requests its lock would abort the process.
        os._exit(0 if outcome is Outcome.FINISHED else 1)

    def stop_when_asked() -> None:
        """Stop on a command. At the end of the pipe, the lifeline ends the process."""
        if commands.readline():
            leave(Outcome.STOPPED)

    with sending:
        sending.enter_context(writer.sending())
        threading.Thread(target=stop_when_asked, daemon=True, name="commands").start()
        try:
            RankWorker(settings, prepared, writer).run()
        except Exception as error:
            writer.log("error", f"rank {settings.rank}: {traceback.format_exc()}")
            leave(Outcome.FAILED, error_line(error))
        leave(Outcome.FINISHED)
