"""The actions of a pipeline's ranks as columns, and their dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from core.arrays import Bools, Ints
from core.plan.schedules.schedule import Action, overlap
from core.plan.task import ABSENT, KIND_CODES, KINDS, Kind, int_column, known

FORWARD = KIND_CODES[Kind.FORWARD]
BACKWARD = KIND_CODES[Kind.BACKWARD]
INPUT = KIND_CODES[Kind.BACKWARD_INPUT]
WEIGHT = KIND_CODES[Kind.BACKWARD_WEIGHT]
OVERLAP = KIND_CODES[Kind.OVERLAP]


@dataclass(frozen=True, slots=True)
class ActionColumns:
    """n actions, ordered by rank; entries of rank r are `first[r]` to `first[r + 1]` (exclusive).

    All other arrays have shape (n,). `kind` indexes KINDS. A micro-batch of -1 (ABSENT) means all
    of them at once. `back_stage`, `back_microbatch` and `back_replica` belong to an overlap's
    backward half; for any other action they equal `stage`, `microbatch` and `replica`.
    """

    first: Ints
    kind: Ints
    stage: Ints
    microbatch: Ints
    replica: Ints
    back_stage: Ints
    back_microbatch: Ints
    back_replica: Ints

    @classmethod
    def of(cls, orders: Sequence[Sequence[Action]], shift: Ints | int = 0) -> ActionColumns:
        """Return the columns of `orders`, each rank's actions; `shift` is added to replicas.

        `shift` is one number, or one for each rank: if several pipelines run in parallel, each one
        numbers its replicas from 0, and shifts make the numbers unique.
        """
        every = list(chain.from_iterable(orders))
        counts = list(map(len, orders))
        # Without actions, zip() would return no columns.
        columns_of_every = zip(*every, strict=True) if every else [()] * 5
        stage, kind, microbatch, replica, paired = columns_of_every
        codes = [KIND_CODES[one] for one in kind]
        microbatches = int_column(microbatch, np.int64)
        columns = np.array([codes, stage, microbatches, replica], np.int64)
        # Shape (3, n): stage, micro-batch and replica of each action's backward half.
        back = columns[1:].copy()
        for place in np.flatnonzero(columns[0] == OVERLAP).tolist():
            other = paired[place]
            back[:, place] = other.stage, other.microbatch, other.replica
        shifts = np.repeat(np.broadcast_to(shift, len(counts)), counts)
        columns[-1] += shifts
        back[-1] += shifts
        return cls(np.cumsum([0, *counts]), *columns, *back)

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, place: int) -> Action:
        """Return the action at `place` as an object."""
        stage = int(self.stage[place])
        replica = int(self.replica[place])
        microbatch = known(self.microbatch[place])
        kind = KINDS[self.kind[place]]
        if kind is not Kind.OVERLAP:
            return Action(stage, kind, microbatch, replica)
        backward = Action(
            int(self.back_stage[place]),
            Kind.BACKWARD,
            int(self.back_microbatch[place]),
            int(self.back_replica[place]),
        )
        return overlap(Action(stage, Kind.FORWARD, microbatch, replica), backward)

    @property
    def enters(self) -> Bools:
        """Mask of shape (n,): actions that include a forward."""
        return np.isin(self.kind, (FORWARD, OVERLAP))

    @property
    def returns(self) -> Bools:
        """Mask of shape (n,): actions that compute the gradient for the previous stage."""
        return np.isin(self.kind, (BACKWARD, INPUT, OVERLAP))

    @property
    def finishes(self) -> Bools:
        """Mask of shape (n,): actions that complete the gradients of the stage's parameters."""
        return np.isin(self.kind, (BACKWARD, WEIGHT, OVERLAP))


@dataclass(frozen=True, slots=True)
class Needs:
    """Dependencies of n actions: arrays of shape (n,) of action numbers, -1 for none.

    `output` is the action that computes a forward's input. `gradient` is the action that computes
    the gradient for a backward, except in the last stage, where the loss computes it. `own` is in
    the same stage: a backward needs its forward (the last one, if the backward is over all
    micro-batches), and a backward-weight needs its backward-input.
    """

    output: Ints
    gradient: Ints
    own: Ints

    @classmethod
    def of(cls, actions: ActionColumns, stages: int, microbatches: int) -> Needs:
        """Return the dependencies of a complete step's actions on `stages` stages."""
        # Results of passes are numbered, so that they can be looked up by index. With 2 stages and
        # 3 micro-batches, where the last column is for all micro-batches at once:
        #     stage 0   0  1  2  3
        #     stage 1   4  5  6  7       the next replica continues with 8
        # Subtracting `wide` gives the stage before, adding it the next stage.
        wide = microbatches + 1
        replicas = 1 + int(actions.replica.max(initial=0))

        def place(replica: Ints, stage: Ints, microbatch: Ints) -> Ints:
            column: Ints = np.where(microbatch == ABSENT, microbatches, microbatch)
            return (replica * stages + stage) * wide + column

        entered = place(actions.replica, actions.stage, actions.microbatch)
        returned = place(actions.back_replica, actions.back_stage, actions.back_microbatch)
        count = replicas * stages * wide
        forwards = _makers(np.where(actions.enters, entered, ABSENT), count)
        backwards = _makers(np.where(actions.returns, returned, ABSENT), count)
        # A backward over all micro-batches needs its stage's last forward: the one with the largest
        # number, as all of them are on one rank. `by_stage` is a view of `forwards`.
        by_stage = forwards[:-1].reshape(-1, wide)
        by_stage[:, -1] = by_stage.max(axis=1)
        inner = actions.returns & (actions.back_stage < stages - 1)
        behind = actions.enters & (actions.stage > 0)
        weights = actions.kind == WEIGHT
        return cls(
            forwards[np.where(behind, entered - wide, count)],
            backwards[np.where(inner, returned + wide, count)],
            np.maximum(
                forwards[np.where(actions.returns, returned, count)],
                backwards[np.where(weights, returned, count)],
            ),
        )


def _makers(values: Ints, count: int) -> Ints:
    """Return the action that computes each of `count` values, -1 for none; shape (count + 1,)."""
    made = np.flatnonzero(values != ABSENT)
    # Actions without a dependency look up the extra entry at index `count`, which is -1.
    makers = np.full(count + 1, ABSENT)
    makers[values[made]] = made
    return makers
