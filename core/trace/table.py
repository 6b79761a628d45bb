"""The tasks of a run's plans as one table, to whose rows spans point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.plan.task import KINDS, PAYLOADS, Kind
from core.trace.columns import ABSENT, NO_ARRAYS, Arrays, Column
from core.trace.event_rows import Texts


class Attribute(NamedTuple):
    """Something that a task is: its name, and its type in columns.

    A word's column holds its place among `words`; a number that does not apply is ABSENT.
    """

    name: str
    dtype: type[np.generic]
    words: tuple[str, ...] = ()


ATTRIBUTES = (
    Attribute("kind", np.int8, KINDS),
    Attribute("lane", np.int16),
    Attribute("stage", np.int16),
    Attribute("replica", np.int16),
    Attribute("microbatch", np.int32),
    Attribute("block", np.int16),
    Attribute("bucket", np.int16),
    Attribute("paired_stage", np.int16),
    Attribute("paired_microbatch", np.int32),
    Attribute("rows", np.int64),
    Attribute("bytes", np.int64),
    Attribute("payload", np.int8, PAYLOADS),
)
"""What a task is, beside what it waits for (`after`) and its own `name`: the one list of it, from
which the schema, the columns in memory, tables and CSV are made. The names are core.plan.task's."""
TASK_DTYPE = np.dtype(
    [
        *((attribute.name, attribute.dtype) for attribute in ATTRIBUTES),
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
        told = self.rows[rows]
        counts = told["after_count"].astype(np.int64)
        before = np.cumsum(counts) - counts
        places = np.repeat(told["after"] - before, counts) + np.arange(counts.sum())
        return counts, self.after[places]

    def told(self, place: int) -> dict[str, Any]:
        """The attributes of a task, and what it waits for, by the names of core.plan.task.Task."""
        row = self.rows[place]
        first, count = int(row["after"]), int(row["after_count"])
        numbers = {a.name: int(row[a.name]) for a in ATTRIBUTES if not a.words}
        return {
            **{name: None if value == ABSENT else value for name, value in numbers.items()},
            **{a.name: a.words[row[a.name]] for a in ATTRIBUTES if a.words},
            "after": tuple(self.after[first : first + count].tolist()),
        }

    def plan(self, number: int) -> slice:
        """Where a plan's tasks stand."""
        first, last = self.firsts[number : number + 2].tolist()
        return slice(first, last)


def blank_rows(count: int) -> NDArray[Any]:
    """Tasks of which nothing is known yet, to be filled in: all numbers are ABSENT."""
    rows = np.full(count, ABSENT).astype(TASK_DTYPE)
    for name in ("rows", "bytes", "payload", "after", "after_count"):
        rows[name] = 0
    return rows
