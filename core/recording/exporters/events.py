"""What every format of other programs is made of: a trace's spans as columns, and who waited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.plan.plan import Role
from core.plan.task import ABSENT, KINDS
from core.recording.schema import ARROW_TYPES
from core.trace.event_rows import Counter
from core.trace.span import bar_label
from core.trace.spans import ATTRIBUTES, WORDS, Spans
from core.trace.trace import Trace

PIECE = 1 << 14
"""Events that are written at once."""
_LABELLED = ("microbatch", "bucket", "block", "replica", "paired_microbatch")
_NUMBERS = [name for name in ATTRIBUTES if name not in WORDS and name != "lane"]


@dataclass(frozen=True)
class Events:
    """The n spans of some lanes of a trace behind one another, and the lane of each."""

    trace: Trace
    lane: NDArray[np.int64]
    spans: Spans

    @classmethod
    def of(cls, trace: Trace, step: int | None = None) -> Events:
        """All spans of a trace, or of a step, lane by lane."""
        parts = [trace.spans(lane.index) for lane in trace.header.lanes]
        if step is not None:
            parts = [part[part.of_step(step)] for part in parts]
        lane = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return cls(trace, lane, Spans.joined(parts))

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def labels(self) -> list[str]:
        """What the bar of each says."""
        # A task has one label in all its steps: made once for each task, not for each span.
        rows, which = np.unique(self.spans.row, return_inverse=True)
        tasks = self.trace.table.rows[rows]
        numbers = np.stack([tasks[name] for name in _LABELLED], axis=1).tolist()
        every = [
            self.trace.table.names[name] if name != ABSENT else bar_label(KINDS[kind], *some)
            for name, kind, some in zip(
                tasks["name"].tolist(), tasks["kind"].tolist(), numbers, strict=True
            )
        ]
        return [every[place] for place in which.tolist()]

    @cached_property
    def kinds(self) -> list[str]:
        """What each is: the word of its kind."""
        return [str(KINDS[kind]) for kind in self.spans["kind"].tolist()]

    def arguments(self, first: int, last: int) -> list[dict[str, int]]:
        """What is known of the tasks of some, by the names of core.plan.task.Task.

        The step has the number under which it is shown: `iteration`, the first one 1.
        """
        some = self.spans[first:last]
        rows = some.table.rows[some.row]
        columns = {name: rows[name] for name in _NUMBERS}
        columns["iteration"] = np.where(some.step == ABSENT, ABSENT, some.step + 1)
        every: list[dict[str, int]] = [{} for _ in range(len(some))]
        for name, column in columns.items():
            # Rows and bytes of 0 are none; a stage or a micro-batch 0 is the first one.
            nothing = 0 if name in ("rows", "bytes") else ABSENT
            for place in np.flatnonzero(column != nothing).tolist():
                every[place][name] = int(column[place])
        return every

    @cached_property
    def links(self) -> NDArray[np.int64]:
        """Pairs of spans by their places, shape (k, 2): the second waited for the first.

        A task of a run waits for those of its own step. Another program's tasks have run once.
        """
        table, spans = self.trace.table, self.spans
        counts, needs = table.needs(spans.row)
        behind = np.repeat(np.arange(len(spans)), counts)
        # `needs` are numbers within a plan; rows of the table count through all plans.
        wanted = table.firsts[spans["plan"][behind]] + needs
        # Plus one, so that ABSENT (-1), of spans outside of steps, is no negative part of a key.
        has_plan = self.trace.header.source.has_plan
        step = spans.step + 1 if has_plan else np.zeros(len(spans), np.int64)
        wide = int(step.max(initial=0)) + 1
        key = spans.row.astype(np.int64) * wide + step
        order = np.argsort(key, kind="stable")
        asked = wanted * wide + step[behind]
        # A key beyond all others is found behind the last: moved back, it is no hit there.
        place = np.minimum(np.searchsorted(key[order], asked), max(0, len(key) - 1))
        hit = key[order][place] == asked
        return np.stack([order[place[hit]], behind[hit]], axis=1)


def pieces(count: int) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) of each piece of so many events."""
    for first in range(0, count, PIECE):
        yield first, min(first + PIECE, count)


def numbers_or_none(numbers: NDArray[np.integer], kind: pa.DataType) -> pa.Array:
    """Numbers as an Arrow array of a kind, null where they are ABSENT."""
    return pa.array(numbers.astype(np.int64), kind, mask=numbers == ABSENT)


def words_or_none(
    codes: NDArray[np.integer], words: Sequence[str], written: Callable[[str], str] = str
) -> pa.Array:
    """The words of some codes, as they are to be `written`; ABSENT has none."""
    distinct, which = np.unique(codes, return_inverse=True)
    own = [None if code == ABSENT else written(words[code]) for code in distinct.tolist()]
    return pa.array(own, pa.string()).take(pa.array(which))


def attribute_column(
    rows: NDArray[Any], name: str, written: Callable[[str], str] = str
) -> pa.Array:
    """What ATTRIBUTES call `name` of each task, with words as they are to be `written`."""
    if name in WORDS:
        return words_or_none(rows[name], WORDS[name], written)
    return numbers_or_none(rows[name], ARROW_TYPES[name])


def counter_name(trace: Trace, counter: Counter) -> str:
    """A counter's name, with its lane's."""
    if counter.lane is None:
        return counter.name
    return f"{counter.name} of {trace.header.lanes[counter.lane].name}"


def ranks_of(trace: Trace) -> list[list[int]]:
    """The lanes of each rank: a compute lane with those that serve it; a place of other programs.

    Another program's lanes of one place are one rank; nested lanes belong to the lane whose tasks
    they divide.
    """
    lanes = trace.header.lanes
    if not trace.header.source.has_plan:
        by_device: dict[str, list[int]] = {}
        for lane in lanes:
            by_device.setdefault(lane.device, []).append(lane.index)
        return list(by_device.values())
    # In the order of the compute lanes, wherever the lanes are that serve them.
    computing = [lane for lane in lanes if lane.role is Role.COMPUTE and lane.serves == lane.index]
    ranks: dict[int, list[int]] = {lane.index: [] for lane in computing}
    for lane in lanes:
        ranks.setdefault(_root(trace, lane.index), []).append(lane.index)
    return list(ranks.values())


def _root(trace: Trace, lane: int) -> int:
    """The compute lane that a lane works for in the end."""
    # Nothing checks a header for lanes that serve each other in a circle.
    for _ in range(8):
        serves = trace.header.lanes[lane].serves
        if serves == lane:
            break
        lane = serves
    return lane
