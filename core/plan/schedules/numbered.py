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

    `F`, `B`, `I` and `W` are passes of stage `down`; `f`, `b`, `i` and `w` those of stage `up`; two
    letters (`Fb`) are an overlap. Each kind of pass takes the micro-batches in order, and B counts
    as I and W too. `*` is the oldest backward-weight that is still due. Passes beyond the last
    micro-batch are omitted; overlaps must not exceed it.
    """
    # One byte a pass: arrays number a million passes quickly.
    codes = np.frombuffer("".join(passes).encode("ascii"), np.uint8)
    below = codes >= ord("a")
    letters = np.where(below, codes - (ord("a") - ord("A")), codes)
    stages, numbers = np.where(below, down if up is None else up, down), np.zeros_like(codes, int)
    whole, inputs = letters == _B, letters == _I
    for mine in (below, ~below):
        # Weights first, so that a B ends with its number among the I.
        for counted in ((letters == _W) | whole, inputs | whole, letters == _F):
            places = np.flatnonzero(counted & mine)
            numbers[places] = np.arange(len(places))
    late = np.flatnonzero(letters == ord(_LATE))
    oldest = np.flatnonzero(inputs)[: len(late)]
    stages[late], numbers[late] = stages[oldest], numbers[oldest]
    kept = numbers < microbatches
    kinds = map(_KINDS.__getitem__, letters[kept].tolist())
    actions = list(map(action, stages[kept].tolist(), kinds, numbers[kept].tolist()))
    if len(codes) == len(passes):
        return actions
    # Schedules with pairs refuse too few micro-batches, so no pass was omitted and the actions
    # still match the pattern.
    following = iter(actions)
    return [
        next(following) if len(letters) == 1 else overlap(next(following), next(following))
        for letters in passes
    ]
