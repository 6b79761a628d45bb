"""GPipe (Huang et al. 2019, arXiv 1811.06965): all forwards, then all backwards.

    stage 0  F0 F1 F2 F3  .  .  .  .  B0 B1 B2 B3
    stage 1   . F0 F1 F2 F3  .  . B0 B1 B2 B3  .

Backwards run in the order of the forwards, as torch.distributed.pipelining's ScheduleGPipe does.
"""

from core.plan.schedules.schedule import Action, Schedule, backward, forward


def order(stage: int, stages: int, microbatches: int) -> list[Action]:
    """All forwards, then all backwards, in order of the micro-batches."""
    return [forward(stage, m) for m in range(microbatches)] + [
        backward(stage, m) for m in range(microbatches)
    ]


SCHEDULE = Schedule("gpipe", "GPipe", "All forwards, then all backwards.", order)
