"""The model on its lanes: every stage (or shard of one) of every replica."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable

import torch
from torch import Tensor, nn

from core.engine.lanes.memory import optimizer_bytes
from core.engine.models.shards import LaneBlocks, join, lane_blocks
from core.engine.models.stage_module import StageModule
from core.engine.models.workload import gradients_of
from core.engine.prepare import Prepared
from core.plan.task import Task

Parameters = dict[str, nn.Parameter]
TensorsOf = Callable[[Parameters], dict[str, Tensor]]


def clones_of(parameters: Parameters) -> dict[str, Tensor]:
    """Copies of parameters, by name."""
    return {name: parameter.detach().clone() for name, parameter in parameters.items()}


class Replicas:
    """The modules of a job's plans by replica, stage and shard, each on its lane's device.

    `parameter_bytes` holds the bytes of the parameters on each lane that has any.
    """

    def __init__(self, prepared: Prepared) -> None:
        assert prepared.workload is not None
        plans, whole = prepared.plan_list, prepared.workload.blocks
        self.devices = [torch.device(lane.runs_on) for lane in plans[0].lanes]
        self.stages: dict[tuple[int, int, int], StageModule] = {}
        # Plans for other numbers of rows place the same stages; a smaller
        # last batch may lack a replica.
        for placement in dict.fromkeys(p for plan in plans for p in plan.placements):
            stage, device = plans[0].stages[placement.stage], self.devices[placement.lane]
            blocks: list[nn.Module] | LaneBlocks
            if stage.shares:
                blocks = lane_blocks(whole, stage.index, placement.shard, stage.shards).to(device)
            else:
                # The list is copied, not each block: parameters tied within a stage stay tied.
                blocks = [b.to(device) for b in copy.deepcopy(whole[stage.first : stage.last])]
            self.stages[placement.replica, stage.index, placement.shard] = StageModule(
                placement, stage, blocks, prepared.specification
            )
        self.parameter_bytes: Counter[int] = Counter()
        for module in self.stages.values():
            self.parameter_bytes[module.lane] += sum(p.nbytes for p in module.parameters.values())

    def of(self, replica: int | None, task: Task) -> StageModule:
        """The task's shard of its stage, of a replica."""
        return self.stages[replica or 0, task.stage or 0, task.shard or 0]

    def clear_gradients(self) -> None:
        """Forget the last step's gradients."""
        for stage in self.stages.values():
            stage.clear_gradients()

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """All that there are."""
        optimizers = (stage.optimizer for stage in self.stages.values())
        return [optimizer for optimizer in optimizers if optimizer is not None]

    def keep_parameters(self) -> None:
        """Let steps of the optimizers change nothing: many in a row would lead nowhere."""
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = 0.0

    def optimizer_bytes(self, lane: int) -> int:
        """Bytes of the optimizer's state on a lane."""
        optimizers = (stage.optimizer for stage in self.stages.values() if stage.lane == lane)
        return sum(optimizer_bytes(o) for o in optimizers if o is not None)

    def gradients(self) -> list[dict[str, Tensor]]:
        """The step's gradients by full parameter name, of every replica that is stepped."""
        return self._whole(gradients_of)

    def parameters(self) -> list[dict[str, Tensor]]:
        """Clones of the parameters by full name, of every replica that is stepped."""
        return self._whole(clones_of)

    def _whole(self, tensors_of: TensorsOf) -> list[dict[str, Tensor]]:
        """Tensors of the parameters of every replica that is stepped, which has all stages.

        Those of a stage's shards are joined.
        """
        shards: dict[tuple[int, int], list[StageModule]] = defaultdict(list)
        for (replica, stage, _), module in sorted(self.stages.items(), key=lambda item: item[0]):
            if module.owner:
                shards[replica, stage].append(module)
        owned: dict[int, dict[str, Tensor]] = defaultdict(dict)
        for (replica, _), modules in shards.items():
            tensors = [tensors_of(module.parameters) for module in modules]
            owned[replica].update(join([module.cuts for module in modules], tensors))
        return list(owned.values())
