"""Actions made from a pattern of passes, for schedules with one or two stages a rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.plan.schedules.schedule import Action, action, overlap
from core.plan.task import Kind

_LATE = "*"
_F, _B, _I, _W = map(ord, "FBIW")
_KINDS = {
    _F: Kind.FORWARD,
    _B: Kind.BACKWARD,
    _I: Kind.BACKWARD_INPUT,
    _W: Kind.BACKWARD_WEIGHT,
    ord(_LATE): Kind.BACKWARD_WEIGHT,
}


def numbered(
    passes: Sequence[str], microbatches: int, down: int, up: int | None = None
) -> list[Action]:
    """Return the actions of a rank: each pass takes the next micro-batch of its stage.

    `F`, `B`, `I` and `W` are passes of stage `down`; `f`, `b`, `i` and `w` of stage `up`; two
    letters (`Fb`) are an overlap. Each kind of pass takes the micro-batches in order, and B counts
    as I and W too. `*` is the oldest backward-weight that is still due. Passes beyond the last
    micro-batch are omitted; overlaps must not exceed it.
    """
    # One byte per pass, so that arrays can number a million passes quickly.
    codes = np.frombuffer("".join(passes).encode("ascii"), np.uint8)
    is_up = codes >= ord("a")
    letters = np.where(is_up, codes - (ord("a") - ord("A")), codes)
    stage_up = down if up is None else up
    stages = np.where(is_up, stage_up, down)
    numbers = np.zeros(len(codes), np.int64)
    forward = letters == _F
    whole = letters == _B
    inputs = letters == _I
    weights = letters == _W
    for mine in (is_up, ~is_up):
        # Weights first, so that a B keeps its number among the I passes.
        for counted in (weights | whole, inputs | whole, forward):
            places = np.flatnonzero(counted & mine)
            numbers[places] = np.arange(len(places))
    late = np.flatnonzero(letters == ord(_LATE))
    oldest = np.flatnonzero(inputs)[: len(late)]
    stages[late] = stages[oldest]
    numbers[late] = numbers[oldest]
    kept = numbers < microbatches
    kinds = [_KINDS[letter] for letter in letters[kept].tolist()]
    actions = list(map(action, stages[kept].tolist(), kinds, numbers[kept].tolist()))
    if len(codes) == len(passes):
        return actions
    # Schedules with pairs refuse too few micro-batches, so no pass was omitted and the actions
    # still match the pattern.
    following = iter(actions)
    merged: list[Action] = []
    for pattern in passes:
        first = next(following)
        merged.append(first if len(pattern) == 1 else overlap(first, next(following)))
    return merged
