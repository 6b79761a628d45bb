"""Breadth-first pipeline (Lamy-Poirier 2022, arXiv 2211.05953): GPipe with several chunks a rank.

    rank 0  0F0 0F1 2F0 2F1  .   .  2B1 2B0 0B1 0B0
    rank 1   .  1F0 1F1 3F0 3F1 3B1 3B0 1B1 1B0

A rank runs all micro-batches through its first stage, then all through the next one. Backwards run
in the reverse order, as in torch.distributed.pipelining's ScheduleLoopedBFS.
"""

from core.plan.schedules.schedule import Action, Schedule, backward, forward


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> list[Action]:
    """Return all forwards by stage, then all backwards in reverse order."""
    places: list[tuple[int, int]] = []
    for stage in range(rank, ranks * chunks, ranks):
        places += [(stage, microbatch) for microbatch in range(microbatches)]
    forwards = [forward(*place) for place in places]
    backwards = [backward(*place) for place in reversed(places)]
    return forwards + backwards


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """Return (p - 1)(F + B + W) with the times of a chunk, from the paper's section 3.1.

    None with fewer micro-batches than ranks, where a rank also waits for its own next chunk.
    """
    if m < p:
        return None
    return (p - 1) * (f + b + w)


SCHEDULE = Schedule(
    "looped-bfs",
    "Looped BFS",
    "Several stages on each lane, all micro-batches through each in turn.",
    order,
    chunks=2,
    settable_chunks=True,
    bubble_time=bubble_time,
    torch_name="ScheduleLoopedBFS",
)
