"""Dependencies between the passes of another program's pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints


@dataclass(frozen=True, slots=True)
class Edges:
    """The n dependencies between passes: arrays of shape (n,).

    The event at position `after` waits for the one at `before`. `is_backward` is true for data of
    the backward pass.
    """

    before: Ints
    after: Ints
    is_backward: Bools

    @classmethod
    def empty(cls) -> Edges:
        """Return no dependencies."""
        none = np.empty(0, np.int64)
        return cls(
            before=none,
            after=none,
            is_backward=none.astype(np.bool_),
        )

    @classmethod
    def concatenated(cls, parts: Sequence[Edges]) -> Edges:
        """Return the dependencies of all parts, one part after another."""
        before = np.concatenate([part.before for part in parts])
        after = np.concatenate([part.after for part in parts])
        is_backward = np.concatenate([part.is_backward for part in parts])
        return cls(
            before=before,
            after=after,
            is_backward=is_backward,
        )

    @property
    def links(self) -> Ints:
        """Pairs of events, shape (n, 2); the second waits for the first."""
        return np.stack([self.before, self.after], axis=1)

    def picked(self, mask: Bools) -> Edges:
        """Return some of the dependencies."""
        before = self.before[mask]
        after = self.after[mask]
        is_backward = self.is_backward[mask]
        return Edges(
            before=before,
            after=after,
            is_backward=is_backward,
        )
