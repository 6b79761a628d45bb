"""The slow lane of a lesson's run, which the learner has to find before the verdict is shown."""

from __future__ import annotations

from dataclasses import dataclass

from core.message import Message, message
from core.plan.faults import Faults
from core.plan.specification import Specification

CLOSE = 0.15  # relative error of a factor that counts as right


@dataclass(frozen=True, slots=True)
class Straggler:
    """A lane, and the factor by which its tasks take longer."""

    lane: int
    factor: float


def straggler_of(run: Specification) -> Straggler | None:
    """Return the lane that is slow on purpose; None unless there is exactly one."""
    slow = Faults.of(run).slow_lanes
    if len(slow) != 1:
        return None
    ((lane, factor),) = slow.items()
    return Straggler(lane, factor)


def judged(guess: Straggler, true: Straggler) -> Message:
    """Return a sentence that judges a guess."""
    if guess.lane != true.lane:
        return message("Lane {lane} is not the slow one.", lane=guess.lane)
    if abs(guess.factor - true.factor) <= CLOSE * true.factor:
        return message("Right: the lane and the amount.")
    return message("The lane is right. The amount is not {guess}.", guess=f"{guess.factor:.3g}")
