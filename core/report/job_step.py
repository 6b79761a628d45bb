"""A step of a training job as a graph, which can be replayed with other durations.

In a replay everything takes as long as it did and starts when its dependencies have ended. Steps
follow each other: a rank that has finished continues with its next step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.explain.explanation import Explanation
from core.report.job_graph import StepPart
from core.report.job_threads import GraphBuilder

REPEATED = 3
"""Number of replays in a row: in the first ones the ranks reach their usual distance."""


@dataclass(frozen=True)
class JobStep:
    """A step as n nodes: the `part` (a position in `parts`) and `rank` of each, and ns `taken`.

    `order` lists the nodes so that each follows its `needs`. The threads of R ranks begin with the
    nodes `first` and end with `last`.
    """

    parts: tuple[StepPart, ...]
    part: Ints
    rank: Ints
    taken: Floats
    needs: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]

    @classmethod
    def of(cls, explanation: Explanation) -> JobStep:
        """Return the graph of an explained step of a job."""
        graph, first, last = GraphBuilder(explanation).build()
        distinct = dict.fromkeys(graph.parts)
        parts = {part: place for place, part in enumerate(distinct)}
        needs = _without_cycles(graph.needs, graph.parts)
        return cls(
            parts=tuple(parts),
            part=np.array([parts[part] for part in graph.parts], np.int64),
            rank=np.array(graph.ranks, np.int64),
            taken=np.array(graph.taken, np.float64),
            needs=tuple(tuple(one) for one in needs),
            order=tuple(_order(needs) or ()),
            first=tuple(first),
            last=tuple(last),
        )

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.first)

    def is_part(self, *wanted: StepPart) -> Bools:
        """Return True for each node of one of the `wanted` parts."""
        is_wanted = np.array([part in wanted for part in self.parts], np.bool_)
        return is_wanted[self.part]

    @property
    def computes(self) -> Bools:
        """True for each node that is a pass or an update."""
        computes = np.array([part.computes for part in self.parts], np.bool_)
        return computes[self.part]

    def totals(self) -> dict[StepPart, Floats]:
        """Return the ns that each rank (R) spends on each part."""
        count = len(self.parts)
        keys = self.part * self.ranks + self.rank
        sums = np.bincount(keys, self.taken, count * self.ranks)
        by_part = sums.reshape(count, self.ranks)
        return dict(zip(self.parts, by_part, strict=True))

    def periods(self, taken: Floats) -> Floats:
        """Return the length of a step in ns for each of C ways; `taken`, (n, C), are durations."""
        ways = taken.shape[1]
        ends = np.zeros_like(taken)
        before = np.zeros((self.ranks, ways))
        finished = [np.zeros(ways)]
        begins = {node: rank for rank, node in enumerate(self.first)}
        for _ in range(REPEATED):
            ends[:] = 0.0
            for node in self.order:
                # All other nodes depend on a first one.
                start = np.zeros(ways)
                if node in begins:
                    rank = begins[node]
                    start = before[rank]
                for need in self.needs[node]:
                    start = np.maximum(start, ends[need])
                ends[node] = start + taken[node]
            before = ends[list(self.last)]
            finished.append(before.max(axis=0))
        periods: Floats = finished[-1] - finished[-2]
        return periods


def _order(needs: Sequence[Sequence[int]]) -> list[int] | None:
    """Return the nodes so that each follows its needs; None if the graph has a cycle."""
    missing = [len(own) for own in needs]
    followers: list[list[int]] = [[] for _ in needs]
    ready: list[int] = []
    for node, own in enumerate(needs):
        if not own:
            ready.append(node)
        for need in own:
            followers[need].append(node)
    # The list grows during the loop.
    for node in ready:
        for follower in followers[node]:
            missing[follower] -= 1
            if not missing[follower]:
                ready.append(follower)
    if len(ready) < len(needs):
        return None
    return ready


def _without_cycles(needs: list[list[int]], parts: Sequence[StepPart]) -> list[list[int]]:
    """Return the dependencies; if they have a cycle, without those between communication nodes.

    By their clocks, ranks may reach their collectives in contradictory orders.
    """
    if _order(needs) is not None:
        return needs
    cut = []
    for own, part in zip(needs, parts, strict=True):
        if part.moves:
            own = [need for need in own if not parts[need].moves]
        cut.append(own)
    if _order(cut) is not None:
        return cut
    # A single thread has no cycle: each node depends on earlier ones.
    forward = []
    for node, own in enumerate(needs):
        forward.append([need for need in own if need < node])
    return forward
