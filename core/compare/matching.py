"""Matching of the tasks of two steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import row_keys, turns
from core.plan.task import ABSENT, KINDS, Kind
from core.trace.step import StepSpans
from core.trace.trace import Trace

PLACES = (
    "kind",
    "stage",
    "replica",
    "microbatch",
    "block",
    "bucket",
    "paired_stage",
    "paired_microbatch",
)
"""The attributes that matching tasks must share, in addition to `name`."""


@dataclass(frozen=True, slots=True)
class StepTasks:
    """The n tasks of a step that have a span, sorted by their number in the plan.

    `lane`, `start` and `end` (ns) have shape (n,). `places`, shape (n, len(PLACES) + 1), has the
    attributes of PLACES and then the position of the name in `names`, or -1. `lane_names` are the
    names of all lanes.
    """

    task: NDArray[np.int32]
    lane: NDArray[np.int32]
    start: Ints
    end: Ints
    places: Ints
    names: list[str]
    lane_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.task)

    @classmethod
    def of(cls, trace: Trace, step: int) -> StepTasks:
        """Return the finished tasks of a step of a run."""
        found = StepSpans.of(trace, step)
        spans = found.spans
        places = [spans[name].astype(np.int64) for name in (*PLACES, "name")]
        return cls(
            task=spans["task"],
            lane=found.lane,
            start=spans.start,
            end=spans.end,
            places=np.stack(places, axis=1),
            names=trace.table.names,
            lane_names=tuple(lane.name for lane in trace.header.lanes),
        )

    def position(self, task: int) -> int | None:
        """Return the position of a task in these columns; None if it has no span."""
        at = int(np.searchsorted(self.task, task))
        has_span = at < len(self) and self.task[at] == task
        return at if has_span else None


@dataclass(frozen=True, slots=True)
class Matches:
    """The tasks of two steps, paired: `of_a[i]` and `of_b[i]` are positions in `a` and `b`.

    `only_a` and `only_b` are the positions of tasks without a match.
    """

    a: StepTasks
    b: StepTasks
    of_a: Ints
    of_b: Ints
    only_a: Ints
    only_b: Ints

    def __len__(self) -> int:
        return len(self.of_a)

    def task_in_b(self, task: int) -> int | None:
        """Return the number in B of a task of A, or None."""
        return _other(
            one=self.a,
            of_one=self.of_a,
            other=self.b,
            of_other=self.of_b,
            task=task,
        )

    def task_in_a(self, task: int) -> int | None:
        """Return the number in A of a task of B, or None."""
        return _other(
            one=self.b,
            of_one=self.of_b,
            other=self.a,
            of_other=self.of_a,
            task=task,
        )

    def unmatched(self) -> tuple[dict[Kind, int], dict[Kind, int]]:
        """Return the numbers of tasks of each kind that only A has, and only B, largest first."""
        return _counts(self.a, self.only_a), _counts(self.b, self.only_b)


def match_steps(a: StepTasks, b: StepTasks) -> Matches:
    """Pair the tasks of two steps.

    Paired tasks have the same kind, stage, replica, micro-batch, block, bucket and name. An
    attribute that tasks of a kind have in only one of the steps is ignored. Tasks with names, such
    as kernels of another program, must also be on lanes with the same name, if both steps have a
    lane of that name. Tasks that are equal in all of these are paired in the order of the plans.
    """
    places_b = _named_alike(a, b)
    # A key for each task, equal for tasks that match. A step may have a million tasks, and pairing
    # is then a set operation on sorted integers.
    shared = _shared_attributes(a.places, places_b)
    places = np.concatenate(shared)
    lanes = np.concatenate(_lanes_of_named(a, b))
    attributes = np.column_stack([places, lanes])
    keys = _keys(attributes, len(a))
    keys_a, keys_b = np.split(keys, [len(a)])
    _, of_a, of_b = np.intersect1d(keys_a, keys_b, assume_unique=True, return_indices=True)
    # intersect1d sorts by key; callers walk along A.
    order = np.argsort(of_a)
    only_a = _others(of_a, len(a))
    only_b = _others(of_b, len(b))
    return Matches(
        a=a,
        b=b,
        of_a=of_a[order],
        of_b=of_b[order],
        only_a=only_a,
        only_b=only_b,
    )


def _others(positions: Ints, count: int) -> Ints:
    """Return the positions below `count` that are not in `positions`."""
    left = np.ones(count, np.bool_)
    left[positions] = False
    return np.flatnonzero(left)


def _named_alike(a: StepTasks, b: StepTasks) -> Ints:
    """Return B's `places` with A's numbers for names, continued for names that A lacks."""
    known = {name: number for number, name in enumerate(a.names)}
    numbers = [known.setdefault(name, len(known)) for name in b.names]
    # Recordings number names independently: this table maps B's numbers to A's.
    table = np.array([*numbers, ABSENT], np.int64)  # the last entry is for -1
    places = b.places.copy()
    names = places[:, -1]
    places[:, -1] = table[names]
    return places


def _lanes_of_named(a: StepTasks, b: StepTasks) -> tuple[Ints, Ints]:
    """Return a number for the lane name of each task with a name; ABSENT for other tasks.

    Numbers are the same in both steps; lane names of only one step are ABSENT.
    """
    shared = _used_lane_names(a) & _used_lane_names(b)
    number = {name: place for place, name in enumerate(sorted(shared))}

    def numbers(one: StepTasks) -> Ints:
        numbers_of_lanes = [number.get(name, ABSENT) for name in one.lane_names]
        of_lane = np.array(numbers_of_lanes, np.int64)
        is_unnamed = one.places[:, -1] == ABSENT
        return np.where(is_unnamed, ABSENT, of_lane[one.lane])

    return numbers(a), numbers(b)


def _used_lane_names(one: StepTasks) -> set[str]:
    return {one.lane_names[lane] for lane in np.unique(one.lane).tolist()}


def _shared_attributes(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Return `places` in which attributes that only one step has for a kind are ABSENT."""
    a = a.copy()
    b = b.copy()
    kinds_a = a[:, 0]
    kinds_b = b[:, 0]
    for kind in np.intersect1d(kinds_a, kinds_b).tolist():
        of_a = kinds_a == kind
        of_b = kinds_b == kind
        # If only A is split into micro-batches, `microbatch` would prevent all matches.
        in_a = (a[of_a] != ABSENT).any(axis=0)
        in_b = (b[of_b] != ABSENT).any(axis=0)
        ignored = np.flatnonzero(in_a != in_b)
        a[np.ix_(of_a, ignored)] = ABSENT
        b[np.ix_(of_b, ignored)] = ABSENT
    return a, b


def _keys(places: Ints, first: int) -> Ints:
    """Return a key for each row, unique within the first `first` rows and within the others."""
    group = row_keys(*places.T)
    # intersect1d needs unique keys: number equal tasks of a step.
    numbers_a = turns(group[:first])
    numbers_b = turns(group[first:])
    numbers = np.concatenate([numbers_a, numbers_b])
    return row_keys(group, numbers)


def _other(
    one: StepTasks,
    of_one: Ints,
    other: StepTasks,
    of_other: Ints,
    task: int,
) -> int | None:
    at = one.position(task)
    if at is None:
        return None
    pair = np.flatnonzero(of_one == at)
    if not len(pair):
        return None
    position = of_other[pair[0]]
    return int(other.task[position])


def _counts(tasks: StepTasks, positions: Ints) -> dict[Kind, int]:
    codes = Counter(tasks.places[positions, 0].tolist())
    return {KINDS[code]: count for code, count in codes.most_common()}
