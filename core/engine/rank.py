"""One rank of a strategy that torch runs: DistributedDataParallel in a process of its own.

    python -m core.engine.rank WIRE LIFELINE SETTINGS    (descriptors, and JSON)

Started by core.engine.run_ranks, to which it sends its rows as a stream of the same schema.
"""

from __future__ import annotations

import copy
import json
import os
import signal
import sys
import traceback
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pyarrow as pa
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import TCPStore  # type: ignore[attr-defined]
from torch.nn.parallel import DistributedDataParallel

from core.engine import memory
from core.engine.failures import explain
from core.engine.flusher import Flusher
from core.engine.hardware import compute_exactly
from core.engine.lanes import open_clock, open_lanes
from core.engine.lifeline import hold_on
from core.engine.modules import Batch
from core.engine.prepare import Prepared, prepare
from core.engine.rank_timer import RankTimer, Timed
from core.engine.run_lanes import batches_of
from core.engine.verify import compare, reference, save_gradients
from core.engine.workload import (
    Workload,
    build_workload,
    full_names,
    make_optimizer,
    verification_notes,
)
from core.plan.lanes import Gpu, Hardware
from core.plan.specification import Specification, job_of
from core.plan.strategy import Buckets
from core.plan.task import Kind, Plan, Task
from core.trace.writer import Opening, TaskColumns, Timings, TraceWriter

TIMEOUT = timedelta(minutes=5)
BUCKETS_LEVEL = "buckets"
FAILED_LEVEL = "failed"


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
        values = json.loads(text)
        hardware = values.pop("hardware")
        gpus = tuple(Gpu(**gpu) for gpu in hardware.pop("gpus"))
        specification = Specification.from_dict(values.pop("specification"))
        return cls(**values, specification=specification, hardware=Hardware(**hardware, gpus=gpus))


