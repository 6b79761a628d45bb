"""When a task's torch work begins and ends on its lane, and when it passes from block to block."""

from __future__ import annotations

from collections.abc import Callable

from core.engine.lanes.lane import Timestamp
from core.plan.task import Kind, Task


class Stamps:
    """The timestamps of one task's run. Whoever calls torch sets them: no more is in between.

    `now` makes a timestamp on the task's lane; `start` and `end` are None until then. With `blocks`
    the borders between blocks are noted too, by pass (forward or backward). The border n lies
    before block n, counted over the whole model, so that block n reaches from border n to n + 1 in
    a forward, and from n + 1 to n in a backward.
    """

    __slots__ = ("_borders", "_now", "blocks", "end", "start")

    def __init__(self, now: Callable[[], Timestamp], blocks: bool = False) -> None:
        self._now, self.blocks = now, blocks
        self._borders: dict[tuple[bool, int], Timestamp] = {}
        self.start: Timestamp | None = None
        self.end: Timestamp | None = None

    def begin(self) -> None:
        """The next thing is torch's work."""
        self.start = self._now()

    def finish(self) -> None:
        """The last thing was torch's work."""
        self.end = self._now()

    def passes(self, backward: bool, border: int) -> None:
        """A border is passed now; what is noted of it already stays. Without blocks: nothing."""
        if self.blocks and (backward, border) not in self._borders:
            self._borders[backward, border] = self._now()

    def bounds(self, task: Task) -> tuple[Timestamp, Timestamp] | None:
        """The start and the end of a block; None if one of its borders was not seen."""
        assert task.block is not None
        backward = task.kind is not Kind.FORWARD
        borders = [(backward, task.block), (backward, task.block + 1)]
        if not all(border in self._borders for border in borders):
            return None
        first, last = (self._borders[border] for border in borders)
        return (last, first) if backward else (first, last)

    @property
    def all(self) -> list[Timestamp]:
        """All timestamps that were made."""
        made = (self.start, self.end, *self._borders.values())
        return [timestamp for timestamp in made if timestamp is not None]
