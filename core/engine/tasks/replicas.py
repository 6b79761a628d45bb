"""The model on its lanes: every stage (or shard of a stage) of every replica."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable

import torch
from torch import Tensor, nn

from core.engine.lanes.memory import optimizer_bytes
from core.engine.models.shards import LaneBlocks, build_lane_blocks, join
from core.engine.models.stage_module import StageModule
from core.engine.models.workload import gradients_of
from core.engine.prepare import Prepared
from core.plan.division import Placement, Stage
from core.plan.task import StagePlace, Task

Parameters = dict[str, nn.Parameter]
TensorsOf = Callable[[Parameters], dict[str, Tensor]]


def clones_of(parameters: Parameters) -> dict[str, Tensor]:
    """Return copies of parameters, by name."""
    return {name: parameter.detach().clone() for name, parameter in parameters.items()}


class ModelReplicas:
    """The modules of a job's plans by (replica, stage, shard), each on its lane's device.

    `parameter_bytes` has the bytes of the parameters on each lane that has any.
    """

    def __init__(self, prepared: Prepared) -> None:
        assert prepared.workload is not None
        plans = prepared.plan_list
        whole = prepared.workload.blocks
        self.devices = [torch.device(lane.runs_on) for lane in plans[0].lanes]
        self.stages: dict[StagePlace, StageModule] = {}
        # Plans for other numbers of rows place the same stages, but the plan for a smaller last
        # batch may lack a replica.
        # A dict, because it keeps the order.
        placements: dict[Placement, None] = {}
        for plan in plans:
            placements.update(dict.fromkeys(plan.placements))
        for placement in placements:
            stage = plans[0].stages[placement.stage]
            device = self.devices[placement.lane]
            blocks = _blocks_of(whole, stage, placement.shard, device)
            place = StagePlace(placement.replica, stage.index, placement.shard)
            module = StageModule(placement, stage, blocks, prepared.specification)
            self.stages[place] = module
        self.parameter_bytes: Counter[int] = Counter()
        for module in self.stages.values():
            size = sum(parameter.nbytes for parameter in module.parameters.values())
            self.parameter_bytes[module.lane] += size

    def of(self, replica: int | None, task: Task) -> StageModule:
        """Return the module of a replica for the stage and shard of a task."""
        place = task.place._replace(replica=replica or 0)
        return self.stages[place]

    def clear_gradients(self) -> None:
        """Remove the last step's gradients."""
        for stage in self.stages.values():
            stage.clear_gradients()

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """All optimizers of the model."""
        found: list[torch.optim.Optimizer] = []
        for stage in self.stages.values():
            if stage.optimizer is not None:
                found.append(stage.optimizer)
        return found

    def keep_parameters(self) -> None:
        """Set all learning rates to zero, so that the optimizers change nothing."""
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = 0.0

    def optimizer_bytes(self, lane: int) -> int:
        """Return the bytes of the optimizers' state on a lane."""
        total = 0
        for stage in self.stages.values():
            if stage.lane == lane and stage.optimizer is not None:
                total += optimizer_bytes(stage.optimizer)
        return total

    def gradients(self) -> list[dict[str, Tensor]]:
        """Return the step's gradients by full parameter name, for every replica that is stepped."""
        return self._whole(gradients_of)

    def parameters(self) -> list[dict[str, Tensor]]:
        """Return copies of the parameters by full name, for every replica that is stepped."""
        return self._whole(clones_of)

    def _whole(self, tensors_of: TensorsOf) -> list[dict[str, Tensor]]:
        """Return tensors of all parameters, for every replica that is stepped.

        Such a replica has all stages. The tensors of a stage's shards are joined.
        """
        shards: dict[tuple[int, int], list[StageModule]] = defaultdict(list)
        for place in sorted(self.stages):
            module = self.stages[place]
            if module.owner:
                shards[place.replica, place.stage].append(module)
        owned: dict[int, dict[str, Tensor]] = defaultdict(dict)
        for (replica, _), modules in shards.items():
            slices = [module.slices for module in modules]
            tensors = [tensors_of(module.parameters) for module in modules]
            owned[replica].update(join(slices, tensors))
        return list(owned.values())


def _blocks_of(
    whole: list[nn.Module], stage: Stage, shard: int, device: torch.device
) -> list[nn.Module] | LaneBlocks:
    """Return copies on a device of a stage's blocks, or a shard of them if it is divided."""
    if stage.shares:
        return build_lane_blocks(whole, stage.index, shard, stage.shards).to(device)
    # Copies of the list and not of each block: parameters that are tied within a stage stay tied.
    copies = copy.deepcopy(whole[stage.first : stage.last])
    return [block.to(device) for block in copies]
