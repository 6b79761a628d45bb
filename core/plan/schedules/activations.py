"""How many activations a rank holds, counted from its order alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.plan.schedules.schedule import Action
from core.plan.task import Kind

_RELEASES = frozenset({Kind.BACKWARD, Kind.BACKWARD_WEIGHT})


def peak_activations(actions: Iterable[Action]) -> int:
    """The most activations that a rank with these `actions` holds at once.

    An activation is what one stage keeps of one micro-batch, from its forward to its backward, or
    to its backward-weight where the backward is in two parts. An overlap takes the forward's before
    it lets go of the backward's. So an activation is a chunk's where a rank holds several stages:
    ZB-V's 2p are p whole lanes' worth, DualPipeV's 2p + 1 the PP + 1 of its README, whose PP counts
    stages.
    """
    held = Counter[tuple[int, int]]()
    total = peak = 0
    for action in actions:
        for half in action.halves:
            place = half.replica, half.stage
            if half.kind is Kind.FORWARD:
                held[place] += 1
                total += 1
                peak = max(peak, total)
            elif half.kind in _RELEASES:
                freed = held[place] if half.microbatch is None else 1
                held[place] -= freed
                total -= freed
    return peak
