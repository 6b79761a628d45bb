"""The spans of a lane as columns: times, and places in the table of a run's tasks.

What a span is beside its times stands in that table once, however often its task runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT, KINDS, PAYLOADS, Kind, backward_rows, known
from core.trace.columns import NO_ARRAYS, Arrays, Column, Columns, Texts, sorted_positions

WORDS: dict[str, tuple[str, ...]] = {"kind": KINDS, "payload": PAYLOADS}
"""What of a task is a word, and which there are: a column holds its place among them."""
ATTRIBUTES: dict[str, type[np.signedinteger[Any]]] = {
    "kind": np.int8,
    "lane": np.int16,
    "stage": np.int16,
    "replica": np.int16,
    "microbatch": np.int32,
    "block": np.int16,
    "bucket": np.int16,
    "paired_stage": np.int16,
    "paired_microbatch": np.int32,
    "rows": np.int64,
    "bytes": np.int64,
    "payload": np.int8,
}
"""What a task is, and its type in columns, where a number that does not apply is ABSENT; beside
what it waits for (`after`) and its own `name`. The one list of it, from which the columns in
memory, tables and CSV are made; core.recorder.stream has the same columns. The names are
core.plan.task's."""
TASK_DTYPE = np.dtype(
    [
        *ATTRIBUTES.items(),
        ("plan", np.int32),
        ("task", np.int32),
        ("name", np.int32),
        ("after", np.int64),
        ("after_count", np.int32),
    ],
    align=True,
)
"""A task: its attributes (words as their places, ABSENT where one does not apply), the numbers of
its plan and of itself in it, and the place of its own `name` in TaskTable.names. What it waits for,
tasks of the same plan, are the `after_count` entries of TaskTable.after from `after` on."""


