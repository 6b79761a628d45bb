"""What a run was: its specification, model, lanes and clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.models.description import ModelDescription
from core.plan.balance import BlockCost
from core.plan.lanes import timing_note
from core.plan.plan import Lane, Role
from core.plan.planning import check_numbers
from core.plan.specification import Specification

FORMAT = 2
"""Of recordings; those of another format are refused."""
MOST_LANES = 32_767
"""Lanes, replicas, stages or blocks that columns have room to tell apart."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a run was: a recording keeps it as its stream's metadata.

    `origin_ns` is `time.perf_counter_ns()` at the run's start on `host`'s clock, so that another
    process of the same machine can tell the time since. `hardware` and `versions` are for people.
    `predicted` says that the spans never ran: their times are those of a cost model. `block_costs`
    are there where stages were cut by what each block of the model was measured to cost.
    """

    specification: Specification
    model: ModelDescription
    lanes: tuple[Lane, ...]
    replicas: int = 1
    origin_ns: int = 0
    started: str = ""
    hardware: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    predicted: bool = False
    block_costs: tuple[BlockCost, ...] = ()
    format: int = FORMAT

    @classmethod
    def unknown(cls) -> Header:
        """The header of a recording that was cut before it said anything."""
        return cls(Specification(), ModelDescription("unknown", (), 0), ())

    @property
    def foreign(self) -> bool:
        """Whether another program made the recording: there is no plan, nor steps, nor a model."""
        return not self.model.blocks

    @property
    def compute_lanes(self) -> tuple[Lane, ...]:
        """The lanes that compute."""
        return tuple(lane for lane in self.lanes if lane.role is Role.COMPUTE)

    @property
    def is_job(self) -> bool:
        """Whether it is a training job that core.recorder recorded."""
        return self.foreign and "ranks" in self.hardware

    @property
    def timing_note(self) -> str:
        """What must be said wherever a time is shown: of shared hardware, or a virtual clock."""
        return timing_note(self.lanes, self.specification.link)

    def check(self) -> None:
        """Raise ValueError for numbers that contradict each other or that no run can have."""
        check_numbers(self.specification)
        count = len(self.lanes)
        for place, lane in enumerate(self.lanes):
            if lane.index != place or not lane.serves < count:
                raise ValueError(f"lane {place} has number {lane.index} and serves {lane.serves}")
        if not 1 <= self.replicas <= MOST_LANES or count > MOST_LANES:
            raise ValueError(f"it has {self.replicas} replicas on {count} lanes")
