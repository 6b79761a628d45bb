"""When a lane passes from one block of a task to the next one."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from core.engine.lanes import Mark
from core.plan.task import Kind, Task


class BlockNotes:
    """The marks of one task's run, by pass (forward or backward) and border.

    The border n lies before block n, counted over the whole model, so that block n reaches from
    border n to n + 1 in a forward, and from n + 1 to n in a backward.
    """

    def __init__(self, mark: Callable[[], Mark]) -> None:
        self._mark = mark
        self._marks: dict[tuple[bool, int], Mark] = {}

    def passes(self, backward: bool, border: int) -> None:
        """A border is passed now; what is noted of it already stays."""
        if (backward, border) not in self._marks:
            self._marks[backward, border] = self._mark()

    def bounds(self, task: Task) -> tuple[Mark, Mark] | None:
        """The start and the end of a block; None if one of its borders was not seen."""
        assert task.block is not None
        backward = task.kind is not Kind.FORWARD
        borders = [(backward, task.block), (backward, task.block + 1)]
        if not all(border in self._marks for border in borders):
            return None
        first, last = (self._marks[border] for border in borders)
        return (last, first) if backward else (first, last)

    @property
    def marks(self) -> list[Mark]:
        """All marks."""
        return list(self._marks.values())


def noted_hook(noted: Callable[[], BlockNotes | None], border: int) -> Callable[[Tensor], None]:
    """A hook for the tensor at a border: its gradient is there when a backward passes it."""

    def passed(gradient: Tensor) -> None:
        notes = noted()
        if notes is not None:
            notes.passes(True, border)

    return passed
