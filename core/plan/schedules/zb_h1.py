"""ZB-H1 (Qi et al. 2023, arXiv 2401.10241): 1F1B whose weight gradients fill the bubble.

    rank 0  0F0 0F1  .  0I0 0W0 0F2 0I1 0W1 0F3 0I2 0W2 0I3 0W3
    rank 1   .  1F0 1I0 1F1 1I1 1W0 1F2 1I2 1W1 1F3 1I3 1W2 1W3

The backward pass is two: I, which the stage before waits for, and W, which only the step waits
for. Rank i delays W by i micro-batches, so that no rank holds more activations than 1F1B's first.
"""

from collections.abc import Sequence

from core.plan.schedules.numbered import numbered
from core.plan.schedules.schedule import SPLIT_BACKWARD, Action, Schedule


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """1F1B of forwards and backward-inputs, backward-weights `rank` micro-batches behind."""
    return delayed(rank, microbatches, ranks - 1 - rank, rank)


def delayed(rank: int, microbatches: int, ahead: int, delay: int) -> Sequence[Action]:
    """`ahead` forwards, then one of each, backward-weights `delay` micro-batches behind."""
    # Too many F and I for the micro-batches, of which `numbered` leaves out the last; of W just
    # enough, so the last ones stand alone at the end.
    passes = ["F"] * ahead + ["F", "I"] * delay + ["F", "I", "W"] * microbatches
    return numbered(passes, microbatches, rank)


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """(p - 1)(F + B - W): the paper's table 1, where W is the cheapest pass and m >= p."""
    return (p - 1) * (f + b - w) if m >= p and w <= min(f, b) else None


SCHEDULE = Schedule(
    "zb-h1",
    "ZB-H1",
    "1F1B with the weight gradients computed later.",
    order,
    bubble_time=bubble_time,
    uses=SPLIT_BACKWARD,
)
