"""1F1B (Narayanan et al. 2021, arXiv 2104.04473): each backward as soon as its forward allows.

    stage 0  F0 F1  .  . B0 F2 B1 F3 B2  . B3
    stage 1   . F0 B0 F1 B1 F2 B2 F3 B3  .  .

A stage starts with one forward for each later stage, so stage i of p holds the activations of at
most p - i micro-batches.
"""

from collections.abc import Sequence

from core.plan.schedules.gpipe import bubble_time
from core.plan.schedules.numbered import numbered
from core.plan.schedules.schedule import Action, Schedule


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """Return warm-up forwards, a forward and a backward in turn, and the remaining backwards."""
    later = ranks - 1 - rank  # the number of later ranks
    # More forwards than micro-batches: `numbered` omits the last ones.
    passes = ["F"] * later + ["F", "B"] * microbatches
    return numbered(passes, microbatches, rank)


SCHEDULE = Schedule(
    "1f1b",
    "1F1B",
    "One forward, one backward in turn.",
    order,
    bubble_time=bubble_time,
    torch_name="Schedule1F1B",
)
