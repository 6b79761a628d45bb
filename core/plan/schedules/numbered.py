"""From a pattern of passes to actions: for schedules whose ranks hold one stage or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from core.plan.schedules.schedule import Action, action, overlap
from core.plan.task import KINDS, Kind

_LATE = "*"
_F, _B, _I, _W = map(ord, "FBIW")
_CODES = np.zeros(128, np.int8)
for _letter, _kind in (
    (_F, Kind.FORWARD), (_B, Kind.BACKWARD), (_I, Kind.BACKWARD_INPUT),
    (_W, Kind.BACKWARD_WEIGHT), (ord(_LATE), Kind.BACKWARD_WEIGHT),
):  # fmt: skip
    _CODES[_letter] = KINDS.index(_kind)


@dataclass(frozen=True, slots=True, eq=False)
class ActionColumns(Sequence[Action]):
    """Actions as columns of n entries, for whoever wants no object of each; kinds index KINDS."""

    kinds: NDArray[np.int8]
    stages: NDArray[np.int64]
    microbatches: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[Action]:
        kinds = map(KINDS.__getitem__, self.kinds.tolist())
        return map(action, self.stages.tolist(), kinds, self.microbatches.tolist())

    @overload
    def __getitem__(self, place: int) -> Action: ...
    @overload
    def __getitem__(self, place: slice) -> list[Action]: ...
    def __getitem__(self, place: int | slice) -> Action | list[Action]:
        if isinstance(place, slice):
            return list(self)[place]
        kind = KINDS[self.kinds[place]]
        return action(int(self.stages[place]), kind, int(self.microbatches[place]))


def numbered(
    passes: Sequence[str], microbatches: int, down: int, up: int | None = None
) -> Sequence[Action]:
    """The passes of a rank, each taking its stage's next micro-batch.

    `F`, `B`, `I` and `W` are passes of stage `down`, `f`, `b`, `i` and `w` those of `up`; two
    letters (`Fb`) are an overlap. B, I and W each go through the micro-batches in order, and B
    counts as an I and a W too. `*` is the backward-weight whose backward-input is the longest ago.
    Passes that find no micro-batch left are left out; an overlap has to find two.
    """
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
    kept = numbers < microbatches
    actions = ActionColumns(_CODES[letters[kept]], stages[kept], numbers[kept])
    if len(codes) == len(passes):
        return actions
    following = iter(actions)
    return [
        next(following) if len(letters) == 1 else overlap(next(following), next(following))
        for letters in passes
    ]
