"""DualPipeV (DeepSeek 2025, github.com/deepseek-ai/DualPipe): forwards overlap backwards.

    rank 0  0F0 0F1 0F2 3F0 3I0 3W0 3F1 0F3+3B1 3F2+0B0 3B2     3F3+0B1 3B3 0I2 0W2 0I3 0W3
    rank 1   .  1F0 2F0 1F1 2F1 1F2 2B0 2F2+1B0 1F3+2B1 2F3+1B1 2B2 1B2 2I3 1I3 2W3 1W3

Stages are placed as in ZB-V. A pair such as 0F3+3B1 is one task: its passes are of different
stages, so the communication of one overlaps the compute of the other. Needs at least twice as many
micro-batches as ranks. torch.distributed.pipelining's ScheduleDualPipeV has the same order.
"""

from collections.abc import Sequence

from core.counts import ranks_text
from core.message import message
from core.plan.schedules.numbered import numbered
from core.plan.schedules.schedule import SPLIT_BACKWARD, Action, Schedule, refuse, vee_placement
from core.plan.task import Kind


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """Return fill, overlapped pairs, and a drain whose second half delays weight gradients."""
    later = ranks - 1 - rank  # the number of later ranks
    steady = microbatches - 2 * ranks + rank + 1
    pairs = ["Fb", "fB"] * steady
    if later == 0:
        pairs[:1] = ["F", "b"]  # as an overlap, the first pair would make the other ranks wait
    # A line for each of the steps 1 to 8 in DualPipeV's source; step 6 takes two lines, because the
    # second half of its backward passes is split.
    passes = (
        ["F"] * (2 * later)
        + ["F", "f"] * (rank + 1)
        + ["i", "*", "f"] * later
        + pairs
        + ["b", "fB"] * later
        + (["b", "B"] * (rank + 1))[: rank + 1]
        + (["i", "I"] * (rank + 1))[rank + 1 :]
        + ["*", "I"] * later
        + ["*"] * (rank + 1)
    )
    return numbered(passes, microbatches, rank, 2 * ranks - 1 - rank)


def check(ranks: int, microbatches: int, chunks: int) -> None:
    """Raise PlanError if there are fewer micro-batches than stages."""
    refuse(
        microbatches >= 2 * ranks,
        message(
            "dualpipe-v on {ranks} needs at least {least} micro-batches, not {microbatches}",
            ranks=ranks_text(ranks),
            least=2 * ranks,
            microbatches=microbatches,
        ),
    )


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """Return (p - 1)(F&B + B - 3W) for half-sized stages, from the README's table.

    The README's F&B is a pair's time, here the sum of its passes, and its B is B + W here. Holds if
    F = B >= W.
    """
    if not f == b >= w:
        return None
    return (p - 1) * (f + 2 * b - w)


SCHEDULE = Schedule(
    "dualpipe-v",
    "DualPipeV",
    "Stages down the lanes and back, each forward overlapped with a backward.",
    order,
    stage_placement=vee_placement,
    chunks=2,
    check=check,
    bubble_time=bubble_time,
    uses=SPLIT_BACKWARD | {Kind.BACKWARD, Kind.OVERLAP},
    torch_name="ScheduleDualPipeV",
)
