"""Whether a schedule's actions are all there, once each, on the ranks that hold their stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.plan.pipeline.actions import (
    BACKWARD,
    FORWARD,
    INPUT,
    OVERLAP,
    WEIGHT,
    ActionColumns,
    Ints,
)
from core.plan.schedules.schedule import Action, ScheduleError, StagePlacement
from core.plan.task import ABSENT, KINDS, Kind

_ROW = np.zeros(len(KINDS), np.int64)
_ROW[[FORWARD, BACKWARD, INPUT, WEIGHT]] = range(4)
"""The row of each kind of pass in a table of them."""


def check_complete(
    actions: ActionColumns, placement: Sequence[StagePlacement], microbatches: int
) -> None:
    """Raise ScheduleError, naming the first bad action of a sort, unless they make a whole step.

    Each stage of a replica runs each micro-batch of that replica forward once and back once, on
    the rank that holds it: back by one whole backward, by a backward-input and a backward-weight,
    or by one backward over all micro-batches at once. A micro-batch goes through one replica.
    """
    passes = _Passes.of(actions, microbatches)
    owner = _check_places(passes, placement, microbatches)
    done = _check_repeated(passes, placement, microbatches)
    for m in np.flatnonzero(owner == ABSENT).tolist():
        raise _misses(Action(min(placement).stage, Kind.FORWARD, m))
    for held in placement:
        forward, backward, backward_input, weight = done[:, held.replica, held.stage]
        # Arrays of one entry for each micro-batch.
        whole = forward & (backward | (backward_input & weight))
        for m in np.flatnonzero(~whole & (owner == held.replica)).tolist():
            kind = _first_missing(forward[m], backward_input[m], weight[m])
            raise _misses(Action(held.stage, kind, m, held.replica))


@dataclass(frozen=True, slots=True)
class _Passes:
    """The passes that actions are made of, in their order: n entries.

    An overlap is two of them; what is over all micro-batches (`whole`) is one for each.
    """

    whole: NDArray[np.bool_]
    rank: Ints
    kind: Ints
    stage: Ints
    microbatch: Ints
    replica: Ints

    @classmethod
    def of(cls, actions: ActionColumns, microbatches: int) -> _Passes:
        rank = np.repeat(np.arange(len(actions.first) - 1), np.diff(actions.first))
        overlaps = np.flatnonzero(actions.kind == OVERLAP)
        kind, back = actions.kind.copy(), actions.kind.copy()
        kind[overlaps], back[overlaps] = FORWARD, BACKWARD
        passes = np.array([rank, kind, actions.stage, actions.microbatch, actions.replica])
        # An overlap's backward half comes right behind its forward, as another pass.
        seconds = np.array(
            [rank, back, actions.back_stage, actions.back_microbatch, actions.back_replica]
        )
        passes = np.insert(passes, overlaps + 1, seconds[:, overlaps], axis=1)
        passes = np.repeat(passes, np.where(passes[3] == ABSENT, microbatches, 1), axis=1)
        whole = passes[3] == ABSENT
        # Row 3 is the micro-batch: the copies of a pass over all of them get one number each.
        passes[3, whole] = np.arange(np.count_nonzero(whole)) % microbatches
        return cls(whole, *passes)

    def refuse(self, wrong: NDArray[np.bool_], says: Callable[[int, Action], str]) -> None:
        """Raise ScheduleError for the first wrong one: its rank, then the text of `says`."""
        for place in np.flatnonzero(wrong).tolist():
            number = None if self.whole[place] else int(self.microbatch[place])
            kind, replica = KINDS[self.kind[place]], int(self.replica[place])
            one = Action(int(self.stage[place]), kind, number, replica)
            raise ScheduleError(f"rank {self.rank[place]} runs {says(place, one)}")


def _check_places(passes: _Passes, placement: Sequence[StagePlacement], microbatches: int) -> Ints:
    """Refuse passes of another rank's stage, or of a micro-batch that is not the replica's.

    Returns the replica that each micro-batch goes through, -1 of one that no pass names.
    """
    rank_of = {(held.replica, held.stage): held.rank for held in placement}
    places = zip(passes.replica.tolist(), passes.stage.tolist(), strict=True)
    held_by = np.array([rank_of.get(place, ABSENT) for place in places], np.int64)

    def elsewhere(place: int, half: Action) -> str:
        held = sorted({h.stage for h in placement if h.rank == passes.rank[place]})
        replica = f" (this is replica {half.replica})" if half.stage in held else ""
        return f"{half}, but it holds {_stages(held)}{replica}"

    passes.refuse(held_by != passes.rank, elsewhere)
    passes.refuse(
        passes.whole & (passes.kind != BACKWARD),
        lambda place, half: f"{half}, which needs the number of a micro-batch",
    )
    passes.refuse(
        passes.microbatch >= microbatches,
        lambda place, half: f"{half}, but micro-batches are 0 to {microbatches - 1}",
    )
    owner = np.full(microbatches, ABSENT)
    named = np.flatnonzero(~passes.whole)[::-1]
    owner[passes.microbatch[named]] = passes.replica[named]  # the first that names it stays
    passes.refuse(
        ~passes.whole & (owner[passes.microbatch] != passes.replica),
        lambda place, half: (
            f"{half} of replica {half.replica}, "
            f"but micro-batch {half.microbatch} is replica {owner[half.microbatch]}'s"
        ),
    )
    return owner


def _check_repeated(
    passes: _Passes, placement: Sequence[StagePlacement], microbatches: int
) -> NDArray[np.bool_]:
    """Refuse passes that their stage has had, or of which it has had a part.

    Returns which there are: shape (4, replicas, stages, micro-batches), rows as in _ROW.
    """
    replicas, stages, _ = (1 + max(numbers) for numbers in zip(*placement, strict=True))
    never = np.iinfo(np.int64).max
    first = np.full((4, replicas, stages, microbatches), never)
    at = (passes.replica, passes.stage, passes.microbatch)
    order = np.arange(len(passes.kind))
    # The place of each pass's first time, so that a later one is known to be a second.
    np.minimum.at(first, (_ROW[passes.kind], *at), order)
    passes.refuse(
        first[(_ROW[passes.kind], *at)] < order, lambda place, half: f"{half} a second time"
    )
    # A whole backward excludes both parts, and either part excludes a
    # whole one, whichever came first.
    parts = np.minimum(first[_ROW[INPUT]], first[_ROW[WEIGHT]])
    other = np.where(passes.kind == BACKWARD, parts[at], first[_ROW[BACKWARD]][at])

    def both(place: int, half: Action) -> str:
        kind = Kind.BACKWARD_INPUT if half.kind is Kind.BACKWARD else Kind.BACKWARD
        beside = half._replace(kind=kind, microbatch=int(passes.microbatch[place]))
        return f"both {beside} and {half}: one is too many"

    passes.refuse((passes.kind != FORWARD) & (other < order), both)
    return first < never


def _first_missing(forward: bool, backward_input: bool, weight: bool) -> Kind:
    """What a micro-batch that did not go there and back lacks first."""
    if not forward:
        return Kind.FORWARD
    if backward_input:
        return Kind.BACKWARD_WEIGHT
    return Kind.BACKWARD_INPUT if weight else Kind.BACKWARD


def _misses(action: Action) -> ScheduleError:
    return ScheduleError(f"the schedule misses {action}")


def _stages(held: Sequence[int]) -> str:
    if not held:
        return "no stage"
    return f"stage{'s' if len(held) > 1 else ''} {', '.join(map(str, held))}"
