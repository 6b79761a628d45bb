"""Interleaved 1F1B (Narayanan et al. 2021, arXiv 2104.04473): 1F1B with several chunks a rank.

    rank 0  0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1  .  2B2  .  2B3 0B2 0B3
    rank 1   .  1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3

Rank r of p holds stages r, r + p, r + 2p, ...; micro-batches go through the chunks in rounds of
about p, which divides the bubble by the number of chunks. As in torch.distributed.pipelining, the
micro-batches need not be a multiple of the ranks, but all rounds are equally large.
"""

from collections.abc import Callable

from core.plan.schedules.schedule import (
    Action,
    Schedule,
    alternate,
    backward,
    equal_rounds,
    forward,
    rounds,
)


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> list[Action]:
    """Return warm-up forwards, then a forward and a backward in turn.

    Warm-up covers all chunks but one, and two forwards for each later rank.
    """
    size = microbatches // rounds(ranks, microbatches)
    stages = range(rank, ranks * chunks, ranks)
    forwards = in_rounds(forward, stages, microbatches, size)
    backwards = in_rounds(backward, stages[::-1], microbatches, size)
    later = ranks - 1 - rank  # the number of later ranks
    return alternate(forwards, backwards, (chunks - 1) * size + 2 * later)


def in_rounds(
    make: Callable[[int, int], Action], stages: range, microbatches: int, size: int
) -> list[Action]:
    """Return passes of the first `size` micro-batches through all `stages`, then of the next."""
    passes: list[Action] = []
    for first in range(0, microbatches, size):
        for stage in stages:
            passes += [make(stage, microbatch) for microbatch in range(first, first + size)]
    return passes


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """Return (p - 1)(F + B + W) with the times of a chunk, from the paper's section 2.2.

    None with fewer micro-batches than ranks, where a rank also waits for its own next chunk.
    """
    if m < p:
        return None
    return (p - 1) * (f + b + w)


SCHEDULE = Schedule(
    "interleaved",
    "Interleaved 1F1B",
    "1F1B with several stages on each lane.",
    order,
    chunks=2,
    settable_chunks=True,
    check=equal_rounds,
    bubble_time=bubble_time,
    torch_name="ScheduleInterleaved1F1B",
)
