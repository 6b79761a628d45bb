"""From a pattern of passes to actions: for schedules whose ranks hold one stage or two."""

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
    """The passes of a rank, each taking its stage's next micro-batch.

    `F`, `B`, `I` and `W` are passes of stage `down`, `f`, `b`, `i` and `w` those of `up`; two
    letters (`Fb`) are an overlap. B, I and W each go through the micro-batches in order, and B
    counts as an I and a W too. `*` is the backward-weight whose backward-input is the longest ago.
    Passes that find no micro-batch left are left out; an overlap has to find two.
    """
    # One byte a pass, so that a million of them are numbered by a few operations on arrays.
    codes = np.frombuffer("".join(passes).encode("ascii"), np.uint8)
    below = codes >= ord("a")
    letters = np.where(below, codes - (ord("a") - ord("A")), codes)
    stages, numbers = np.where(below, down if up is None else up, down), np.zeros_like(codes, int)
    whole, inputs = letters == _B, letters == _I
    for mine in (below, ~below):
        # Weights first: then a B keeps the number that it has among the I.
        for counted in ((letters == _W) | whole, inputs | whole, letters == _F):
            places = np.flatnonzero(counted & mine)
            numbers[places] = np.arange(len(places))
    late = np.flatnonzero(letters == ord(_LATE))
    longest_ago = np.flatnonzero(inputs)[: len(late)]
    stages[late], numbers[late] = stages[longest_ago], numbers[longest_ago]
    # Patterns are written for enough micro-batches; passes of those that there are not fall out.
    kept = numbers < microbatches
    kinds = map(_KINDS.__getitem__, letters[kept].tolist())
    actions = list(map(action, stages[kept].tolist(), kinds, numbers[kept].tolist()))
    if len(codes) == len(passes):
        return actions
    # Letters and actions still match: a schedule with pairs refuses too few micro-batches for its
    # pattern, so none has fallen out.
    following = iter(actions)
    return [
        next(following) if len(letters) == 1 else overlap(next(following), next(following))
        for letters in passes
    ]
