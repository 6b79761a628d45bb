"""ZB-H2 (Qi et al. 2023, arXiv 2401.10241): no rank waits between its first pass and its last.

    rank 0  0F0 0F1 0F2 0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3
    rank 1   .  1F0 1I0 1F1 1I1 1F2 1I2 1W0 1F3 1I3 1W1 1W2 1W3

Twice as many warm-up forwards as in 1F1B fill the time until the first backward. In return every
rank holds the activations of 2p - 1 micro-batches. Ranks still begin and end one after the other.
"""

from collections.abc import Sequence

from core.plan.schedules.schedule import SPLIT_BACKWARD, Action, Schedule
from core.plan.schedules.zb_h1 import delayed


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """Return the order of ZB-H1 with twice the warm-up forwards and twice the delay of W."""
    warm_up = 2 * (ranks - 1 - rank)
    return delayed(rank, microbatches, ahead=warm_up, delay=2 * rank)


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """Return (p - 1)(F + max(0, B - 2W)): the last rank begins p - 1 forwards after the first.

    Holds if W is the cheapest pass and m >= 2p - 1; with equal costs it is (p - 1)F.
    """
    if m < 2 * p - 1 or w > min(f, b):
        return None
    late = max(0, b - 2 * w)
    return (p - 1) * (f + late)


SCHEDULE = Schedule(
    "zb-h2",
    "ZB-H2",
    "No waiting inside a lane, for twice the memory.",
    order,
    bubble_time=bubble_time,
    uses=SPLIT_BACKWARD,
)
