"""A rank's process under torchrun: builds the job, runs it on torch's engine, and records it.

    torchrun ... -m core.engine.torchrun.start SETTINGS          (LaunchSettings as JSON)

`record` makes the recording, as for any training job. The recorder counts its first step as
warm-up, so the warm-up steps before the last one are not recorded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

import torch
import torch.distributed as dist

from core.engine.failures import error_line
from core.engine.hardware import (
    COLLECTIVE_TIMEOUT,
    compute_exactly,
    group_device,
    rank_backend,
)
from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, build_workload, check_ties
from core.engine.rank_models.model import rank_model
from core.engine.torchrun.engines import ENGINES, Named, TorchEngine
from core.engine.torchrun.launch import LaunchSettings, job_title
from core.engine.verify import plain_step, step_errors
from core.machine import host_hardware
from core.models.description import ModelDescription
from core.plan.devices import HOST, device_kind
from core.plan.launching import check_plans
from core.plan.plan import Lane, Plan
from core.plan.planning import plan_run
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.process.lifeline import exit_with_parent
from core.recorder.rank_writer import WARMUP
from core.recorder.session import record
from core.typed import typed


class LaunchedRank:
    """The job of one rank. torchrun has set its number and the number of ranks."""

    def __init__(self, settings: LaunchSettings) -> None:
        self._settings = settings
        compute_exactly()
        planned = plan_run(settings.specification, host_hardware(), self._build, present=False)
        self._specification = planned.specification
        self._plans = planned.plans
        # Not checked earlier: the user's own model must be built before it can be planned.
        check_plans(self._specification, self._plans.values())
        lanes = planned.lanes
        self._device = _device(lanes, settings.nodes)
        # Each host has an equal part of the lanes.
        shared = host_hardware().cores * settings.nodes // len(lanes)
        torch.set_num_threads(self._specification.cores_per_lane or max(1, shared))
        first = next(iter(self._plans.values()))
        strategy = STRATEGIES[self._specification.strategy]
        if strategy.on_ranks:
            rank_model(strategy).check(self._workload)
        # Checked before the process group is joined, so that no rank waits in a collective for
        # ranks that have refused the model.
        check_ties(self._workload, first.stages)
        backend = rank_backend(lanes)
        dist.init_process_group(
            backend,
            timeout=COLLECTIVE_TIMEOUT,
            device_id=group_device(backend, self._device),
        )
        kind = ENGINES[strategy.torch_engine]
        self._engine: TorchEngine = kind(self._specification, self._workload, first, self._device)

    def _build(self, specification: Specification) -> ModelDescription:
        """Build the model and its batches; return the model's description."""
        self._workload: Workload = build_workload(specification)
        return self._workload.description

    def run(self) -> None:
        """Run all steps; return when every rank's recording is complete."""
        specification = self._specification
        engine = self._engine
        # The recorder's first step is the last warm-up step; the others run before it begins.
        before = specification.warmup - 1
        batches = self._workload.batches(specification)
        for batch in batches[:before]:
            engine.step(batch, self._plans[len(batch[0])])
        name = job_title(specification, self._workload.description.name)
        header = {
            "model": {"name": name, "blocks": [], "input_bytes": 0},
            # The error allowed in a verified step depends on the number type.
            "specification": {"warmup": WARMUP, "model": {"dtype": specification.model.dtype}},
        }
        with record(engine.model, engine.optimizer, self._settings.out, header=header) as run:
            for batch in batches[before:]:
                self._step(batch, run)
        dist.barrier()
        dist.destroy_process_group()

    def _step(self, batch: Batch, run: record) -> None:
        engine = self._engine
        plan = self._plans[len(batch[0])]
        if not self._specification.verify:
            engine.step(batch, plan)
            return
        # Verification does not belong to the recorded step.
        with run.paused():
            before = _gathered(engine.whole_parameters())
        loss = engine.step(batch, plan)
        with run.paused():
            losses = _gathered({"loss": loss.cpu()})  # 0 in ranks without the last stage
            gradients = _gathered(engine.whole_gradients())
            if engine.rank == 0:
                whole = sum(part["loss"].item() for part in losses)
                self._judge(
                    batch=batch,
                    plan=plan,
                    before=before,
                    gradients=gradients,
                    loss=whole,
                    run=run,
                )

    def _judge(
        self,
        batch: Batch,
        plan: Plan,
        before: list[Named],
        gradients: list[Named],
        loss: float,
        run: record,
    ) -> None:
        """Compare a step with a plain step, and record its loss and errors."""
        parameters = self._engine.copies(before)[0]
        wanted = plain_step(self._workload, parameters, batch, plan.parts)
        found = [step_errors(loss, own, wanted) for own in self._engine.copies(gradients)]
        run.tell("loss", loss)
        run.tell("gradient_error", max(errors.gradient for errors in found))
        run.tell("loss_error", max(errors.loss for errors in found))


def _gathered(named: Named) -> list[Named]:
    """Return every rank's tensors on rank 0, and [] on the others.

    It returns on all ranks at once, so that they begin the next step together.
    """
    found: list[Named] = []
    if dist.get_rank() == 0:
        found = [Named() for _ in range(dist.get_world_size())]
    dist.gather_object(named, found or None)
    dist.barrier()
    return found


def _device(lanes: Sequence[Lane], nodes: int) -> torch.device:
    """Return the lane's device; on several hosts, the one with this process's local number."""
    name = lanes[int(os.environ["RANK"])].device
    kind = device_kind(name)
    if nodes > 1 and kind.several:
        name = kind.device(int(os.environ["LOCAL_RANK"]))
    device = torch.device(name)
    if kind is not HOST:
        torch.accelerator.set_device_index(device)
    return device


def run_launched_rank() -> int:
    """Run until the last step or the launcher's end. An error is printed in one line."""
    settings = typed(LaunchSettings, json.loads(sys.argv[1]))
    # Opened by its path, because torchrun does not pass descriptors on to its processes.
    exit_with_parent(os.open(settings.lifeline, os.O_RDONLY | os.O_NONBLOCK))
    try:
        LaunchedRank(settings).run()
    except Exception as error:
        rank = os.environ["RANK"]
        # One write for the whole line, because other ranks write to the same pipe.
        os.write(2, f"bubblescope: rank {rank}: {error_line(error)}\n".encode())
        return 1
    return 0
