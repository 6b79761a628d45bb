"""Chimera (Li and Hoefler 2021, arXiv 2107.06925): two replicas, one down and one up the ranks.

    rank 0  0F0 0F1  .  3F2 3B2 3F3 3B3 0B0  .  0B1
    rank 1   .  1F0 2F2 1F1 2F3 2B2 1B0 2B3 1B1
    rank 2   .  1F2 2F0 1F3 2F1 2B0 1B2 2B1 1B3
    rank 3  0F2 0F3  .  3F0 3B0 3F1 3B1 0B2  .  0B3

Stage s is on rank s in replica 0, and on rank p - 1 - s in replica 1. So the second replica works
while the first one fills and drains. Micro-batches form units, one micro-batch for each rank; the
first half of a unit goes down and the second half up.
"""

from core.message import message
from core.plan.schedules.schedule import Action, Schedule, StagePlacement, backward, forward, refuse


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> list[Action]:
    """Return both replicas' passes, sorted by their ticks in the paper's figure 3."""
    actions: list[tuple[int, Action]] = []
    for first in range(0, microbatches, ranks):
        count = min(ranks, microbatches - first)
        for index in range(count):
            up = index >= (count + 1) // 2
            stage = ranks - 1 - rank if up else rank
            lap = index - (count + 1) // 2 if up else index
            # A micro-batch enters each replica every second tick. The number of ranks is even, so
            # on each rank the replicas' forwards are an odd number of ticks apart: none coincide.
            tick = 2 * (first + lap)
            actions += [
                (tick + stage, forward(stage, first + index, int(up))),
                # The last stage's backward is at tick + ranks. The backward of stage s is
                # ranks - 1 - s ticks later.
                (tick + 2 * ranks - 1 - stage, backward(stage, first + index, int(up))),
            ]
    return [action for _, action in sorted(actions, key=lambda timed: timed[0])]


def stage_placement(ranks: int, chunks: int) -> list[StagePlacement]:
    """Place replica 0 down the ranks and replica 1 up."""
    down: list[StagePlacement] = []
    up: list[StagePlacement] = []
    for stage in range(ranks):
        down.append(StagePlacement(replica=0, stage=stage, rank=stage))
        up.append(StagePlacement(replica=1, stage=stage, rank=ranks - 1 - stage))
    return down + up


def check(ranks: int, microbatches: int, chunks: int) -> None:
    """Raise PlanError for an odd number of ranks, or fewer than two micro-batches."""
    refuse(
        ranks % 2 == 0, message("chimera needs an even number of ranks, not {ranks}", ranks=ranks)
    )
    refuse(
        microbatches >= 2,
        message(
            "chimera needs at least 2 micro-batches, one a replica, not {microbatches}",
            microbatches=microbatches,
        ),
    )


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """Return (p - 2)(B + W): the paper's critical path has p forwards and 2p - 2 backwards.

    Holds for one unit (m = p) if backwards are no shorter than forwards, and for several whole
    units if both are equal.
    """
    is_one_unit = m == p and b + w >= f
    are_equal_units = m % p == 0 and b + w == f
    if not is_one_unit and not are_equal_units:
        return None
    return (p - 2) * (b + w)


SCHEDULE = Schedule(
    "chimera",
    "Chimera",
    "Two replicas of the model, one down and one up the lanes.",
    order,
    stage_placement=stage_placement,
    check=check,
    bubble_time=bubble_time,
)
