"""Compares the clocks of the ranks by round trips through the store of the job's rendezvous.

Rank 0 answers the other ranks in turn with the time on its clock. Each rank keeps its shortest
round trip: rank 0 read its clock within the trip, so the middle of the trip is wrong by at most
half of its length. Clocks are compared at the beginning and at the end of a recording. In between,
their drift is assumed to be linear.
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
"""Numbers this process's recordings, because the store keeps the answers of earlier ones."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """The lead of rank 0's clock over this rank's: `ahead` ± `half_width`, in ns.

    It was measured at `at`, in ns on this rank's clock.
    """

    at: int
    ahead: int = 0
    half_width: int = 0


class RankClocks:
    """Compares the clocks of a job's `world` ranks. All must call `compare` at the same points.

    It uses its own connection to the store: the job's own requests do not wait for it, and it still
    works after the job has destroyed its process group.
    """

    def __init__(self, rank: int, world: int) -> None:
        self._rank = rank
        self._world = world
        self._recording = next(_RECORDINGS)
        self._store: Any = None
        if world > 1:
            # torch has no public access to the store of the rendezvous.
            store: Any = dist.distributed_c10d._get_default_store()
            self._store = store.clone()
            self._store.set_timeout(PATIENCE)

    def compare(self, name: str) -> ClockOffset | None:
        """Compare the clocks; `name` must be new in this recording.

        Return None if a rank or the store does not answer. Rank 0's own offset is 0.
        """
        prefix = f"bubblescope/{self._recording}/{name}"
        try:
            if self._rank > 0:
                if self._store is None:  # there was no rendezvous
                    return None
                return _ask(self._store, f"{prefix}/{self._rank}")
            for other in range(1, self._world):
                _answer(self._store, f"{prefix}/{other}")
        except RuntimeError:
            return None
        return ClockOffset(time.perf_counter_ns())


def _answer(store: Any, prefix: str) -> None:
    for trip in range(TRIPS):
        store.get(f"{prefix}/ask/{trip}")
        store.set(f"{prefix}/answer/{trip}", str(time.perf_counter_ns()))


def _ask(store: Any, prefix: str) -> ClockOffset:
    trips = []
    for trip in range(TRIPS):
        before = time.perf_counter_ns()
        store.set(f"{prefix}/ask/{trip}", "")
        answered = int(store.get(f"{prefix}/answer/{trip}"))
        after = time.perf_counter_ns()
        middle = (before + after) // 2
        half_width = -(-(after - before) // 2)  # rounded up, so that it is never too small
        trips.append(
            ClockOffset(
                at=middle,
                ahead=answered - middle,
                half_width=half_width,
            )
        )
    return min(trips, key=lambda trip: trip.half_width)
