"""Interleaved zero bubble (Qi et al. 2023, arXiv 2401.10241): ZB-H1 with several chunks a rank.

    rank 0  0F0 0F1 2F0 2F1  .  2I0 2W0 2I1 2W1 0I0 0W0 0I1 0W1
    rank 1   .  1F0 1F1 3F0 3I0 3F1 3I1 3W0 1I0 3W1 1I1 1W0 1W1

The rounds are as in interleaved 1F1B, with one warm-up forward less for each later rank. Rank i
delays W by i passes, as torch.distributed.pipelining's ScheduleInterleavedZeroBubble does.
"""

from core.plan.schedules.interleaved import in_rounds
from core.plan.schedules.schedule import (
    SPLIT_BACKWARD,
    Action,
    Schedule,
    alternate,
    backward_input,
    backward_weight,
    equal_rounds,
    forward,
    rounds,
)
from core.plan.schedules.zb_h1 import bubble_time


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> list[Action]:
    """Return interleaved 1F1B with fewer warm-up forwards and W delayed by `rank` passes."""
    size = microbatches // rounds(ranks, microbatches)
    stages = range(rank, ranks * chunks, ranks)
    forwards = in_rounds(forward, stages, microbatches, size)
    backwards = in_rounds(backward_input, stages[::-1], microbatches, size)
    weights = in_rounds(backward_weight, stages[::-1], microbatches, size)
    later = ranks - 1 - rank  # the number of later ranks
    return alternate(forwards, backwards, (chunks - 1) * size + later, weights, delay=rank)


SCHEDULE = Schedule(
    "interleaved-zb",
    "Interleaved zero bubble",
    "Interleaved 1F1B with the weight gradients computed later.",
    order,
    chunks=2,
    settable_chunks=True,
    check=equal_rounds,
    bubble_time=bubble_time,
    uses=SPLIT_BACKWARD,
    torch_name="ScheduleInterleavedZeroBubble",
)
