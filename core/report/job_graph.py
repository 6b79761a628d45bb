"""Nodes of a training job's step: what ranks do in them, for how long, and after which others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.plan.task import ABSENT, Kind


class StepPart(NamedTuple):
    """An activity of ranks in a step: tasks of a kind of one block or stage.

    `kind` is None for communication, which `moves` data, and for code of the job that is not
    recorded; `between` is true for such code between two steps.
    """

    kind: Kind | None
    stage: int = ABSENT
    block: int = ABSENT
    moves: bool = False
    between: bool = False

    @property
    def computes(self) -> bool:
        """True for passes and updates."""
        return self.kind not in (None, Kind.DATA) and not self.moves


HOST_CODE = StepPart(None)
BETWEEN_STEPS = StepPart(None, between=True)
COMMUNICATION = StepPart(None, moves=True)
DATA_WAIT = StepPart(Kind.DATA)
UPDATE = StepPart(Kind.STEP)


@dataclass
class JobGraph:
    """Parts, ranks, durations in ns and dependencies of nodes, in the order of addition."""

    parts: list[StepPart] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    needs: list[list[int]] = field(default_factory=list)

    def add(self, part: StepPart, rank: int, taken: int, needs: Sequence[int]) -> int:
        """Add a node and return its number."""
        self.parts.append(part)
        self.ranks.append(rank)
        self.taken.append(max(0, taken))
        self.needs.append(list(needs))
        return len(self.parts) - 1