class Rank:
    """Builds the model, joins the group, and runs every step."""

    def __init__(self, settings: RankSettings, prepared: Prepared, writer: TraceWriter) -> None:
        self._settings, self._prepared, self._writer = settings, prepared, writer
        self._workload: Workload = prepared.workload or build_workload(prepared.specification)
        lane = prepared.lanes[settings.rank]
        self._lane = open_lanes((lane,))[0]
        self._clock = open_clock(lane.device)
        self._plan: Plan = prepared.plan_list[0]
        self._columns = TaskColumns(self._plan.tasks)
        self._buckets: Buckets | None = None
        self._index = 0

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
            self._build()
            self._writer.opened = self._openings
            if self._settings.rank == 0 and self._prepared.specification.verify:
                for text in verification_notes(self._workload):
                    self._writer.log("warning", text)
            rows = self._prepared.specification.all_rows
            for index, batch in enumerate(batches_of(self._prepared, self._workload)):
                self._step(index, rows[index], batch)
            dist.destroy_process_group()

    def _build(self) -> None:
        # The timer's hooks must not be on the blocks that the plain step is made from.
        blocks = copy.deepcopy(self._workload.blocks)
        self._model = nn.Sequential(*blocks).to(self._lane.device)
        self._parameters = full_names(list(self._model))
        cap = self._prepared.specification.bucket_mb
        caps: dict[str, Any] = {} if cap is None else {"bucket_cap_mb": cap}
        self._ddp = DistributedDataParallel(self._model, **caps)
        self._optimizer = make_optimizer(
            self._prepared.specification, list(self._parameters.values())
        )
        self._timer = RankTimer(self._lane, self._model, self._settings.backend, self._tell)
        self._ddp.register_comm_hook(self._settings.world, self._timer.bucket_hook)
        trained = [p for p in self._parameters.values() if p.requires_grad]
        self._gradient_bytes = sum(p.nbytes for p in trained)
        self._tell("parameters", sum(p.nbytes for p in self._parameters.values()))

    def _step(self, index: int, rows: int, batch: Batch) -> None:
        specification, rank = self._prepared.specification, self._settings.rank
        checks = rank == 0 and (specification.verify or specification.gradients is not None)
        part = self._prepared.plans[rows].parts[rank]
        mine = slice(part.start, part.start + part.rows)
        x, target = (tensor[mine].clone().to(self._lane.device) for tensor in batch)
        before = {n: p.detach().clone() for n, p in self._parameters.items()} if checks else {}
        self._ddp.zero_grad(set_to_none=True)
        self._expect(index, rows)
        self._tell("gradients", 0)
        dist.barrier()  # steps begin together, as they do on lanes
        self._clock.begin()
        share = part.rows * self._settings.world / rows
        loss = self._compute(x, target, share)
        uncertainty = self._clock.end()
        shapes = self._timer.now.shapes
        self._record(uncertainty)
        if self._optimizer is not None:
            self._tell("optimizer", memory.optimizer_bytes(self._optimizer))
        self._log_sizes(batch, shapes)
        dist.all_reduce(loss)
        self._judge(index, batch, before, loss.item() / self._settings.world)
        self._writer.flush()

    def _compute(self, x: Tensor, target: Tensor, share: float) -> Tensor:
        """One step, timed. `share` weights the rank's mean so that DDP's average is the batch's."""
        self._timer.begin(len(x))
        output = self._ddp(x)
        timed = self._timer.start(Kind.LOSS)
        # A rank without rows takes part in the collectives with gradients of zero.
        loss = self._workload.loss(output, target) * share if len(x) else output.sum() * 0
        loss.backward()
        self._timer.stop(timed)
        self._tell("gradients", self._gradient_bytes)
        timed = self._timer.start(Kind.STEP)
        if self._optimizer is not None:
            self._optimizer.step()
        self._timer.stop(timed)
        return loss.detach()

    def _expect(self, index: int, rows: int) -> None:
        """The plan of the coming step, with the buckets that torch last reported."""
        self._index = index
        plan = self._prepared.plans[rows]
        if self._buckets is not None:
            plan = self._complete(rows, self._buckets)
        if plan.rows != self._plan.rows or self._plan is not plan:
            self._plan, self._columns = plan, TaskColumns(plan.tasks)

    def _complete(self, rows: int, buckets: Buckets) -> Plan:
        complete = self._prepared.strategy.complete
        assert complete is not None
        job = job_of(
            self._prepared.specification, self._prepared.model, list(self._prepared.lanes), rows
        )
        return complete(job, buckets)

    def _record(self, uncertainty: int) -> None:
        """Match what happened to the plan's tasks and write it. Raises KeyError if it cannot."""
        happened = self._timer.now
        buckets = tuple(timed.names for timed in happened.buckets)
        if buckets != self._buckets:
            self._buckets = buckets
            self._plan = self._complete(self._plan.rows, buckets)
            self._columns = TaskColumns(self._plan.tasks)
            text = json.dumps({"rows": self._plan.rows, "buckets": buckets})
            self._writer.log(BUCKETS_LEVEL, text, self._index)
            self._writer.flush()  # before the spans that are matched to it
        self._writer.clock(self._lane.lane.device, self._index, uncertainty)
        done = 0
        rows = [(timed, self._clock.time(timed.start)) for timed in happened.compute]
        for timed in sorted(happened.buckets, key=lambda timed: self._clock.time(timed.end)):
            # A communication lane works in order: a bucket launched while another is under way
            # waits for it.
            start = max(self._clock.time(timed.launched), self._clock.time(timed.start), done)
            done = max(start, self._clock.time(timed.end))
            rows.append((timed, start))
        self._writer.spans(self._columns, self._timings(rows))
        self._lane.recycle(self._timer.marks())

    def _timings(self, rows: list[tuple[Timed, int]]) -> Timings:
        """What happened, each with its start, as spans of this rank's tasks."""
        tasks, clock = self._own_tasks(), self._clock
        return Timings(
            self._index,
            [tasks[timed.kind, timed.number].index for timed, _ in rows],
            [start for _, start in rows],
            [max(start, clock.time(timed.end)) for timed, start in rows],
            [clock.time(t.start) if t.kind is Kind.ALL_REDUCE else None for t, _ in rows],
            [None if t.launched is None else clock.time(t.launched) for t, _ in rows],
        )

    def _own_tasks(self) -> dict[tuple[Kind, int], Task]:
        """This rank's tasks by kind and block or bucket."""
        found = {}
        for task in self._plan.tasks:
            if task.replica == self._settings.rank:
                number = task.block if task.bucket is None else task.bucket
                found[task.kind, -1 if number is None else number] = task
        return found

    def _openings(self) -> list[tuple[TaskColumns, Opening]]:
        """The block, loss or step that is under way, for the flusher's thread."""
        timed = self._timer.open_now()
        task = None if timed is None else self._own_tasks().get((timed.kind, timed.number))
        if timed is None or task is None:
            return []
        return [(self._columns, Opening(self._index, task.index, self._clock.time(timed.start)))]

    def _judge(self, index: int, batch: Batch, before: dict[str, Tensor], loss: float) -> None:
        """Rank 0 says what the loss was and, if asked, how far it is from the plain step."""
        if self._settings.rank != 0:
            return
        specification = self._prepared.specification
        self._writer.counter("loss", loss, step=index)
        gradients = {
            name: torch.zeros_like(p) if p.grad is None else p.grad
            for name, p in self._parameters.items()
        }
        if specification.verify:
            wanted = reference(self._workload, before, batch, self._plan.parts)
            errors = compare(loss, gradients, wanted)
            self._writer.counter("gradient_error", errors.gradient, step=index)
            self._writer.counter("loss_error", errors.loss, step=index)
        last = index == len(specification.all_rows) - 1
        if last and specification.gradients is not None:
            save_gradients(specification.gradients, batch, before, gradients)

    def _log_sizes(self, batch: Batch, shapes: list[tuple[list[int], list[int]]]) -> None:
        entered, left = shapes[0][0], shapes[-1][1]
        self._writer.log("size", f"In Model: input size {entered} output size {left}", self._index)
        if self._settings.rank == 0:
            whole = [len(batch[0]), *left[1:]]
            sizes = f"input size {list(batch[0].shape)} output_size {whole}"
            self._writer.log("size", f"Outside: {sizes}", self._index)

    def _tell(self, name: str, value: float) -> None:
        self._writer.counter(name, value, self._settings.rank, self._index)


def main() -> None:
    """Run on the descriptors that the engine passed."""
    wire, lifeline = map(int, sys.argv[1:3])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hold_on(lifeline)
    os.dup2(2, 1)  # what a user's model prints
    compute_exactly()
    settings = RankSettings.from_json(sys.argv[3])
    prepared = prepare(settings.specification, settings.hardware)
    header = prepared.header.since(settings.origin_ns)
    with os.fdopen(wire, "wb", buffering=0) as sink:
        writer = TraceWriter(pa.PythonFile(sink, "w"), header)
        try:
            with Flusher(writer):
                Rank(settings, prepared, writer).run()
        except Exception as error:
            writer.log("error", f"rank {settings.rank}: {traceback.format_exc()}")
            writer.log(FAILED_LEVEL, explain(error))
            writer.close()
            os._exit(1)  # not through destructors that may wait for other ranks
        writer.close()


if __name__ == "__main__":
    main()
