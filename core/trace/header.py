"""Header of a recording: the run's specification, model, lanes and clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.counts import lanes_text, replicas_text
from core.message import Text, counted, message
from core.models.description import ModelDescription
from core.plan.balance import BlockCost
from core.plan.lanes import timing_note
from core.plan.plan import Lane, Role
from core.plan.planning import check_numbers
from core.plan.specification import Specification
from core.trace.source import Source

FORMAT = 2
"""Format of recordings; other formats are refused."""
MOST_LANES = 32_767
"""The most lanes, replicas, stages or blocks that columns can number."""


@dataclass(frozen=True, slots=True)
class Header:
    """Description of a run; a recording keeps it as its stream's metadata.

    `origin_ns` is `time.perf_counter_ns()` at the run's start, so that another process on the same
    machine can compute the time since. `hardware` and `versions` are for display. `block_costs` is
    set if stages were cut by the measured costs of the model's blocks. Only a `source` with a plan
    has a model with blocks, a strategy and other settings.
    """

    specification: Specification
    model: ModelDescription
    lanes: tuple[Lane, ...]
    replicas: int = 1
    origin_ns: int = 0
    started: str = ""
    hardware: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    source: Source = Source.RUN
    block_costs: tuple[BlockCost, ...] = ()
    format: int = FORMAT

    @classmethod
    def unknown(cls) -> Header:
        """Return the header of a recording that was cut off before its header."""
        model = ModelDescription("unknown", (), 0)
        return cls(Specification(), model, (), source=Source.IMPORTED)

    @property
    def compute_lanes(self) -> tuple[Lane, ...]:
        """The lanes that compute."""
        return tuple(lane for lane in self.lanes if lane.role is Role.COMPUTE)

    @property
    def timing_note(self) -> Text:
        """The note to show next to times, about shared hardware or a virtual clock.

        No clock has measured a prediction.
        """
        lanes = self.lanes
        if self.source is Source.PREDICTED:
            lanes = tuple(lane for lane in lanes if not lane.is_virtual)
        return timing_note(lanes, self.specification.link)

    def check(self) -> None:
        """Raise ValueError for values that are inconsistent or out of range."""
        check_numbers(self.specification)
        if self.source.has_plan != bool(self.model.blocks):
            raise ValueError(
                counted(
                    "its source is {source}, and its model has {n} block",
                    "its source is {source}, and its model has {n} blocks",
                    len(self.model.blocks),
                    source=str(self.source),
                )
            )
        count = len(self.lanes)
        for place, lane in enumerate(self.lanes):
            if lane.index != place or not lane.serves < count:
                raise ValueError(
                    message(
                        "lane {place} has number {number} and serves {serves}",
                        place=place,
                        number=lane.index,
                        serves=lane.serves,
                    )
                )
        if not 1 <= self.replicas <= MOST_LANES or count > MOST_LANES:
            raise ValueError(
                message(
                    "it has {replicas} on {lanes}",
                    replicas=replicas_text(self.replicas),
                    lanes=lanes_text(count),
                )
            )
