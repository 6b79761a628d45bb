"""When a task's torch work begins and ends on its lane, and when it passes from block to block."""

from __future__ import annotations

from collections.abc import Callable

from core.engine.lanes.lane import Mark
from core.plan.task import Kind, Task


class Stamps:
    """The marks of one task's run. Whoever calls torch sets them, so that no more is in between.

    `mark` makes a mark on the task's lane; `start` and `end` are None until then. With `blocks`
    the borders between blocks are noted too, by pass (forward or backward). The border n lies
    before block n, counted over the whole model, so that block n reaches from border n to n + 1 in
    a forward, and from n + 1 to n in a backward.
    """

    __slots__ = ("_borders", "_mark", "blocks", "end", "start")

    def __init__(self, mark: Callable[[], Mark], blocks: bool = False) -> None:
        self._mark, self.blocks = mark, blocks
        self._borders: dict[tuple[bool, int], Mark] = {}
        self.start: Mark = None
        self.end: Mark = None

    def begin(self) -> None:
        """The next thing is torch's work."""
        self.start = self._mark()

    def finish(self) -> None:
        """The last thing was torch's work."""
        self.end = self._mark()

    def passes(self, backward: bool, border: int) -> None:
        """A border is passed now; what is noted of it already stays. Without blocks: nothing."""
        if self.blocks and (backward, border) not in self._borders:
            self._borders[backward, border] = self._mark()

    def bounds(self, task: Task) -> tuple[Mark, Mark] | None:
        """The start and the end of a block; None if one of its borders was not seen."""
        assert task.block is not None
        backward = task.kind is not Kind.FORWARD
        borders = [(backward, task.block), (backward, task.block + 1)]
        if not all(border in self._borders for border in borders):
            return None
        first, last = (self._borders[border] for border in borders)
        return (last, first) if backward else (first, last)

    @property
    def marks(self) -> list[Mark]:
        """All marks that were made."""
        return [m for m in (self.start, self.end, *self._borders.values()) if m is not None]
