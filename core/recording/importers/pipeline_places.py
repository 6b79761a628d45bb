"""Places of events in a pipeline: rank, chunk, replica, and halves of transfers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.plan.task import ABSENT


class Transfer(IntEnum):
    """A half of a transfer between ranks of a pipeline."""

    FORWARD_SEND = 0
    FORWARD_RECEIVE = 1
    BACKWARD_SEND = 2
    BACKWARD_RECEIVE = 3


@dataclass(frozen=True, slots=True)
class PipelinePlaces:
    """Places of n events in a pipeline: arrays of shape (n,), ABSENT where they do not apply.

    `rank` numbers the ranks of one pipeline, `chunk` the parts of the model on a rank, and
    `replica` the pipelines. `transfer` is a value of Transfer for sends and receives.
    `spans_stages` is true for collectives of ranks of several stages. With `own_clocks`, the times
    of each rank are relative to its own start of the step.
    """

    rank: NDArray[np.int32]
    chunk: NDArray[np.int32]
    replica: NDArray[np.int32]
    transfer: NDArray[np.int8]
    spans_stages: Bools
    own_clocks: bool = False

    @classmethod
    def unknown(cls, count: int) -> PipelinePlaces:
        """Return the places of events that are not part of a pipeline."""
        absent = np.full(count, ABSENT, np.int32)
        return cls(
            rank=absent,
            chunk=absent,
            replica=absent,
            transfer=absent.astype(np.int8),
            spans_stages=np.zeros(count, np.bool_),
        )

    def picked(self, events: Ints) -> PipelinePlaces:
        """Return the places of some events."""
        return replace(
            self,
            rank=self.rank[events],
            chunk=self.chunk[events],
            replica=self.replica[events],
            transfer=self.transfer[events],
            spans_stages=self.spans_stages[events],
        )

    def extended(self, like: Ints) -> PipelinePlaces:
        """Return the places, followed by those of new events, copied from the events `like`."""
        no_transfer = np.full(len(like), ABSENT, np.int8)
        added = self.picked(like)
        added = replace(added, transfer=no_transfer)
        return self.followed_by([added])

    def followed_by(self, others: Sequence[PipelinePlaces]) -> PipelinePlaces:
        """Return the places of these events, followed by those of others."""
        parts = [self, *others]
        return PipelinePlaces(
            rank=np.concatenate([part.rank for part in parts]),
            chunk=np.concatenate([part.chunk for part in parts]),
            replica=np.concatenate([part.replica for part in parts]),
            transfer=np.concatenate([part.transfer for part in parts]),
            spans_stages=np.concatenate([part.spans_stages for part in parts]),
            own_clocks=any(part.own_clocks for part in parts),
        )
