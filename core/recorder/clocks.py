"""Compares the clocks of the ranks by round trips through the store of the job's rendezvous.

Rank 0 answers the other ranks in turn with the time on its clock. Each rank keeps its shortest
round trip: rank 0 read its clock within the trip, so the middle of the trip is wrong by at most
half of its length. Clocks are compared at the beginning and at the end of a recording. In between,
their drift is assumed to be linear.

A rank may never train, and then it never compares its clock. So the ranks first find out who takes
part, and the others are not waited for again.
"""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch.distributed as dist

TRIPS = 30
MEETING_SECONDS = 2.0
"""Longest wait for the other ranks' first comparison. The job waits too."""
SHORTEST_PAUSE = 0.0005
LONGEST_PAUSE = 0.05
"""Times in s between two questions to the store; each is twice as long as the one before."""
PATIENCE = timedelta(seconds=20)
"""Longest wait for the answer of a rank that takes part."""
_ARRIVED, _LEFT, _COUNTED = "arrived", "left", "counted"
"""States of a rank after rank 0: it waits for rank 0, it does not, or rank 0 compares with it."""
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
    """Compares the clocks of a job's `world` ranks.

    The ranks that train must call `compare` at the same points. It uses its own connection to the
    store: the job's own requests do not wait for it, and it still works after the job has destroyed
    its process group.
    """

    def __init__(self, rank: int, world: int) -> None:
        self._rank = rank
        self._world = world
        self._recording = next(_RECORDINGS)
        self._has_met = False
        # The ranks that take part, without rank 0.
        self._others: list[int] = []
        self._store: Any = None
        if world > 1:
            # torch has no public access to the store of the rendezvous.
            store: Any = dist.distributed_c10d._get_default_store()
            self._store = store.clone()
            self._store.set_timeout(PATIENCE)

    def compare(self, name: str) -> ClockOffset | None:
        """Compare the clocks; `name` must be new in this recording.

        Return None if rank 0, this rank or the store does not take part. Rank 0's own offset is 0.
        """
        prefix = f"bubblescope/{self._recording}/{name}"
        try:
            if not self._has_met:
                self._has_met = True
                self._others = self._meet(prefix)
            if self._rank > 0:
                if self._rank not in self._others:
                    return None
                return _ask(self._store, f"{prefix}/{self._rank}")
            for other in self._others:
                _answer(self._store, f"{prefix}/{other}")
        except RuntimeError:
            return None
        return ClockOffset(time.perf_counter_ns())

    def _meet(self, prefix: str) -> list[int]:
        """Return the ranks after rank 0 that compare their clocks; none if rank 0 does not."""
        if self._store is None:  # this rank is alone, or there was no rendezvous
            return []
        store = self._store
        if self._rank > 0:
            own = f"{prefix}/{self._rank}/state"
            store.set(own, _ARRIVED)
            is_rank_0_here = _is_set(store, [f"{prefix}/arrived"])
            # Rank 0 may come at this moment. Only one of the two can change the state.
            if not is_rank_0_here and _changed(store, own, _LEFT):
                return []
            found: list[int] = json.loads(store.get(f"{prefix}/ranks"))
            return found
        store.set(f"{prefix}/arrived", "")
        states = {other: f"{prefix}/{other}/state" for other in range(1, self._world)}
        _is_set(store, list(states.values()))
        found = [other for other, key in states.items() if _changed(store, key, _COUNTED)]
        store.set(f"{prefix}/ranks", json.dumps(found))
        return found


def _changed(store: Any, key: str, state: str) -> bool:
    """Change the state of a rank that has arrived; return False for any other rank."""
    return bool(store.compare_set(key, _ARRIVED, state) == state.encode())


def _is_set(store: Any, keys: list[str]) -> bool:
    """Wait until all keys are set, at most for MEETING_SECONDS; return False if one is not."""
    # Not `store.wait`: when its time is over, torch prints a stack trace.
    end = time.monotonic() + MEETING_SECONDS
    pause = SHORTEST_PAUSE
    while not store.check(keys):
        if time.monotonic() > end:
            return False
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
    return True


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
