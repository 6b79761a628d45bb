"""The state of a step: tensors that its tasks pass to each other by name, and their sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from core.engine.lanes.memory import Ledger
from core.engine.models.split_backward import WeightPass
from core.plan.division import Part
from core.plan.plan import Plan
from core.plan.task import Task


class ValueKey(NamedTuple):
    """The name of a value. `reader` is the shard that reads a partial value."""

    kind: str
    replica: int = 0
    stage: int = 0
    microbatch: int = 0
    shard: int = 0
    reader: int = 0

    @classmethod
    def of(cls, kind: str, part: Part, stage: int, shard: int = 0, reader: int = 0) -> ValueKey:
        """Return the name of a micro-batch's value."""
        return cls(kind, part.replica, stage, part.microbatch, shard, reader)

    @classmethod
    def of_task(cls, kind: str, part: Part, task: Task) -> ValueKey:
        """Return the name of a micro-batch's value at the stage and shard of a task."""
        place = task.place
        return cls.of(kind, part, place.stage, place.shard)


class ValueStore:
    """The values of one step of a plan. `ledgers` count the bytes that each lane holds.

    One task puts a value, and the task that reads it takes it out. Both name the lane that holds
    the value. So a tensor lives no longer than its last use.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._values: dict[ValueKey, Tensor] = {}
        self.ledgers = [Ledger() for _ in plan.lanes]

    def __contains__(self, key: ValueKey) -> bool:
        return key in self._values

    def __getitem__(self, key: ValueKey) -> Tensor:
        return self._values[key]

    def put(self, key: ValueKey, lane: int, value: Tensor) -> None:
        """Store a value that is on a lane."""
        self._values[key] = value
        self.ledgers[lane].hold(value)

    def take(self, key: ValueKey, lane: int) -> Tensor:
        """Remove and return a value. Raises KeyError if it is not stored."""
        value = self._values.pop(key)
        self.ledgers[lane].drop(value)
        return value

    def take_parts(
        self, kind: str, parts: Iterable[Part], stage: int, source: int, shard: int = 0
    ) -> list[Tensor]:
        """Take the values of several parts for a stage, from the lanes of the stage `source`."""
        taken = []
        for part in parts:
            lane = self.plan.lane_of(part.replica, source, shard)
            key = ValueKey.of(kind, part, stage, shard)
            taken.append(self.take(key, lane))
        return taken

    def take_outputs(self, parts: Iterable[Part], shard: int = 0) -> list[Tensor]:
        """Take the outputs of the last stage."""
        stages = len(self.plan.stages)
        return self.take_parts("activation", parts, stages, stages - 1, shard)

    def put_result(self, kind: str, part: Part, stage: int, task: Task, value: Tensor) -> None:
        """Put a task's result for another stage.

        The result of one of several shards is partial. All shards read it, so it is put once for
        each of them.
        """
        own = task.place
        shard = own.shard
        shards = self.plan.stages[own.stage].shards
        if shards == 1:
            key = ValueKey.of(kind, part, stage, shard)
            self.put(key, task.lane, value)
            return
        # Each reader takes, and so removes, a separate name of the same tensor.
        for reader in range(shards):
            key = ValueKey.of(f"partial {kind}", part, stage, shard, reader)
            self.put(key, task.lane, value)

    def activations(self, lane: int) -> int:
        """Return the bytes of the activations that a lane holds now."""
        ledger = self.ledgers[lane]
        return ledger.bytes + ledger.saved


@dataclass
class StepState:
    """The state of the current step.

    `inputs` maps each lane on which rows of the batch enter to (first row, these rows).
    """

    index: int
    plan: Plan
    inputs: dict[int, tuple[int, Tensor]]
    targets: dict[torch.device, Tensor]
    batch_shape: torch.Size
    values: ValueStore
    weight_passes: dict[ValueKey, tuple[WeightPass, list[Tensor]]] = field(default_factory=dict)
    losses: list[Tensor] = field(default_factory=list)
    shapes: dict[int, tuple[torch.Size, torch.Size]] = field(default_factory=dict)
    output_shape: list[int] = field(default_factory=list)
