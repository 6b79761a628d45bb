"""Counts the gradients of blocks, to find the last one of each backward pass."""

from __future__ import annotations


class GradientCounts:
    """Counts the gradients of the block whose backward pass runs.

    In most jobs every backward pass of a block has the same number of gradients.
    """

    def __init__(self) -> None:
        self._arrived = 0
        # By block number: the number of gradients in each pass; 0 if passes have differed.
        self._usual: dict[int, int] = {}

    def forget(self) -> None:
        """Forget all counts, because the blocks have new numbers."""
        self._arrived = 0
        self._usual.clear()

    def is_last(self, number: int) -> bool:
        """Count a gradient of block `number`; return False if another usually follows."""
        self._arrived += 1
        return self._arrived >= self._usual.get(number, 0)

    def leave(self, number: int) -> None:
        """End the backward pass of block `number`."""
        is_usual = self._usual.get(number, self._arrived) == self._arrived
        self._usual[number] = self._arrived if is_usual else 0
        self._arrived = 0
