"""The spans of a lane as columns: times of their own, and places in the table of what they tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import ABSENT, NO_ARRAYS, Arrays, Column, Columns, sorted_positions
from core.trace.table import TaskTable

MOMENTS = ("ready", "launched")
"""Times that only some spans have."""
_OWN = ("start", "end", "step", "row")


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of one lane in order of time: n entries in each column.

    `spans["start"]` and so on is a column: start, end, ready, launched in ns (-1 where absent),
    step, and every field of TASK_DTYPE. Any other index gives fewer spans.
    """

    table: TaskTable
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    step: NDArray[np.int32]
    row: NDArray[np.int32]
    ready: NDArray[np.int64] | None = None
    launched: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, index: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, index: slice | NDArray[Any]) -> Spans: ...

    def __getitem__(self, index: str | slice | NDArray[Any]) -> NDArray[Any] | Spans:
        if isinstance(index, str):
            return self._column(index)
        ready, launched = (
            None if column is None else column[index] for column in (self.ready, self.launched)
        )
        return Spans(
            self.table, self.start[index], self.end[index], self.step[index], self.row[index],
            ready, launched,
        )  # fmt: skip

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its own columns by name, those of MOMENTS only where they are there."""
        columns = {name: getattr(self, name) for name in (*_OWN, *MOMENTS)}
        return {name: column for name, column in columns.items() if column is not None}

    def of_step(self, step: int) -> slice:
        """Where a step's spans stand: on a lane, steps only grow."""
        first, last = sorted_positions(self.step, [step, step + 1]).tolist()
        return slice(first, last)

    def timed(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> Spans:
        """The same spans at other times; moments beside them are left out."""
        return Spans(self.table, start, end, self.step, self.row)

    def _column(self, name: str) -> NDArray[Any]:
        if name in _OWN:
            column: NDArray[Any] = getattr(self, name)
            return column
        if name in MOMENTS:
            times: NDArray[Any] | None = getattr(self, name)
            return np.full(len(self), ABSENT, np.int64) if times is None else times
        told: NDArray[Any] = self.table.rows[name][self.row]
        return told

    @classmethod
    def joined(cls, parts: Sequence[Spans]) -> Spans:
        """Spans of one run behind one another. Raises ValueError if there are no parts."""
        if not parts:
            raise ValueError("there are no spans to join")
        some = [name for name in MOMENTS if any(getattr(part, name) is not None for part in parts)]
        return cls(
            parts[0].table,
            *(np.concatenate([part[name] for part in parts]) for name in _OWN),
            **{name: np.concatenate([part[name] for part in parts]) for name in some},
        )


class LaneSpans(Columns):
    """The spans of a lane as they arrive: 24 bytes each, and 8 for each moment noted beside."""

    DTYPES: ClassVar = {"start": np.int64, "end": np.int64, "step": np.int32, "row": np.int32}

    def __init__(self, table: TaskTable, arrays: Arrays = NO_ARRAYS) -> None:
        super().__init__(arrays)
        self._table = table

    @classmethod
    def of(cls, spans: Spans) -> LaneSpans:
        """A lane that is full of `spans`, which are not copied until it grows."""
        return cls(spans.table, spans.arrays)

    @classmethod
    def over(cls, table: TaskTable, room: Mapping[str, NDArray[Any]]) -> LaneSpans:
        """An empty lane that fills `room`, arrays by the names of its columns."""
        lane = cls(table)
        lane._columns = {name: Column.over(array) for name, array in room.items()}
        return lane

    @property
    def view(self) -> Spans:
        """All spans so far."""
        return Spans(self._table, **self.arrays)

    def add(self, spans: Spans) -> None:
        """Append spans, with rows of the same table; those that come late are put in their order.

        Readers search a lane by time and by step, whatever a file holds. Raises ValueError if a
        later span is of an earlier step.
        """
        first = max(0, len(self) - 1)
        for name in MOMENTS:
            told = getattr(spans, name)
            if name not in self._columns and told is not None and (told != ABSENT).any():
                self._columns[name] = Column.of(np.full(len(self), ABSENT, np.int64))
        self.extend(**{name: spans[name] for name in self._columns})
        if (np.diff(self._columns["start"].view[first:]) < 0).any():
            order, first = np.argsort(self._columns["start"].view, kind="stable"), 0
            for column in self._columns.values():
                column.view[:] = column.view[order]
        if (np.diff(self._columns["step"].view[first:]) < 0).any():
            raise ValueError("a lane's steps go back in time")
