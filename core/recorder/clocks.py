"""How far the ranks' clocks are apart: round trips through the store in which the job's ranks met.

Rank 0 answers each other rank in turn with what its clock shows. Of a rank's round trips the
shortest is kept: its clock was as far behind rank 0's as the answer differs from the middle of the
trip, by half of the trip at most. Compared at the recording's begin and again at its end, a linear
map lies between.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch.distributed as dist

TRIPS = 30
PATIENCE = timedelta(seconds=20)
_RECORDINGS = itertools.count()
"""Numbers the recordings of this process: the store keeps the answers of earlier ones."""


@dataclass(frozen=True, slots=True)
class Compared:
    """At `at` on this rank's clock rank 0's was `ahead` ns ahead, give or take `half_width`."""

    at: int
    ahead: int = 0
    half_width: int = 0


class Clocks:
    """Compares the clocks of a job's `world` ranks; every rank calls it at the same places.

    What is asked goes by a connection of its own, so that nothing of the job waits for it, and
    still there when the job has left its process group.
    """

    def __init__(self, rank: int, world: int) -> None:
        self._rank, self._world = rank, world
        self._recording = next(_RECORDINGS)
        self._store: Any = None
        if world > 1:
            # torch has no public way to the store that the ranks met in.
            store: Any = dist.distributed_c10d._get_default_store()
            self._store = store.clone()
            self._store.set_timeout(PATIENCE)

    def compare(self, when: str) -> Compared | None:
        """Compare, under a name of its own; None where a rank or the store does not answer.

        Rank 0 has the run's clock.
        """
        about = f"bubblescope/{self._recording}/{when}"
        try:
            if self._rank > 0:  # of ranks that never met nothing is known
                return _ask(self._store, f"{about}/{self._rank}") if self._store else None
            for other in range(1, self._world):
                _answer(self._store, f"{about}/{other}")
        except RuntimeError:
            return None
        return Compared(time.perf_counter_ns())


def _answer(store: Any, about: str) -> None:
    for trip in range(TRIPS):
        store.get(f"{about}/ask/{trip}")
        store.set(f"{about}/answer/{trip}", str(time.perf_counter_ns()))


def _ask(store: Any, about: str) -> Compared:
    trips = []
    for trip in range(TRIPS):
        before = time.perf_counter_ns()
        store.set(f"{about}/ask/{trip}", "")
        answered = int(store.get(f"{about}/answer/{trip}"))
        after = time.perf_counter_ns()
        middle = (before + after) // 2
        # Rank 0 read its clock somewhere within the trip: at its middle, give or take half of it.
        # Rounded up, so that the half-width never promises too much.
        trips.append(Compared(middle, answered - middle, -(-(after - before) // 2)))
    return min(trips, key=lambda trip: trip.half_width)
