"""The actions of a pipeline's ranks as columns, and what each of them needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.plan.schedules.schedule import Action, overlap
from core.plan.task import ABSENT, KIND_CODES, KINDS, Kind

Ints = NDArray[np.int64]
FORWARD, BACKWARD, INPUT, WEIGHT, OVERLAP = (
    KIND_CODES[kind]
    for kind in (
        Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.OVERLAP,
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ActionColumns:
    """n actions, one rank's behind the other's; rank r's are those from `first[r]` on.

    `kind` indexes KINDS. A micro-batch of -1 (ABSENT) means all of them at once. The backward half
    of an overlap is of `back_stage`, `back_microbatch` and `back_replica`; of any other action
    these are its own numbers.
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
        """The actions of each rank, their replicas' numbers larger by the rank's `shift`."""
        every, counts = list(chain.from_iterable(orders)), list(map(len, orders))
        stage, kind, microbatch, replica, paired = zip(*every, strict=True) if every else [()] * 5
        columns = np.array([
            [KIND_CODES[one] for one in kind],
            stage,
            [ABSENT if m is None else m for m in microbatch],
            replica,
        ], np.int64)  # fmt: skip
        # Shape (3, n): stage, micro-batch and replica of each action's backward half.
        back = columns[1:].copy()
        for place in np.flatnonzero(columns[0] == OVERLAP).tolist():
            other = paired[place]
            back[:, place] = other.stage, other.microbatch, other.replica
        # Pipelines side by side have replicas 0, 1, ... each: the second one's
        # are shifted behind the first's.
        for replicas in (columns[-1], back[-1]):
            replicas += np.repeat(np.broadcast_to(shift, len(counts)), counts)
        return cls(np.cumsum([0, *counts]), *columns, *back)

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, place: int) -> Action:
        """One of them as an object."""
        stage, microbatch, replica, other_stage, other_microbatch, other_replica = (
            int(column[place])
            for column in (
                self.stage, self.microbatch, self.replica, self.back_stage, self.back_microbatch,
                self.back_replica,
            )
        )  # fmt: skip
        number = None if microbatch == ABSENT else microbatch
        kind = KINDS[self.kind[place]]
        if kind is not Kind.OVERLAP:
            return Action(stage, kind, number, replica)
        return overlap(
            Action(stage, Kind.FORWARD, number, replica),
            Action(other_stage, Kind.BACKWARD, other_microbatch, other_replica),
        )

    @property
    def enters(self) -> NDArray[np.bool_]:
        """Whether each is, or begins with, a forward."""
        return np.isin(self.kind, (FORWARD, OVERLAP))

    @property
    def returns(self) -> NDArray[np.bool_]:
        """Whether each makes the gradient that the stage before waits for."""
        return np.isin(self.kind, (BACKWARD, INPUT, OVERLAP))

    @property
    def finishes(self) -> NDArray[np.bool_]:
        """Whether each leaves its stage with the gradients of its parameters."""
        return np.isin(self.kind, (BACKWARD, WEIGHT, OVERLAP))


@dataclass(frozen=True, slots=True)
class Needs:
    """The action that each of n actions waits for, -1 where there is none of a sort.

    `output` makes a forward's input, `gradient` a backward's (none for the last stage's: that is
    the loss's). `own` is the backward's forward in its own stage, the last of them for a backward
    over all micro-batches, or the backward-input of a backward-weight.
    """

    output: Ints
    gradient: Ints
    own: Ints

    @classmethod
    def of(cls, actions: ActionColumns, stages: int, microbatches: int) -> Needs:
        """What actions on `stages` stages need of each other. They must be complete."""
        # Results of passes are numbered, so that each look-up is an index. With 2 stages and
        # 3 micro-batches, of which the last column stands for all at once:
        #     stage 0   0  1  2  3
        #     stage 1   4  5  6  7       the next replica goes on with 8
        # The stage before is at `wide` less, the next one at `wide` more.
        wide = microbatches + 1  # the last place of a stage is for all micro-batches at once
        replicas = 1 + int(actions.replica.max(initial=0))

        def place(replica: Ints, stage: Ints, microbatch: Ints) -> Ints:
            column: Ints = np.where(microbatch == ABSENT, microbatches, microbatch)
            return (replica * stages + stage) * wide + column

        entered = place(actions.replica, actions.stage, actions.microbatch)
        returned = place(actions.back_replica, actions.back_stage, actions.back_microbatch)
        count = replicas * stages * wide
        forwards = _makers(np.where(actions.enters, entered, ABSENT), count)
        backwards = _makers(np.where(actions.returns, returned, ABSENT), count)
        # A view: a backward over all micro-batches needs the last of its stage's forwards, which on
        # its rank is the action with the largest number.
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
    """The action that makes each of `count` values, -1 where none does, and -1 behind them."""
    made = np.flatnonzero(values != ABSENT)
    # One entry more than there are values: index `count` is what those look up who need nothing.
    makers = np.full(count + 1, ABSENT)
    makers[values[made]] = made
    return makers