class TaskTable:
    """The tasks of all plans, one plan behind the other. What is in it never changes its place."""

    def __init__(self, names: Iterable[str] = (), arrays: Arrays = NO_ARRAYS) -> None:
        """Without tasks, or with those of `arrays`: see the properties. None of it is copied."""
        columns = {name: Column.of(array) for name, array in arrays.items()}
        self._rows = columns.get("rows") or Column(TASK_DTYPE)
        self._after = columns.get("after") or Column(np.int32)
        self._firsts = columns.get("firsts") or Column.of(np.zeros(1, np.int64))
        self.names = Texts(names)
        self._paired: dict[int, NDArray[np.int64]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> NDArray[Any]:
        """All tasks (TASK_DTYPE)."""
        return self._rows.view

    @property
    def after(self) -> NDArray[np.int32]:
        """What the tasks wait for, one task's behind the other's."""
        return self._after.view

    @property
    def firsts(self) -> NDArray[np.int64]:
        """Where each plan's tasks begin and, last, where the last one's end: plans + 1 entries."""
        return self._firsts.view

    def add(self, rows: NDArray[Any], after: NDArray[np.int32]) -> None:
        """Add the next plan's tasks; `after` has the `after_count` entries of each in order."""
        own, counts = rows.copy(), rows["after_count"].astype(np.int64)
        own["plan"], own["task"] = len(self.firsts) - 1, np.arange(len(rows))
        # Where each task's entries begin: the sum of the counts before it.
        own["after"] = len(self._after) + np.cumsum(counts) - counts
        self._rows.extend(own)
        self._after.extend(after)
        self._firsts.extend(np.array([len(self)], np.int64))

    def rows_of(self, plans: NDArray[np.int32], tasks: NDArray[np.int32]) -> NDArray[np.int32]:
        """The rows of n tasks of plans. Raises LookupError if the table has one of them not."""
        if not len(plans):
            return np.empty(0, np.int32)
        firsts = self.firsts
        if plans.min() < 0 or plans.max() >= len(firsts) - 1:
            raise LookupError("a span is of a plan that was not told")
        found = firsts[plans] + tasks
        if tasks.min() < 0 or (found >= firsts[plans + 1]).any():
            raise LookupError("a span is of a task that its plan does not have")
        return found.astype(np.int32)

    @property
    def has_kinds(self) -> bool:
        """Whether it is known of some task what it is, beside its name."""
        return not len(self) or bool((self.rows["kind"] != KINDS.index(Kind.OTHER)).any())

    def needs(self, rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """How many tasks each of n rows waits for, and which, one row's behind the other's."""
        # Two columns of the table alone: whole rows are several cache lines each.
        begins = self.rows["after"][rows]
        counts = self.rows["after_count"][rows].astype(np.int64)
        # The ranges of all rows as one array, without a loop: of begins 10, 40 and counts 2, 3 it
        # is 10 11 40 41 42. Each number is its place in that array, moved by its range's begin.
        before = np.cumsum(counts) - counts
        places = np.repeat(begins - before, counts) + np.arange(counts.sum())
        return counts, self.after[places]

    def attributes(self, place: int) -> dict[str, Any]:
        """The attributes of a task, and what it waits for, by the names of core.plan.task.Task."""
        row = self.rows[place]
        first, count = int(row["after"]), int(row["after_count"])
        return {
            **{name: known(row[name]) for name in ATTRIBUTES if name not in WORDS},
            **{name: words[row[name]] for name, words in WORDS.items()},
            "after": tuple(self.after[first : first + count].tolist()),
        }

    def paired_rows(self, place: int) -> int:
        """The rows of a task's backward: in an overlap those of the micro-batch that it ends."""
        number = int(self.rows["plan"][place])
        tasks = self.plan(number)
        if number not in self._paired:
            columns = ("kind", "replica", "microbatch", "paired_microbatch", "rows")
            plan = self.rows[tasks]
            self._paired[number] = backward_rows(*(plan[name] for name in columns))
        return int(self._paired[number][place - tasks.start])

    def plan(self, number: int) -> slice:
        """Slice of the task table that holds plan `number`."""
        first, last = self.firsts[number : number + 2].tolist()
        return slice(first, last)


def blank_rows(count: int) -> NDArray[Any]:
    """Tasks of which nothing is known yet, to be filled in: all numbers are ABSENT."""
    rows = np.full(count, ABSENT).astype(TASK_DTYPE)
    for name in ("rows", "bytes", "payload", "after", "after_count"):
        rows[name] = 0
    return rows


LATEST = 1 << 61
"""No time lies beyond so many ns: sums of three still have 63 bits."""


def check_times(*columns: NDArray[np.int64]) -> None:
    """Raise ValueError unless all times of these columns lie within LATEST."""
    for times in columns:
        # In Python's numbers: the least int64 has no positive one, and np.abs gives it back as it
        # is.
        if len(times) and max(-int(times.min()), int(times.max())) > LATEST:
            raise ValueError("a time is out of bounds")


MOMENTS = ("ready", "launched")
"""Times that only some spans have."""
SPAN_DTYPES = {"start": np.int64, "end": np.int64, "step": np.int32, "row": np.int32}
"""What every span has: 24 bytes, and 8 for each moment noted beside."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of one lane in order of time: n entries in each column.

    `spans["start"]` and so on is a column: start, end, ready, launched in ns (-1 where absent),
    step, and every field of TASK_DTYPE. Any other index gives fewer spans. Where spans are added
    behind these (`with_later`), they fill spare room of the same arrays, if these have some.
    """

    table: TaskTable
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    step: NDArray[np.int32]
    row: NDArray[np.int32]
    ready: NDArray[np.int64] | None = None
    launched: NDArray[np.int64] | None = None
    # Not given to what is made of these by dataclasses.replace: its arrays are others.
    _growing: Columns | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def empty(cls, table: TaskTable, room: Arrays = NO_ARRAYS) -> Spans:
        """No spans yet; those that are added fill `room`, arrays by the names of columns."""
        room = room or {name: np.empty(64, dtype) for name, dtype in SPAN_DTYPES.items()}
        return cls._of(table, Columns.over(room))

    @classmethod
    def _of(cls, table: TaskTable, columns: Columns) -> Spans:
        made = cls(table, **columns.arrays)
        object.__setattr__(made, "_growing", columns)  # frozen to everybody else
        return made

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, index: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, index: slice | NDArray[Any]) -> Spans: ...

    def __getitem__(self, index: str | slice | NDArray[Any]) -> NDArray[Any] | Spans:
        if isinstance(index, str):
            return self._column(index)
        # By a slice the columns are views of these, by places they are copies.
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
        columns = {name: getattr(self, name) for name in (*SPAN_DTYPES, *MOMENTS)}
        return {name: column for name, column in columns.items() if column is not None}

    def of_step(self, step: int) -> slice:
        """Where a step's spans stand: on a lane, steps only grow."""
        first, last = sorted_positions(self.step, [step, step + 1]).tolist()
        return slice(first, last)

    def timed(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> Spans:
        """The same spans at other times; moments beside them are left out."""
        return Spans(self.table, start, end, self.step, self.row)

    def with_later(self, spans: Spans) -> Spans:
        """These and, behind them, spans with rows of the same table.

        Those that come late are put in their order: readers search a lane by time and by step,
        whatever a file holds. Raises ValueError if a later span is of an earlier step.
        """
        columns = self._growing
        if columns is None or len(columns) != len(self):  # others follow there already
            columns = Columns(self.arrays)
        for name in MOMENTS:
            times = getattr(spans, name)
            if times is not None and name not in columns.arrays and (times != ABSENT).any():
                columns.put(name, np.full(len(self), ABSENT, np.int64))
        columns.extend(**{name: spans[name] for name in columns.arrays})
        made = Spans._of(self.table, columns)
        first = max(0, len(self) - 1)  # the last of those before, with which the new ones compare
        if (np.diff(made.start[first:]) < 0).any():
            order, first = np.argsort(made.start, kind="stable"), 0
            # Into arrays of its own: other threads may read what was there before.
            ordered = {name: array[order] for name, array in made.arrays.items()}
            made = Spans._of(self.table, Columns(ordered))
        if (np.diff(made.step[first:]) < 0).any():
            raise ValueError("a lane's steps go back in time")
        return made

    def _column(self, name: str) -> NDArray[Any]:
        if name in SPAN_DTYPES:
            column: NDArray[Any] = getattr(self, name)
            return column
        if name in MOMENTS:
            times: NDArray[Any] | None = getattr(self, name)
            return np.full(len(self), ABSENT, np.int64) if times is None else times
        of_tasks: NDArray[Any] = self.table.rows[name][self.row]
        return of_tasks

    @classmethod
    def joined(cls, parts: Sequence[Spans]) -> Spans:
        """Spans of one run behind one another. Raises ValueError if there are no parts."""
        if not parts:
            raise ValueError("there are no spans to join")
        some = [name for name in MOMENTS if any(getattr(part, name) is not None for part in parts)]
        return cls(
            parts[0].table,
            *(np.concatenate([part[name] for part in parts]) for name in SPAN_DTYPES),
            **{name: np.concatenate([part[name] for part in parts]) for name in some},
        )
