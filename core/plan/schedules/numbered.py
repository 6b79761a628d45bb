"""From a pattern of passes to actions: for schedules whose ranks hold two stages."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from core.plan.schedules.schedule import Action, overlap
from core.plan.task import Kind

_KINDS = {kind.letter: kind for kind in (
    Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT
)}  # fmt: skip


def numbered(passes: Iterable[str], down: int, up: int) -> list[Action]:
    """The passes of a rank, each taking its stage's next micro-batch.

    `F`, `B`, `I` and `W` are passes of stage `down`, `f`, `b`, `i` and `w` those of `up`; two
    letters (`Fb`) are an overlap. B, I and W each go through the micro-batches in order, and B
    counts as an I and a W too. `*` is the backward-weight whose backward-input is the longest ago.
    """
    counts = Counter[tuple[int, Kind]]()
    pending = deque[Action]()

    def action(letter: str) -> Action:
        stage, kind = (down if letter.isupper() else up), _KINDS[letter.upper()]
        counted = Kind.BACKWARD if kind is Kind.BACKWARD_INPUT else kind
        made = Action(stage, kind, counts[stage, counted])
        counts[stage, counted] += 1
        if kind is Kind.BACKWARD:
            counts[stage, Kind.BACKWARD_WEIGHT] += 1
        elif kind is Kind.BACKWARD_INPUT:
            pending.append(made._replace(kind=Kind.BACKWARD_WEIGHT))
        return made

    actions = []
    for letters in passes:
        if letters == "*":
            actions.append(pending.popleft())
        elif len(letters) == 2:
            actions.append(overlap(action(letters[0]), action(letters[1])))
        else:
            actions.append(action(letters))
    return actions
