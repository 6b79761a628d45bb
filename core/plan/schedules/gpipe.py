"""GPipe (Huang et al. 2019, arXiv 1811.06965): all forwards, then all backwards.

    stage 0  F0 F1 F2 F3  .  .  .  .  B0 B1 B2 B3
    stage 1   . F0 F1 F2 F3  .  . B0 B1 B2 B3  .

Backwards run in the order of the forwards, as torch.distributed.pipelining's ScheduleGPipe does.
"""

from collections.abc import Sequence

from core.plan.schedules.numbered import numbered
from core.plan.schedules.schedule import Action, Schedule


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """Return all forwards, then all backwards, in order of the micro-batches."""
    return numbered(["F"] * microbatches + ["B"] * microbatches, microbatches, rank)


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float:
    """Return (p - 1)(F + B + W), from the paper's section 2.3."""
    return (p - 1) * (f + b + w)


SCHEDULE = Schedule(
    "gpipe",
    "GPipe",
    "All forwards, then all backwards.",
    order,
    bubble_time=bubble_time,
    torch_name="ScheduleGPipe",
)
