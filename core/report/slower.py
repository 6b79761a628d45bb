"""Lanes or links that are significantly slower than their peers at the same work."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.order import groups
from core.plan.task import ABSENT, KINDS
from core.report.measured import MeasuredSteps
from core.scatter import scatter

CERTAIN = 2.8
"""A place that is slower than its peers by this number of standard errors is slow."""
SLOWER = 1.02
"""Least factor by which a place is slow: equal lanes differ by as much without a fault."""
MUCH = 0.15
"""A kind of task that makes this fraction of a place's time must be slower too."""
COST_ERROR = 0.02
"""Standard error of a task's measured cost, relative to the costs of tasks of the same kind."""
KIND_ERROR = 0.05
"""Standard error of a task's measured cost, relative to the costs of tasks of other kinds."""
COLD_KIND_NS = 100_000
"""Longest delay of the first lane for each kind of task: caches and interpreter are cold."""
COLD_TASK_NS = 20_000
"""Longest further delay of each task of the first lane, for the same reason."""
TRIMMED = 5
"""A trimmed mean ignores one in this many values, half of them at each end."""


@dataclass(frozen=True, slots=True)
class Slower:
    """A place that is significantly slower than its peers, by `factor`.

    `tasks` are the tasks for which that is known; `partly` is true if the place has others.
    """

    place: int
    factor: float
    tasks: Ints
    partly: bool


