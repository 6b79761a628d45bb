"""Spans of a trace as columns, and their dependencies: the input of all exporters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import find_keys
from core.plan.plan import Role
from core.plan.task import ABSENT, KINDS
from core.recording.schema import arrow_types
from core.trace.event_rows import Counter
from core.trace.span import bar_label
from core.trace.spans import ATTRIBUTES, WORDS, Spans
from core.trace.trace import Trace

CHUNK = 1 << 14
"""Number of events that are written at once."""
_LABELLED = ("microbatch", "bucket", "block", "replica", "paired_microbatch")
_NUMBERS = [name for name in ATTRIBUTES if name not in WORDS and name != "lane"]


@dataclass(frozen=True)
class ExportedSpans:
    """The n spans of all lanes of a trace, lane after lane, and the lane of each."""

    trace: Trace
    lane: Ints
    spans: Spans

    @classmethod
    def of(cls, trace: Trace, step: int | None = None) -> ExportedSpans:
        """Return all spans of a trace, or only those of a step if it is given."""
        parts = []
        counts = []
        for each in trace.header.lanes:
            part = trace.spans(each.index)
            if step is not None:
                of_step = part.of_step(step)
                part = part[of_step]
            parts.append(part)
            counts.append(len(part))
        numbers = np.arange(len(parts))
        lane = np.repeat(numbers, counts)
        return cls(trace, lane, Spans.joined(parts))

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def labels(self) -> list[str]:
        """The label of each span's bar."""
        # A task has the same label in all steps: make it once for each task, not for each span.
        table = self.trace.table
        rows, which = np.unique(self.spans.row, return_inverse=True)
        tasks = table.rows[rows]
        kinds = tasks["kind"].tolist()
        names = tasks["name"].tolist()
        columns = [tasks[name] for name in _LABELLED]
        numbers = np.stack(columns, axis=1).tolist()
        labels = []
        for code, name, labelled in zip(kinds, names, numbers, strict=True):
            if name == ABSENT:
                kind = KINDS[code]
                label = bar_label(kind, *labelled)
            else:
                label = table.names[name]
            labels.append(label)
        return [labels[place] for place in which.tolist()]

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each span's task."""
        return [str(KINDS[kind]) for kind in self.spans["kind"].tolist()]

    def arguments(self, first: int, last: int) -> list[dict[str, int]]:
        """Return the known attributes of the tasks of spans `first` to `last`, which is excluded.

        They have the same names as in core.plan.task.Task. `iteration` is the number of the step as
        it is shown, counted from 1.
        """
        spans = self.spans[first:last]
        rows = spans.table.rows[spans.row]
        columns = {name: rows[name] for name in _NUMBERS}
        step = steps_of(self.trace, spans)
        columns["iteration"] = np.where(step == ABSENT, ABSENT, step + 1)
        found: list[dict[str, int]] = [{} for _ in range(len(spans))]
        for name, column in columns.items():
            # 0 rows or bytes mean none; stage 0 and micro-batch 0 are the first ones.
            nothing = 0 if name in ("rows", "bytes") else ABSENT
            is_known = column != nothing
            for place in np.flatnonzero(is_known).tolist():
                found[place][name] = int(column[place])
        return found

    @cached_property
    def links(self) -> Ints:
        """Pairs of positions of spans, shape (k, 2): the second span depends on the first.

        A task of a plan depends on tasks of its own step. Each task of another trace has run once.
        """
        table = self.trace.table
        spans = self.spans
        count = len(spans)
        counts, needs = table.needs(spans.row)
        waiting = np.repeat(np.arange(count), counts)
        # `needs` are numbers within a plan; rows of the table count through all plans.
        plan_of_waiting = spans["plan"][waiting]
        wanted = table.firsts[plan_of_waiting] + needs
        step = np.zeros(count, np.int64)
        if self.trace.header.source.has_plan:
            # Plus one, because ABSENT (-1), of spans outside of steps, would make a key negative.
            step += spans.step + 1
        width = int(step.max(initial=0)) + 1
        row = spans.row.astype(np.int64)
        key = row * width + step
        wanted_key = wanted * width + step[waiting]
        order = np.argsort(key, kind="stable")
        place, is_found = find_keys(key[order], wanted_key)
        needed = order[place[is_found]]
        return np.stack([needed, waiting[is_found]], axis=1)


def steps_of(trace: Trace, spans: Spans) -> NDArray[np.int32]:
    """Return the step of each of n spans of a trace, ABSENT for a span outside of all steps."""
    # A span after the last step has the number of a step that does not exist, because the numbers
    # on a lane must not decrease.
    is_in_step = np.isin(spans.step, trace.step_table.numbers)
    return np.where(is_in_step, spans.step, np.int32(ABSENT))


def chunks(count: int) -> Iterator[tuple[int, int]]:
    """Yield first and last (exclusive) of each chunk of `count` events."""
    for first in range(0, count, CHUNK):
        last = min(first + CHUNK, count)
        yield first, last


def nullable_numbers(numbers: NDArray[np.integer], kind: pa.DataType) -> pa.Array:
    """Return numbers as an Arrow array of a type, with null for ABSENT."""
    is_absent = numbers == ABSENT
    return pa.array(numbers.astype(np.int64), kind, mask=is_absent)


def nullable_words(
    codes: NDArray[np.integer], words: Sequence[str], written: Callable[[str], str] = str
) -> pa.Array:
    """Return the words of codes, converted by `written`, with null for ABSENT."""
    distinct, which = np.unique(codes, return_inverse=True)
    texts: list[str | None] = []
    for code in distinct.tolist():
        if code == ABSENT:
            texts.append(None)
        else:
            texts.append(written(words[code]))
    distinct_texts = pa.array(texts, pa.string())
    return distinct_texts.take(pa.array(which))


def attribute_column(
    rows: NDArray[Any], name: str, written: Callable[[str], str] = str
) -> pa.Array:
    """Return an attribute of tasks as an Arrow array, with words converted by `written`."""
    if name in WORDS:
        return nullable_words(rows[name], WORDS[name], written)
    return nullable_numbers(rows[name], arrow_types()[name])


def counter_name(trace: Trace, counter: Counter) -> str:
    """Return a counter's name, with the name of its lane."""
    if counter.lane is None:
        return counter.name
    lane = trace.header.lanes[counter.lane]
    return f"{counter.name} of {lane.name}"


def lanes_by_rank(trace: Trace) -> list[list[int]]:
    """Return the lanes of each rank.

    A rank of a plan is a compute lane with the lanes that serve it; nested lanes belong to the lane
    whose tasks they divide. In other traces, all lanes of a device or process are one rank.
    """
    lanes = trace.header.lanes
    if not trace.header.source.has_plan:
        by_device: dict[str, list[int]] = {}
        for lane in lanes:
            of_device = by_device.setdefault(lane.device, [])
            of_device.append(lane.index)
        return list(by_device.values())
    ranks: dict[int, list[int]] = {}
    # Ranks are in the order of their compute lanes, regardless of the lanes that serve them.
    for lane in lanes:
        if lane.role is Role.COMPUTE and lane.serves == lane.index:
            ranks[lane.index] = []
    for lane in lanes:
        root = _root(trace, lane.index)
        of_rank = ranks.setdefault(root, [])
        of_rank.append(lane.index)
    return list(ranks.values())


def _root(trace: Trace, lane: int) -> int:
    """Return the compute lane that a lane serves, directly or not."""
    # A header may have lanes that serve each other in a cycle, so the number of steps is limited.
    for _ in range(8):
        serves = trace.header.lanes[lane].serves
        if serves == lane:
            break
        lane = serves
    return lane
