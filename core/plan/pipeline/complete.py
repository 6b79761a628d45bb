"""Checks that a schedule has every action exactly once, on the rank that holds its stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints
from core.message import Text, counted, message
from core.plan.pipeline.actions import (
    BACKWARD,
    FORWARD,
    INPUT,
    OVERLAP,
    WEIGHT,
    ActionColumns,
)
from core.plan.schedules.schedule import Action, ScheduleError, StagePlacement
from core.plan.task import ABSENT, KINDS, Kind

_ROW = np.zeros(len(KINDS), np.int64)
_ROW[[FORWARD, BACKWARD, INPUT, WEIGHT]] = range(4)
"""Row of each kind of pass in the arrays of `_check_repeated`."""


def check_complete(
    actions: ActionColumns, placement: Sequence[StagePlacement], microbatches: int
) -> None:
    """Raise ScheduleError, naming a bad action, unless the actions are a complete step.

    Each stage of a replica runs one forward and one backward of each of the replica's
    micro-batches, on the rank that holds the stage. The backward is a whole one, or a
    backward-input and a backward-weight, or part of one backward over all micro-batches. A
    micro-batch goes through one replica.
    """
    passes = _Passes.of(actions, microbatches)
    owner = _check_places(passes, placement, microbatches)
    done = _check_repeated(passes, placement, microbatches)
    unplaced = np.flatnonzero(owner == ABSENT)
    if len(unplaced):
        first_stage = min(placement).stage
        raise _misses(Action(first_stage, Kind.FORWARD, int(unplaced[0])))
    for held in placement:
        forward, backward, backward_input, weight = done[:, held.replica, held.stage]
        # Arrays of shape (micro-batches,).
        is_complete = forward & (backward | (backward_input & weight))
        incomplete = np.flatnonzero(~is_complete & (owner == held.replica))
        if len(incomplete):
            microbatch = int(incomplete[0])
            kind = _first_missing(
                forward[microbatch], backward_input[microbatch], weight[microbatch]
            )
            raise _misses(Action(held.stage, kind, microbatch, held.replica))


@dataclass(frozen=True, slots=True)
class _Passes:
    """The n passes of a schedule's actions in order, as arrays of shape (n,).

    An overlap counts as two passes. A pass over all micro-batches counts as one for each
    micro-batch, marked `whole`.
    """

    whole: Bools
    rank: Ints
    kind: Ints
    stage: Ints
    microbatch: Ints
    replica: Ints

    @classmethod
    def of(cls, actions: ActionColumns, microbatches: int) -> _Passes:
        counts = np.diff(actions.first)
        rank = np.repeat(np.arange(len(counts)), counts)
        overlaps = np.flatnonzero(actions.kind == OVERLAP)
        kind = actions.kind.copy()
        back = actions.kind.copy()
        kind[overlaps] = FORWARD
        back[overlaps] = BACKWARD
        passes = np.array([rank, kind, actions.stage, actions.microbatch, actions.replica])
        # Insert the backward half of each overlap after its forward.
        seconds = np.array(
            [rank, back, actions.back_stage, actions.back_microbatch, actions.back_replica]
        )
        passes = np.insert(passes, overlaps + 1, seconds[:, overlaps], axis=1)
        copies = np.where(passes[3] == ABSENT, microbatches, 1)
        passes = np.repeat(passes, copies, axis=1)
        whole = passes[3] == ABSENT
        # Row 3 is the micro-batch: number the copies of each pass over all micro-batches.
        passes[3, whole] = np.arange(np.count_nonzero(whole)) % microbatches
        return cls(whole, *passes)

    def refuse(self, wrong: Bools, describe: Callable[[int, Action], Text]) -> None:
        """Raise ScheduleError for the first pass in the mask `wrong`.

        `describe` returns the end of the message "rank R runs ..." for a place and its pass.
        """
        for place in np.flatnonzero(wrong).tolist():
            number = None if self.whole[place] else int(self.microbatch[place])
            kind = KINDS[self.kind[place]]
            replica = int(self.replica[place])
            bad = Action(int(self.stage[place]), kind, number, replica)
            raise ScheduleError(
                message(
                    "rank {rank} runs {problem}",
                    rank=self.rank[place],
                    problem=describe(place, bad),
                )
            )


def _check_places(passes: _Passes, placement: Sequence[StagePlacement], microbatches: int) -> Ints:
    """Raise ScheduleError for passes on the wrong rank, or of another replica's micro-batch.

    Returns the replica of each micro-batch, shape (micro-batches,), -1 if no pass names it.
    """
    rank_of = {(held.replica, held.stage): held.rank for held in placement}
    places = zip(passes.replica.tolist(), passes.stage.tolist(), strict=True)
    held_by = np.array([rank_of.get(place, ABSENT) for place in places], np.int64)

    def elsewhere(place: int, half: Action) -> Text:
        held = sorted({h.stage for h in placement if h.rank == passes.rank[place]})
        replica: Text = ""
        if half.stage in held:
            replica = message(" (this is replica {replica})", replica=half.replica)
        return message(
            "{half}, but it holds {stages}{replica}",
            half=half,
            stages=_stages(held),
            replica=replica,
        )

    passes.refuse(held_by != passes.rank, elsewhere)
    passes.refuse(
        passes.whole & (passes.kind != BACKWARD),
        lambda place, half: message("{half}, which needs the number of a micro-batch", half=half),
    )
    passes.refuse(
        passes.microbatch >= microbatches,
        lambda place, half: message(
            "{half}, but micro-batches are 0 to {last}", half=half, last=microbatches - 1
        ),
    )
    owner = np.full(microbatches, ABSENT)
    named = np.flatnonzero(~passes.whole)[::-1]
    owner[passes.microbatch[named]] = passes.replica[named]  # reversed: the first pass wins
    passes.refuse(
        ~passes.whole & (owner[passes.microbatch] != passes.replica),
        lambda place, half: message(
            "{half} of replica {replica}, but micro-batch {microbatch} is replica {owner}'s",
            half=half,
            replica=half.replica,
            microbatch=half.microbatch,
            owner=owner[half.microbatch],
        ),
    )
    return owner


def _check_repeated(
    passes: _Passes, placement: Sequence[StagePlacement], microbatches: int
) -> Bools:
    """Raise ScheduleError for passes that occur twice, or both whole and in parts.

    Returns a mask of the passes that exist: shape (4, replicas, stages, micro-batches), rows as in
    _ROW.
    """
    replicas = 1 + max(held.replica for held in placement)
    stages = 1 + max(held.stage for held in placement)
    never = np.iinfo(np.int64).max
    first = np.full((4, replicas, stages, microbatches), never)
    at = (passes.replica, passes.stage, passes.microbatch)
    order = np.arange(len(passes.kind))
    # The position of each pass's first occurrence; a pass at any other position is a repetition.
    np.minimum.at(first, (_ROW[passes.kind], *at), order)
    passes.refuse(
        first[(_ROW[passes.kind], *at)] < order,
        lambda place, half: message("{half} a second time", half=half),
    )
    # A whole backward excludes both parts, in either order.
    parts = np.minimum(first[_ROW[INPUT]], first[_ROW[WEIGHT]])
    wholes = first[_ROW[BACKWARD]]
    other = np.where(passes.kind == BACKWARD, parts[at], wholes[at])

    def both(place: int, half: Action) -> Text:
        kind = Kind.BACKWARD_INPUT if half.kind is Kind.BACKWARD else Kind.BACKWARD
        other_pass = half._replace(kind=kind, microbatch=int(passes.microbatch[place]))
        return message(
            "both {other_pass} and {half}: one is too many", other_pass=other_pass, half=half
        )

    passes.refuse((passes.kind != FORWARD) & (other < order), both)
    return first < never


def _first_missing(forward: bool, backward_input: bool, weight: bool) -> Kind:
    """Return the first kind of pass that an incomplete micro-batch lacks."""
    if not forward:
        return Kind.FORWARD
    if backward_input:
        return Kind.BACKWARD_WEIGHT
    return Kind.BACKWARD_INPUT if weight else Kind.BACKWARD


def _misses(action: Action) -> ScheduleError:
    return ScheduleError(message("the schedule lacks {action}", action=action))


def _stages(held: Sequence[int]) -> Text:
    """Return `stages 0, 2`."""
    if not held:
        return message("no stage")
    numbers = ", ".join(map(str, held))
    return counted("stage {numbers}", "stages {numbers}", len(held), numbers=numbers)
