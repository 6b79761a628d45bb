"""ZB-H1 (Qi et al. 2023, arXiv 2401.10241): 1F1B whose weight gradients fill the bubble.

    rank 0  0F0 0F1  .  0I0 0W0 0F2 0I1 0W1 0F3 0I2 0W2 0I3 0W3
    rank 1   .  1F0 1I0 1F1 1I1 1W0 1F2 1I2 1W1 1F3 1I3 1W2 1W3

The backward pass has two parts: the stage before waits for I, and only the step waits for W. Rank i
delays W by i micro-batches, so that no rank holds more activations than the first rank of 1F1B.
"""

from collections.abc import Sequence

from core.plan.schedules.numbered import numbered
from core.plan.schedules.schedule import SPLIT_BACKWARD, Action, Schedule


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """Return 1F1B of F and I, with W delayed by `rank` micro-batches."""
    return delayed(rank, microbatches, ranks - 1 - rank, rank)


def delayed(rank: int, microbatches: int, ahead: int, delay: int) -> Sequence[Action]:
    """Return `ahead` forwards, then F, I and W in turn, with W delayed by `delay` micro-batches."""
    # More F and I than micro-batches: `numbered` omits the last ones, which leaves the last W.
    passes = ["F"] * ahead
    passes += ["F", "I"] * delay
    passes += ["F", "I", "W"] * microbatches
    return numbered(passes, microbatches, rank)


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """Return (p - 1)(F + B - W) from the paper's table 1, if W is the cheapest pass and m >= p."""
    if m < p or w > min(f, b):
        return None
    return (p - 1) * (f + b - w)


SCHEDULE = Schedule(
    "zb-h1",
    "ZB-H1",
    "1F1B with the weight gradients computed later.",
    order,
    bubble_time=bubble_time,
    uses=SPLIT_BACKWARD,
)
