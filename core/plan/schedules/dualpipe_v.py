"""DualPipeV (DeepSeek 2025, github.com/deepseek-ai/DualPipe): forwards overlap backwards.

    rank 0  0F0 0F1 0F2 3F0 3I0 3W0 3F1 0F3+3B1 3F2+0B0 3B2     3F3+0B1 3B3 0I2 0W2 0I3 0W3
    rank 1   .  1F0 2F0 1F1 2F1 1F2 2B0 2F2+1B0 1F3+2B1 2F3+1B1 2B2 1B2 2I3 1I3 2W3 1W3

Stages lie as in ZB-V. A pair such as 0F3+3B1 is one task: the passes are of different stages, so
the one's communication hides behind the other's compute. Needs twice as many micro-batches as
ranks. The order is that of torch.distributed.pipelining's ScheduleDualPipeV.
"""

from collections.abc import Sequence

from core.plan.schedules.numbered import numbered
from core.plan.schedules.schedule import SPLIT_BACKWARD, Action, Schedule, refuse, vee
from core.plan.task import Kind


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> Sequence[Action]:
    """Fill, overlapped pairs, and a drain whose second half runs weight gradients late."""
    behind = ranks - 1 - rank
    pairs = ["Fb", "fB"] * (microbatches - 2 * ranks + rank + 1)
    if behind == 0:
        pairs[:1] = ["F", "b"]  # overlapped they would only make the others wait
    # The steps 1 to 8 of DualPipeV's source, a line each; the sixth takes two lines, as the second
    # half of its backward passes runs in parts.
    passes = (
        ["F"] * (2 * behind)
        + ["F", "f"] * (rank + 1)
        + ["i", "*", "f"] * behind
        + pairs
        + ["b", "fB"] * behind
        + (["b", "B"] * (rank + 1))[: rank + 1]
        + (["i", "I"] * (rank + 1))[rank + 1 :]
        + ["*", "I"] * behind
        + ["*"] * (rank + 1)
    )
    return numbered(passes, microbatches, rank, 2 * ranks - 1 - rank)


def check(ranks: int, microbatches: int, chunks: int) -> None:
    """Raise PlanError if there are fewer micro-batches than stages."""
    refuse(
        microbatches >= 2 * ranks,
        f"dualpipe-v on {ranks} ranks needs at least {2 * ranks} micro-batches, not {microbatches}",
    )


def bubble_time(p: int, m: int, v: int, f: float, b: float, w: float) -> float | None:
    """(p - 1)(F&B + B - 3W) of a half: the README's table, with F&B for a pair, B for B + W.

    A pair takes what its passes take together; for F = B >= W.
    """
    return (p - 1) * (f + 2 * b - w) if f == b >= w else None


SCHEDULE = Schedule(
    "dualpipe-v",
    "DualPipeV",
    "Stages there and back, each forward overlapped with a backward.",
    order,
    stage_placement=vee,
    chunks=2,
    check=check,
    bubble_time=bubble_time,
    uses=SPLIT_BACKWARD | {Kind.BACKWARD, Kind.OVERLAP},
    torch_name="ScheduleDualPipeV",
)
