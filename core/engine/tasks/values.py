"""The state of a step: tensors that its tasks hand to each other, by name, and what they weigh."""

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


class Key(NamedTuple):
    """The name of a value. `reader` is the shard that a partial one is for."""

    what: str
    replica: int = 0
    stage: int = 0
    microbatch: int = 0
    shard: int = 0
    reader: int = 0

    @classmethod
    def of(cls, what: str, part: Part, stage: int, shard: int = 0, reader: int = 0) -> Key:
        """The name of a micro-batch's value."""
        return cls(what, part.replica, stage, part.microbatch, shard, reader)

    @classmethod
    def own(cls, what: str, part: Part, task: Task) -> Key:
        """The name of a micro-batch's value at the stage and shard of a task."""
        return cls.of(what, part, task.stage or 0, task.shard or 0)


class ValueStore:
    """The values of one step of a plan. `ledgers` say what each lane holds of them.

    A value is put by one task and taken out by the one that reads it, each with the lane on which
    it lies, so that a tensor lives no longer than its last use.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._values: dict[Key, Tensor] = {}
        self.ledgers = [Ledger() for _ in plan.lanes]

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __getitem__(self, key: Key) -> Tensor:
        return self._values[key]

    def put(self, key: Key, lane: int, value: Tensor) -> None:
        """Keep a value that lies on a lane."""
        self._values[key] = value
        self.ledgers[lane].hold(value)

    def take(self, key: Key, lane: int) -> Tensor:
        """Give a value away. Raises KeyError if it was not put."""
        value = self._values.pop(key)
        self.ledgers[lane].drop(value)
        return value

    def take_parts(
        self, what: str, parts: Iterable[Part], stage: int, source: int, shard: int = 0
    ) -> list[Tensor]:
        """Values of a stage that lie on the lanes of a shard of the stage `source`."""
        return [
            self.take(
                Key.of(what, part, stage, shard), self.plan.lane_of(part.replica, source, shard)
            )
            for part in parts
        ]

    def take_outputs(self, parts: Iterable[Part], shard: int = 0) -> list[Tensor]:
        """What has left the last stage."""
        stages = len(self.plan.stages)
        return self.take_parts("activation", parts, stages, stages - 1, shard)

    def leave(self, what: str, part: Part, stage: int, task: Task, value: Tensor) -> None:
        """Put what a task has made for `stage`; of a divided stage each shard will read its part.

        Such a part is named once for each shard that reads it.
        """
        shard, shards = task.shard or 0, self.plan.stages[task.stage or 0].shards
        if shards == 1:
            self.put(Key.of(what, part, stage, shard), task.lane, value)
            return
        # Each reader takes, and so removes, a value of its own name; the tensor is the same.
        for reader in range(shards):
            self.put(Key.of(f"partial {what}", part, stage, shard, reader), task.lane, value)

    def activations(self, lane: int) -> int:
        """Bytes of the activations that a lane holds now."""
        ledger = self.ledgers[lane]
        return ledger.bytes + ledger.saved


@dataclass
class Step:
    """The state of the step that is being run.

    `inputs` has for each lane on which the batch enters its first row there, and the rows.
    """

    index: int
    plan: Plan
    inputs: dict[int, tuple[int, Tensor]]
    targets: dict[torch.device, Tensor]
    batch_shape: torch.Size
    values: ValueStore
    weight_passes: dict[Key, tuple[WeightPass, list[Tensor]]] = field(default_factory=dict)
    losses: list[Tensor] = field(default_factory=list)
    shapes: dict[int, tuple[torch.Size, torch.Size]] = field(default_factory=dict)
    output_shape: list[int] = field(default_factory=list)
