"""The spans of a lane as columns: times, and rows of the run's table of tasks.

The table has the attributes of each task once, however often the task runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.message import message
from core.plan.task import ABSENT, KINDS, PAYLOADS, Kind, backward_rows, known
from core.trace.columns import NO_ARRAYS, Arrays, Columns, GrowingArray, Texts, sorted_positions

WORDS: dict[str, tuple[str, ...]] = {"kind": KINDS, "payload": PAYLOADS}
"""Attributes of a task that are words, with all words; columns hold positions in these."""
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
"""The attributes of a task, except `after` and `name`, with their types in columns. Numbers that do
not apply are ABSENT. Columns in memory, tables and CSV are made from this list;
core.recorder.stream has the same columns, and core.plan.task.Task the same names."""
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
"""A task: its attributes, the number of its plan, its number in the plan, and the position of its
`name` in TaskTable.names. It waits for tasks of the same plan: the `after_count` entries of
TaskTable.after from `after` on."""


class TaskTable:
    """The tasks of all plans, plan by plan. Tasks never change their rows."""

    def __init__(self, names: Iterable[str] = (), arrays: Arrays = NO_ARRAYS) -> None:
        """Create a table, empty or with `arrays` (see the properties), which are not copied."""
        rows = arrays.get("rows", np.empty(0, TASK_DTYPE))
        after = arrays.get("after", np.empty(0, np.int32))
        firsts = arrays.get("firsts", np.zeros(1, np.int64))
        self._rows = GrowingArray.of(rows)
        self._after = GrowingArray.of(after)
        self._firsts = GrowingArray.of(firsts)
        self.names = Texts(names)
        self._paired: dict[int, Ints] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> NDArray[Any]:
        """All tasks, as a structured array of TASK_DTYPE."""
        return self._rows.view

    @property
    def after(self) -> NDArray[np.int32]:
        """Dependencies of all tasks, task by task."""
        return self._after.view

    @property
    def firsts(self) -> Ints:
        """First row of each plan, and the end of the last: shape (plans + 1,)."""
        return self._firsts.view

    def add(self, rows: NDArray[Any], after: NDArray[np.int32]) -> None:
        """Add the next plan's tasks; `after` has the `after_count` entries of each in order."""
        own = rows.copy()
        own["plan"] = len(self.firsts) - 1
        own["task"] = np.arange(len(rows))
        # Each task's first entry: the sum of the counts before it.
        counts = rows["after_count"].astype(np.int64)
        counts_before = np.cumsum(counts) - counts
        own["after"] = len(self._after) + counts_before
        self._rows.extend(own)
        self._after.extend(after)
        next_first = np.array([len(self)], np.int64)
        self._firsts.extend(next_first)

    def rows_of(self, plans: NDArray[np.int32], tasks: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the rows of n tasks of plans. Raises LookupError if one is not in the table."""
        if not len(plans):
            return np.empty(0, np.int32)
        firsts = self.firsts
        plan_count = len(firsts) - 1
        if plans.min() < 0 or plans.max() >= plan_count:
            raise LookupError(message("a span is of a plan that the recording does not have"))
        found = firsts[plans] + tasks
        end_of_plan = firsts[plans + 1]
        is_beyond = found >= end_of_plan
        if tasks.min() < 0 or is_beyond.any():
            raise LookupError(message("a span is of a task that its plan does not have"))
        return found.astype(np.int32)

    @property
    def has_kinds(self) -> bool:
        """True if the table is empty or the kind of some task is known."""
        if not len(self):
            return True
        is_known = self.rows["kind"] != KINDS.index(Kind.OTHER)
        return bool(is_known.any())

    def needs(self, rows: NDArray[Any]) -> tuple[Ints, NDArray[np.int32]]:
        """Return the number of dependencies of each of n rows, and all dependencies, row by row."""
        # Reads only two columns, because whole rows take several cache lines each.
        begins = self.rows["after"][rows]
        counts = self.rows["after_count"][rows].astype(np.int64)
        # All ranges as one array, without a loop: begins 10, 40 and counts 2, 3 give
        # 10 11 40 41 42. Each entry is its position in this array, shifted to its range's begin.
        before = np.cumsum(counts) - counts
        shifts = np.repeat(begins - before, counts)
        places = shifts + np.arange(len(shifts))
        return counts, self.after[places]

    def attributes(self, place: int) -> dict[str, Any]:
        """Return a task's attributes and dependencies by the names of core.plan.task.Task."""
        row = self.rows[place]
        values: dict[str, Any] = {}
        for name in ATTRIBUTES:
            value = row[name]
            if name in WORDS:
                values[name] = WORDS[name][value]
            else:
                values[name] = known(value)
        first = int(row["after"])
        last = first + int(row["after_count"])
        values["after"] = tuple(self.after[first:last].tolist())
        return values

    def paired_rows(self, place: int) -> int:
        """Return the rows of a task's backward; in an overlap the paired micro-batch's."""
        number = int(self.rows["plan"][place])
        tasks = self.plan(number)
        if number not in self._paired:
            plan = self.rows[tasks]
            self._paired[number] = backward_rows(
                plan["kind"],
                plan["replica"],
                plan["microbatch"],
                plan["paired_microbatch"],
                plan["rows"],
            )
        paired = self._paired[number]
        return int(paired[place - tasks.start])

    def plan(self, number: int) -> slice:
        """Return the slice of the table that holds plan `number`."""
        bounds = self.firsts[number : number + 2]
        first, last = bounds.tolist()
        return slice(first, last)


def blank_rows(count: int) -> NDArray[Any]:
    """Return blank tasks to fill in: all numbers that may not apply are ABSENT."""
    rows = np.full(count, ABSENT).astype(TASK_DTYPE)
    for name in ("rows", "bytes", "payload", "after", "after_count"):
        rows[name] = 0
    return rows


LATEST = 1 << 61
"""The latest accepted time in ns: the sum of three such times fits into 63 bits."""


def check_times(*columns: Ints) -> None:
    """Raise ValueError unless all times of these columns are from -LATEST to LATEST."""
    for times in columns:
        if not len(times):
            continue
        # As Python integers: the least int64 has no absolute value in int64.
        least = int(times.min())
        most = int(times.max())
        if least < -LATEST or most > LATEST:
            raise ValueError(message("a time is out of bounds"))


MOMENTS = ("ready", "launched")
"""Times that only some spans have, in ns."""
SPAN_DTYPES = {"start": np.int64, "end": np.int64, "step": np.int32, "row": np.int32}
"""Columns of every span: 24 bytes a span, and 8 for each of MOMENTS."""


@dataclass(frozen=True, slots=True)
class Spans:
    """The n spans of one lane in order of time, as arrays of shape (n,).

    `spans["start"]` returns a column: start, end, ready, launched in ns (-1 if absent), step, or
    any field of TASK_DTYPE. A slice or an array as the index selects spans. `with_later` adds spans
    in spare room of the same arrays, if there is any.
    """

    table: TaskTable
    start: Ints
    end: Ints
    step: NDArray[np.int32]
    row: NDArray[np.int32]
    ready: Ints | None = None
    launched: Ints | None = None
    # init=False: dataclasses.replace makes spans with other arrays.
    _growing: Columns | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def empty(cls, table: TaskTable, room: Arrays = NO_ARRAYS) -> Spans:
        """Return no spans; added ones fill `room`, arrays by the names of columns."""
        if not room:
            room = {name: np.empty(64, dtype) for name, dtype in SPAN_DTYPES.items()}
        return cls._of(table, Columns.over(room))

    @classmethod
    def _of(cls, table: TaskTable, columns: Columns) -> Spans:
        made = cls(table, **columns.arrays)
        object.__setattr__(made, "_growing", columns)  # the class is frozen
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
        # A slice returns views, an array returns copies.
        ready = self.ready
        if ready is not None:
            ready = ready[index]
        launched = self.launched
        if launched is not None:
            launched = launched[index]
        return Spans(
            table=self.table,
            start=self.start[index],
            end=self.end[index],
            step=self.step[index],
            row=self.row[index],
            ready=ready,
            launched=launched,
        )

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The columns by name, without absent ones of MOMENTS."""
        arrays: dict[str, NDArray[Any]] = {}
        for name in (*SPAN_DTYPES, *MOMENTS):
            column = getattr(self, name)
            if column is not None:
                arrays[name] = column
        return arrays

    def of_step(self, step: int) -> slice:
        """Return the slice of a step's spans; steps do not decrease on a lane."""
        bounds = sorted_positions(self.step, [step, step + 1])
        first, last = bounds.tolist()
        return slice(first, last)

    def timed(self, start: Ints, end: Ints) -> Spans:
        """Return the same spans at other times, without MOMENTS."""
        return Spans(
            table=self.table,
            start=start,
            end=end,
            step=self.step,
            row=self.row,
        )

    def with_later(self, spans: Spans) -> Spans:
        """Return these spans followed by others with rows of the same table.

        Sorts by time if spans are out of order, because lanes are searched by time and by step.
        Raises ValueError if a later span has an earlier step.
        """
        columns = self._growing
        if columns is None or len(columns) != len(self):  # the spare room is already used
            columns = Columns(self.arrays)
        for name in MOMENTS:
            times = getattr(spans, name)
            if times is None or name in columns.arrays:
                continue
            is_known = times != ABSENT
            if is_known.any():
                absent = np.full(len(self), ABSENT, np.int64)
                columns.put(name, absent)
        added = {name: spans[name] for name in columns.arrays}
        columns.extend(**added)
        made = Spans._of(self.table, columns)
        first = max(0, len(self) - 1)  # compare the new spans with the last old one
        if _decreases(made.start[first:]):
            order = np.argsort(made.start, kind="stable")
            # Copies, because other threads may be reading the old arrays.
            ordered = {name: array[order] for name, array in made.arrays.items()}
            made = Spans._of(self.table, Columns(ordered))
            first = 0
        if _decreases(made.step[first:]):
            raise ValueError(message("a lane's steps go back in time"))
        return made

    def _column(self, name: str) -> NDArray[Any]:
        if name in SPAN_DTYPES:
            column: NDArray[Any] = getattr(self, name)
            return column
        if name in MOMENTS:
            times: NDArray[Any] | None = getattr(self, name)
            if times is None:
                return np.full(len(self), ABSENT, np.int64)
            return times
        of_tasks: NDArray[Any] = self.table.rows[name][self.row]
        return of_tasks

    @classmethod
    def joined(cls, parts: Sequence[Spans]) -> Spans:
        """Concatenate spans of one run. Raises ValueError if there are no parts."""
        if not parts:
            raise ValueError("there are no spans to join")
        names = [*SPAN_DTYPES]
        for name in MOMENTS:
            if any(getattr(part, name) is not None for part in parts):
                names.append(name)
        table = parts[0].table
        columns: dict[str, NDArray[Any]] = {}
        for name in names:
            arrays = [part[name] for part in parts]
            columns[name] = np.concatenate(arrays)
        return cls(table, **columns)


def _decreases(values: NDArray[np.integer[Any]]) -> bool:
    """Return True if a value is smaller than the one before it."""
    is_less = np.diff(values) < 0
    return bool(is_less.any())
