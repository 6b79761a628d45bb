"""Rules of a board: its lanes, stages and micro-batches, and the durations of passes."""

from __future__ import annotations

from dataclasses import dataclass

from core.plan.schedules.schedule import (
    Action,
    action,
    loop_placement,
    vee_placement,
)
from core.plan.task import Kind

UNIT_FORWARD = 1
UNIT_BACKWARD = 2
MOST_LANES = 8
MOST_MICROBATCHES = 16
MOST_CHUNKS = 2


@dataclass(frozen=True, slots=True)
class PassTimes:
    """Times of the passes of each stage, tuples with an entry for each stage, in one unit.

    `copy` is the time from the end of a pass to the start of a pass that needs its result on
    another lane. The unit is ns if `measured`; otherwise it is the time of a forward pass.
    """

    forward: tuple[float, ...]
    backward: tuple[float, ...]
    backward_input: tuple[float, ...]
    backward_weight: tuple[float, ...]
    copy: float = 0
    measured: bool = False

    @classmethod
    def units(cls, stages: int) -> PassTimes:
        """Return unit times: a forward and each part of a backward take 1, a whole backward 2."""
        one = (UNIT_FORWARD,) * stages
        return cls(
            forward=one,
            backward=(UNIT_BACKWARD,) * stages,
            backward_input=one,
            backward_weight=one,
        )

    def of(self, one: Action) -> float:
        """Return the time of a pass."""
        by_stage = {
            Kind.FORWARD: self.forward,
            Kind.BACKWARD: self.backward,
            Kind.BACKWARD_INPUT: self.backward_input,
            Kind.BACKWARD_WEIGHT: self.backward_weight,
        }
        return by_stage[one.kind][one.stage]


@dataclass(frozen=True, slots=True)
class BoardRules:
    """The pipeline that a board describes, its times and its memory limit.

    `stage_lanes` has the lane of each stage. With `split` a backward is placed as two passes, I and
    W, otherwise as one. `limit` is the most activations that a lane should hold, each of one stage
    and micro-batch; a board that exceeds it is still legal.
    """

    stage_lanes: tuple[int, ...]
    microbatches: int
    split: bool
    times: PassTimes
    limit: int | None = None

    @classmethod
    def of(
        cls,
        lanes: int,
        microbatches: int,
        split: bool = False,
        chunks: int = 1,
        vee: bool = False,
        limit: int | None = None,
    ) -> BoardRules:
        """Return rules with unit times.

        With two `chunks` a lane holds two stages: s and s + `lanes`, or, if `vee`, the stages that
        are equally far from the ends of the model.
        """
        stages = vee_placement(lanes, chunks) if vee else loop_placement(lanes, chunks)
        stage_lanes = tuple(held.rank for held in stages)
        return cls(
            stage_lanes=stage_lanes,
            microbatches=microbatches,
            split=split,
            times=PassTimes.units(len(stages)),
            limit=limit,
        )

    @property
    def lanes(self) -> int:
        """The number of lanes."""
        return 1 + max(self.stage_lanes)

    @property
    def stages(self) -> int:
        """The number of stages."""
        return len(self.stage_lanes)

    @property
    def chunks(self) -> int:
        """The number of stages of a lane."""
        return self.stages // self.lanes

    def stages_of(self, lane: int) -> list[int]:
        """Return the stages that a lane holds, in rising order."""
        return [stage for stage, holder in enumerate(self.stage_lanes) if holder == lane]

    def passes(self) -> list[Action]:
        """Return the passes that a complete board has, by stage, kind and micro-batch."""
        kinds = [Kind.FORWARD, Kind.BACKWARD]
        if self.split:
            kinds = [Kind.FORWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT]
        found: list[Action] = []
        for stage in range(self.stages):
            for kind in kinds:
                for microbatch in range(self.microbatches):
                    found.append(action(stage, kind, microbatch))
        return found
