"""ZB-V (Qi et al. 2023, arXiv 2401.10241, section 6): stages down and back, no waiting inside.

    rank 0  0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 3W1 0I0 0W0 3F2 3I2 3W2 0I1 0W1 0I2 0W2
    rank 1   .  1F0 2F0 1F1 2F1 2I0 2W0 1F2 1I0 1W0 2F2 2I1 2W1 1I1 2I2 1I2 1W1 2W2 1W2

Rank r of p holds stages r and 2p - 1 - r, so the first rank also has the loss. It holds no more
activations than the first rank of 1F1B. With fewer than 2p - 1 micro-batches the order is that of
2p - 1, without the passes of the missing ones.
"""

from collections.abc import Sequence

from core.plan.schedules.numbered import numbered
from core.plan.schedules.schedule import SPLIT_BACKWARD, Action, Schedule, vee_placement


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """Return warm-up, a steady cycle of six passes, and the delayed weights at the end."""
    # The pattern needs 2p - 1 micro-batches; `numbered` omits passes beyond the actual number.
    full = max(2 * ranks - 1, microbatches)
    remaining = ranks - rank  # the number of ranks from this one on
    passes = (
        ["F"] * (2 * remaining - 1)
        + ["f", "F"] * rank
        + ["f", "i", "w"] * remaining
        + ["F", "I", "W", "f", "i", "w"] * (full - ranks - remaining + 1)
        + ["I", "W", "f", "i", "w"] * (remaining - 1)
        + ["I", "i"] * rank
        + ["I", "W"] * remaining
        + ["w"] * rank
        + ["W"] * rank
    )
    return numbered(passes, microbatches, rank, 2 * ranks - 1 - rank)


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """Return (p - 1)F for half-sized stages, if all costs are equal and m >= 2p - 1."""
    if m < 2 * p - 1 or not f == b == w:
        return None
    return (p - 1) * f


SCHEDULE = Schedule(
    "zb-v",
    "ZB-V",
    "Stages down the lanes and back, no waiting inside a lane.",
    order,
    stage_placement=vee_placement,
    chunks=2,
    bubble_time=bubble_time,
    uses=SPLIT_BACKWARD,
    torch_name="ScheduleZBVZeroBubble",
)