@dataclass(frozen=True, slots=True)
class _PlacedTasks:
    """m tasks of a run, and the place of each: `task` and `place` have the shape (m,)."""

    run: MeasuredSteps
    task: Ints
    place: Ints
    places: int

    def __len__(self) -> int:
        return len(self.task)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Times of places for tasks that have peers, and the peers' `usual` times for the same work.

    Both are ns of shape (S + 1, places, kinds): of each step, and last of a typical step without
    outliers. `variance`, shape (places, kinds), is the variance of the difference in the typical
    step, and `known`, shape (m,), is true for tasks with peers.
    """

    own: Floats
    usual: Floats
    variance: Floats
    known: Bools

    @classmethod
    def nothing(cls, tasks: _PlacedTasks) -> _Compared:
        """Return a comparison without any task."""
        steps = len(tasks.run.steps) + 1
        places = tasks.places
        kinds = len(KINDS)
        return cls(
            own=np.zeros((steps, places, kinds)),
            usual=np.zeros((steps, places, kinds)),
            variance=np.zeros((places, kinds)),
            known=np.zeros(len(tasks), bool),
        )

    def __add__(self, other: _Compared) -> _Compared:
        """Add a comparison of other tasks of the same places."""
        return _Compared(
            own=self.own + other.own,
            usual=self.usual + other.usual,
            variance=self.variance + other.variance,
            known=self.known | other.known,
        )


def slower(
    run: MeasuredSteps,
    task: Ints,
    place: Ints,
    count: int,
    cold: bool = False,
    costs: Floats | None = None,
) -> Iterator[Slower]:
    """Yield the places that are significantly slower than their peers.

    `task` and `place` have m entries: the tasks of each of `count` places (-1 for none). All tasks
    of a place that have peers are added up in each step and compared with the peers' times for the
    same work. Tasks without peers are compared by `costs` (ns of each task of the plan), if these
    are known: relative to its cost a task must take longer than the tasks of other places.

    A place must be slower in every kind of task that makes much of its time, because one slow kind
    has another reason. A place that may have been `cold` must be slower by more than a cold start.
    """
    counted = place != ABSENT
    tasks = _PlacedTasks(run, task[counted], place[counted], count)
    tasks_of_places = np.bincount(tasks.place, minlength=count)
    no_task = np.zeros(len(tasks), bool)
    exact = _compare_same_work(tasks, run.alike, no_task)
    if costs is None:
        rough = _compare_same_work(tasks, run.roughly, exact.known)
        compared = exact
    else:
        rough = _compare_by_costs(tasks, costs, exact.known)
        compared = exact + rough
    known = exact.known | rough.known
    usual_of_places = compared.usual[-1].sum(axis=1)
    has_peers = usual_of_places != 0
    for where in np.flatnonzero(has_peers).tolist():
        own = compared.own[:, where]
        usual = compared.usual[:, where]
        variance = compared.variance[where]
        excess_of_kinds = own[:-1] - usual[:-1]
        excess_of_steps = excess_of_kinds.sum(axis=1)
        excess_ns = float(np.median(excess_of_steps))
        cold_start_ns = 0
        if cold:
            kinds = int(np.count_nonzero(usual[-1]))
            cold_start_ns = _cold_start_ns(kinds, int(tasks_of_places[where]))
        if costs is None:
            # Roughly equal work may show a slower task too, but by no more than the tasks with
            # exactly equal work.
            own_sums = own.sum(axis=1, keepdims=True)
            usual_sums = usual.sum(axis=1, keepdims=True)
            ratio = own_sums / usual_sums
            rough_own = rough.own[:, where]
            least_usual = rough_own / ratio
            rough_usual = np.maximum(rough.usual[:, where], least_usual)
            usual = usual + rough_usual
            own = own + rough_own
            variance = variance + rough.variance[where]
        factor = _significant_factor(own, usual, variance)
        if factor is None or excess_ns <= cold_start_ns:
            continue
        mine = tasks.place == where
        compared_tasks = tasks.task[mine & known]
        others = mine & ~known
        yield Slower(
            place=where,
            factor=factor,
            tasks=compared_tasks,
            partly=bool(others.any()),
        )


def _cold_start_ns(kinds: int, tasks: int) -> int:
    """Return the longest delay of a cold place with some tasks of some kinds."""
    delay_of_kinds = COLD_KIND_NS * kinds
    delay_of_tasks = COLD_TASK_NS * tasks
    return delay_of_kinds + delay_of_tasks


def _compare_by_costs(tasks: _PlacedTasks, costs: Floats, uncounted: Bools) -> _Compared:
    """Compare times of places, relative to the tasks' costs, with times of other places.

    The peers of a task are tasks of its kind; if no other place has any, all tasks of other places.
    Tasks `uncounted` (m) are peers, but are not counted themselves.
    """
    found = _Compared.nothing(tasks)
    run = tasks.run
    task = tasks.task
    place = tasks.place
    kinds = run.columns.kind[task]
    counted = ~uncounted
    for kind in np.unique(kinds[counted]).tolist():
        of_kind = kinds == kind
        counted_of_kind = of_kind & counted
        for where in np.unique(place[counted_of_kind]).tolist():
            elsewhere = place != where
            mine = counted_of_kind & ~elsewhere
            peers = of_kind & elsewhere
            error = COST_ERROR
            if not peers.any():
                peers = elsewhere
                error = KIND_ERROR
            if not peers.any():
                continue
            usual = _usual_of_places(tasks, costs, peers)
            typical = usual[-1]
            own_tasks = task[mine]
            own = _relative(run, costs, own_tasks)
            cost = costs[own_tasks].sum()
            standard_error = error * cost * typical
            found.own[:, where, kind] = cost * own
            found.usual[:, where, kind] = cost * usual
            found.variance[where, kind] = standard_error**2
            found.known[mine] = True
    return found


def _usual_of_places(tasks: _PlacedTasks, costs: Floats, peers: Bools) -> Floats:
    """Return the median of `_relative` over the places that have tasks of the mask `peers` (m)."""
    of_places: list[Floats] = []
    for place in np.unique(tasks.place[peers]).tolist():
        of_place = peers & (tasks.place == place)
        own_tasks = tasks.task[of_place]
        of_places.append(_relative(tasks.run, costs, own_tasks))
    usual: Floats = np.median(of_places, axis=0)
    return usual


def _relative(run: MeasuredSteps, costs: Floats, tasks: Ints) -> Floats:
    """Return the time of some tasks relative to their costs: in each of S steps, and a typical one.

    The typical one ignores outliers.
    """
    taken = np.maximum(run.taken[:, tasks], 1)
    own_costs = costs[tasks]
    in_steps = taken.sum(axis=1) / own_costs.sum()
    logs = np.log(taken / own_costs)
    typical = np.exp(_trimmed_mean(logs.ravel()))
    relative: Floats = np.append(in_steps, typical)
    return relative


def _significant_factor(own: Floats, usual: Floats, variance: Floats) -> float | None:
    """Return by which factor a place is slower in its median step; None if not significantly.

    `own` and `usual` are ns of each of S steps, and of a typical one, by kind (S + 1, kinds);
    `variance` (kinds) is the variance of the difference in the typical one.
    """
    own_sums = own.sum(axis=1)
    usual_sums = usual.sum(axis=1)
    logs = np.log(own_sums / usual_sums)
    steps = logs[:-1]
    typical = logs[-1]
    median = float(np.median(steps))
    own_whole = own[:-1].sum()
    usual_whole = usual[:-1].sum()
    whole = float(np.log(own_whole / usual_whole))
    # The median of n values scatters 1.25 times as much as their mean.
    error_of_mean = scatter(steps) / np.sqrt(len(steps))
    between_steps = 1.25 * error_of_mean
    within_steps = np.sqrt(variance.sum()) / usual_sums[-1]
    error = CERTAIN * max(between_steps, within_steps)
    if median <= max(error, np.log(SLOWER)):
        return None
    # A few long tasks do not make a slow lane: its typical tasks and the sum of all steps must be
    # slower too.
    if min(typical, whole) < median / 2:
        return None
    large = own[-1] >= MUCH * own_sums[-1]
    own_large = own[:, large]
    usual_large = usual[:, large]
    if not _all_kinds_are_slow(own_large, usual_large, variance[large], median):
        return None
    return float(np.exp(median))


def _all_kinds_are_slow(own: Floats, usual: Floats, variance: Floats, median: float) -> bool:
    """Return True if a place is slow at all its kinds of work, by about the same factor.

    Kinds scatter, so a third of the logarithm of the factor, `median`, less the error, is enough.
    No kind may be faster, in the median step or in the sum of all steps.
    """
    own_steps = own[:-1]
    usual_steps = usual[:-1]
    logs = np.log(own_steps / usual_steps)
    kinds = np.median(logs, axis=0)
    own_sums = own_steps.sum(axis=0)
    usual_sums = usual_steps.sum(axis=0)
    is_longer = (kinds > 0) & (own_sums > usual_sums)
    relative_error = np.sqrt(variance) / usual[-1]
    highest = kinds + CERTAIN * relative_error
    is_slow = is_longer & (highest >= median / 3)
    return bool(is_slow.all())


def _compare_same_work(tasks: _PlacedTasks, numbers: Ints, uncounted: Bools) -> _Compared:
    """Compare times of places with times of other places for tasks with the same number.

    Tasks `uncounted` (m) are peers, but are not counted themselves.
    """
    found = _Compared.nothing(tasks)
    for group in groups(numbers[tasks.task]):
        at: dict[int, Ints] = {}
        for mine in groups(tasks.place, group):
            where = int(tasks.place[mine[0]])
            at[where] = mine
        has_peers = len(at) > 1
        if has_peers and not uncounted[group].all():
            _compare_group(tasks, at, uncounted, found)
    return found


def _compare_group(
    tasks: _PlacedTasks, at: dict[int, Ints], uncounted: Bools, found: _Compared
) -> None:
    """Add the comparison of one group of tasks with the same work, given by place, to `found`."""
    run = tasks.run
    means: dict[int, Floats] = {}
    counts: dict[int, int] = {}
    scatters: list[float] = []
    for where, mine in at.items():
        own_tasks = tasks.task[mine]
        taken = np.maximum(run.taken[:, own_tasks], 1)
        # A task that does a part of the work counts as if it did all of it.
        full = taken / run.parts[own_tasks]
        logs = np.log(full).ravel()
        counts[where] = len(logs)
        scatters.append(scatter(logs))
        typical = np.exp(_trimmed_mean(logs))
        means[where] = np.append(full.mean(axis=1), typical)
    noise = float(np.median(scatters))
    for where, mine in at.items():
        means_of_others = [mean for other, mean in means.items() if other != where]
        usual = np.median(means_of_others, axis=0)
        typical = usual[-1]
        counted = mine[~uncounted[mine]]
        parts = run.parts[tasks.task[counted]]
        weight = parts.sum()
        # All tasks of the group have the same kind.
        first = tasks.task[mine[0]]
        kind = int(run.columns.kind[first])
        found.own[:, where, kind] += weight * means[where]
        found.usual[:, where, kind] += weight * usual
        # Variance of a difference: of this mean, and of the median of the means of the other
        # places, taken as if it were their mean.
        deviation = weight * typical * noise
        of_mean = deviation**2 / counts[where]
        of_others = of_mean / (len(at) - 1)
        found.variance[where, kind] += of_mean + of_others
        found.known[counted] = True


def _trimmed_mean(values: Floats) -> float:
    """Return the mean without the fifth of the values farthest out, half of it at each end."""
    count = len(values)
    tenth = math.ceil(count / (2 * TRIMMED))
    # Fewer than TRIMMED values are reduced to the middle one or two: their median.
    cut = tenth if count >= TRIMMED else (count - 1) // 2
    ascending = np.sort(values)
    middle = ascending[cut : count - cut]
    return float(middle.mean())
