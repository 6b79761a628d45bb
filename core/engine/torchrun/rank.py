"""A process of torchrun's: builds the job, runs it on torch's engine, and records it.

    torchrun ... -m core.engine.torchrun.rank SETTINGS          (LaunchSettings as JSON)

The recording is anyone's: what `record` makes of a training job. Steps before the last warm-up step
are not recorded; the recorder counts its first step as warm-up.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

import torch
import torch.distributed as dist

from core.engine.failures import explain
from core.engine.hardware import MEETING_TIMEOUT, compute_exactly, meeting_place
from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, build_workload, check_ties
from core.engine.rank_models.model import rank_model
from core.engine.torchrun.engines import ENGINES, TorchEngine
from core.engine.torchrun.launch import LaunchSettings, title_of
from core.engine.verify import compare, reference
from core.machine import host
from core.models.description import ModelDescription
from core.plan.devices import HOST, kind_of
from core.plan.plan import Lane, Plan
from core.plan.planning import plan_run
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.process.lifeline import exit_with_parent
from core.recorder.rank_stream import WARMUP
from core.recorder.session import record
from core.typed import typed


class LaunchedRank:
    """The job of one rank, of which torchrun has set number and world."""

    def __init__(self, settings: LaunchSettings) -> None:
        self._settings = settings
        compute_exactly()
        planned = plan_run(settings.specification, host(), self._build, present=False)
        self._specification, self._plans = planned.specification, planned.plans
        lanes = planned.lanes
        self._device = _device(lanes, settings.nodes)
        # Each host has its own cores, and an equal part of the lanes.
        shared = host().cores * settings.nodes // len(lanes)
        torch.set_num_threads(self._specification.cores_per_lane or max(1, shared))
        first = next(iter(self._plans.values()))
        strategy = STRATEGIES[self._specification.strategy]
        if strategy.on_ranks:
            rank_model(strategy).check(self._workload)
        # Before the process group is joined: what all ranks refuse alike then ends each at once,
        # and none waits in a collective for the others.
        check_ties(self._workload, first.stages)
        dist.init_process_group(meeting_place(lanes), timeout=MEETING_TIMEOUT)
        kind = ENGINES[strategy.torch_engine]
        self._engine: TorchEngine = kind(self._specification, self._workload, first, self._device)

    def _build(self, specification: Specification) -> ModelDescription:
        """Build the model and its batches; returns the model's description."""
        self._workload: Workload = build_workload(specification)
        return self._workload.description

    def run(self) -> None:
        """Run all steps; returns when every rank's recording is whole."""
        specification, engine = self._specification, self._engine
        # The recorder takes its first step for warm-up and measures from the second: so all but the
        # last warm-up step run before it begins.
        before = specification.warmup - 1
        batches = self._workload.batches(specification)
        for batch in batches[:before]:
            engine.step(batch, self._plans[len(batch[0])])
        name = title_of(specification, self._workload.description.name)
        about = {
            "model": {"name": name, "blocks": [], "input_bytes": 0},
            # How far off a verified step may be is a matter of its numbers' type.
            "specification": {"warmup": WARMUP, "model": {"dtype": specification.model.dtype}},
        }
        with record(engine.model, engine.optimizer, self._settings.out, header=about) as run:
            for batch in batches[before:]:
                self._step(batch, run)
        dist.barrier()
        dist.destroy_process_group()

    def _step(self, batch: Batch, run: record) -> None:
        engine, plan = self._engine, self._plans[len(batch[0])]
        if not self._specification.verify:
            engine.step(batch, plan)
            return
        # What verifying costs is no part of the step that is recorded.
        with run.paused():
            before = _gathered(engine.whole_parameters())
        loss = engine.step(batch, plan)
        with run.paused():
            losses = _gathered({"loss": loss.cpu()})  # which of a pipeline the last stage alone has
            gradients = _gathered(engine.whole_gradients())
            if engine.rank == 0:
                whole = sum(part["loss"].item() for part in losses)
                self._judge(batch, plan, before, gradients, whole, run)

    def _judge(
        self, batch: Batch, plan: Plan, before: list[dict[str, torch.Tensor]],
        gradients: list[dict[str, torch.Tensor]], loss: float, run: record,
    ) -> None:  # fmt: skip
        """Compare a step with the plain one, and record loss and errors."""
        parameters = self._engine.copies(before)[0]
        wanted = reference(self._workload, parameters, batch, plan.parts)
        found = [compare(loss, own, wanted) for own in self._engine.copies(gradients)]
        run.tell("loss", loss)
        run.tell("gradient_error", max(errors.gradient for errors in found))
        run.tell("loss_error", max(errors.loss for errors in found))


def _gathered(named: dict[str, torch.Tensor]) -> list[dict[str, torch.Tensor]]:
    """What every rank has, on rank 0; returns on all at once, so that none begins before it."""
    found = [dict[str, torch.Tensor]()] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object(named, found)
    dist.barrier()
    return found or []


def _device(lanes: Sequence[Lane], nodes: int) -> torch.device:
    """The lane's own; over several hosts the one of this process's number on its host."""
    rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    kind = kind_of(lanes[rank].device)
    name = lanes[rank].device if nodes == 1 or not kind.several else kind.device(local)
    device = torch.device(name)
    if kind is not HOST:
        torch.accelerator.set_device_index(device)
    return device


def main() -> int:
    """Run until the last step or the launcher's end; an error is printed in one line."""
    settings = typed(LaunchSettings, json.loads(sys.argv[1]))
    # By a path and not by an inherited descriptor: torchrun stands between, and passes none on.
    exit_with_parent(os.open(settings.lifeline, os.O_RDONLY | os.O_NONBLOCK))
    try:
        LaunchedRank(settings).run()
    except Exception as error:
        rank = os.environ["RANK"]
        # In one piece, newline and all: other ranks write into the same pipe.
        os.write(2, f"bubblescope: rank {rank}: {explain(error)}\n".encode())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
