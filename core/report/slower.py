"""Which lanes or links take longer than their peers for the same, and by which factor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.order import groups
from core.plan.task import ABSENT, KINDS
from core.report.measured import Floats, Ints, MeasuredSteps
from core.scatter import scatter

CERTAIN = 2.8
"""How many standard errors a lane or link must be slower than its peers."""
SLOWER = 1.02
"""By what factor at least: lanes that do the same differ by as much without a fault."""
MUCH = 0.15
"""The part of a place's time that a kind of task makes which must be slower too."""
COST_ERROR, KIND_ERROR = 0.02, 0.05
"""The standard error of a task's measured cost, relative to the costs of other tasks of its kind,
and relative to tasks of other kinds."""
COLD_KIND_NS, COLD_TASK_NS = 100_000, 20_000
"""What a lane takes longer at most because it comes first, for each kind of task in a step and for
each task: caches and the interpreter are cold then."""


@dataclass(frozen=True, slots=True)
class Slower:
    """A place that surely takes longer than its peers, by `factor`.

    `tasks` are the tasks for which that is known. If they are not all of the place's tasks, the
    place is known only `partly`.
    """

    place: int
    factor: float
    tasks: Ints
    partly: bool


def slower(
    run: MeasuredSteps,
    task: Ints,
    place: Ints,
    count: int,
    cold: bool = False,
    costs: Floats | None = None,
) -> Iterator[Slower]:
    """Find the places that surely take longer than their peers.

    `task` and `place` have m entries: the tasks of each of `count` places (-1 for none). All tasks
    of a place that have peers are added up in each step and compared with what the peers take for
    the same. Tasks without such peers are compared by `costs` (ns of each task of the plan), if
    these are known: relative to its cost a task must take longer than the tasks of other places.
    A place is slower only if it is in every kind of task that makes much of its time: one kind
    alone has another reason. Where it may have been `cold`, it must be slower by more than that
    costs.
    """
    counted = place != ABSENT
    task, place = task[counted], place[counted]
    exact = _compared(run, run.alike, task, place, count)
    if costs is None:
        rough = _compared(run, run.roughly, task, place, count, exact.known)
    else:
        rough = _by_costs(run, costs, task, place, count, exact.known)
    tasks = np.bincount(place, minlength=count)
    first_known = exact if costs is None else _joined(exact, rough)
    for where in np.flatnonzero(first_known.usual[-1].sum(axis=1)).tolist():
        own, usual = first_known.own[:, where], first_known.usual[:, where]
        excess = float(np.median((own - usual).sum(axis=1)[:-1]))
        first = cold * (COLD_KIND_NS * np.count_nonzero(usual[-1]) + COLD_TASK_NS * tasks[where])
        variance = first_known.variance[where]
        if costs is None:
            # A task compared with nearly the same work may be slower by what that shows, but not by
            # more than tasks compared with the same work.
            surely = own.sum(axis=1, keepdims=True) / usual.sum(axis=1, keepdims=True)
            usual = usual + np.maximum(rough.usual[:, where], rough.own[:, where] / surely)
            own = own + rough.own[:, where]
            variance = variance + rough.variance[where]
        factor = _certain_factor(own, usual, variance)
        if factor is not None and excess > first:
            mine, known = place == where, exact.known | rough.known
            partly = bool((mine & ~known).any())
            yield Slower(where, factor, task[mine & known], partly)


def _joined(one: _Compared, other: _Compared) -> _Compared:
    """Add up two comparisons of different tasks of the same places."""
    return _Compared(
        one.own + other.own,
        one.usual + other.usual,
        one.variance + other.variance,
        one.known | other.known,
    )


def _by_costs(
    run: MeasuredSteps,
    costs: Floats,
    task: Ints,
    place: Ints,
    count: int,
    without: NDArray[np.bool_],
) -> _Compared:
    """Compare what places take for tasks, relative to their costs, with other places' tasks.

    The peers of a task are tasks of its kind; if no other place has any, all tasks of other places.
    Tasks `without` (m) are peers, but are not counted themselves.
    """
    shape = (len(run.steps) + 1, count, len(KINDS))
    own, usual, variance = np.zeros(shape), np.zeros(shape), np.zeros(shape[1:])
    known = np.zeros(len(task), bool)
    kinds = run.columns.kind[task]
    left = ~without
    for kind in np.unique(kinds[left]).tolist():
        of_kind = kinds == kind
        for where in np.unique(place[left & of_kind]).tolist():
            mine = left & of_kind & (place == where)
            peers = of_kind & (place != where)
            error = COST_ERROR
            if not peers.any():
                peers, error = place != where, KIND_ERROR
            if not peers.any():
                continue
            of_places = [
                _relative(run, costs, task[peers & (place == other)])
                for other in np.unique(place[peers]).tolist()
            ]
            typical = np.median(of_places, axis=0)
            cost = costs[task[mine]].sum()
            own[:, where, kind] = cost * _relative(run, costs, task[mine])
            usual[:, where, kind] = cost * typical
            variance[where, kind] = (error * cost * typical[-1]) ** 2
            known |= mine
    return _Compared(own, usual, variance, known)


def _relative(run: MeasuredSteps, costs: Floats, tasks: Ints) -> Floats:
    """Return the time of some tasks relative to their costs: of each of S steps, and the usual one.

    The usual one is without what is far out.
    """
    taken = np.maximum(run.taken[:, tasks], 1)
    each = taken.sum(axis=1) / costs[tasks].sum()
    usual = np.exp(_mean(np.log(taken / costs[tasks]).ravel()))
    relative: Floats = np.append(each, usual)
    return relative


def _certain_factor(own: Floats, usual: Floats, variance: Floats) -> float | None:
    """By which factor a place is slower in its median step; None if that is not certain.

    `own` and `usual` are ns of each of S steps, and of a usual one, by kind (S + 1, kinds);
    `variance` (kinds) is that of the last one's difference.
    """
    *steps, typical = np.log(own.sum(axis=1) / usual.sum(axis=1))
    mean = float(np.median(steps))
    whole = float(np.log(own[:-1].sum() / usual[:-1].sum()))
    # A median of n values scatters 1.25 times as much as their mean does.
    between = 1.25 * scatter(np.array(steps)) / np.sqrt(len(steps))
    error = CERTAIN * max(between, np.sqrt(variance.sum()) / usual[-1].sum())
    # A few long tasks make no slow lane: its usual tasks are slower too, and the sum of all steps.
    if mean <= max(error, np.log(SLOWER)) or min(typical, whole) < mean / 2:
        return None
    large = own[-1] >= MUCH * own[-1].sum()
    own, usual, spread = own[:, large], usual[:, large], np.sqrt(variance[large])
    # A slow lane is slow in all that it does, give or take; a third of the mean excess, and the
    # errors, are left for kinds that scatter. None may be quicker, in a usual step or in all.
    kinds = np.median(np.log(own[:-1] / usual[:-1]), axis=0)
    longer = (kinds > 0) & (own[:-1].sum(axis=0) > usual[:-1].sum(axis=0))
    alike = longer & (kinds + CERTAIN * spread / usual[-1] >= mean / 3)
    return float(np.exp(mean)) if alike.all() else None


@dataclass(frozen=True, slots=True)
class _Compared:
    """What places take for tasks that have peers, and what these `usual`ly take for the same.

    In ns, of shape (S + 1, places, kinds): of each step, and last of a typical one, without what
    is far out. `variance` (places, kinds) is that of the difference in this one, and `known` (m)
    says which of the tasks have peers.
    """

    own: Floats
    usual: Floats
    variance: Floats
    known: NDArray[np.bool_]


def _compared(
    run: MeasuredSteps, numbers: Ints, task: Ints, place: Ints, count: int,
    without: NDArray[np.bool_] | None = None,
) -> _Compared:  # fmt: skip
    """What the tasks of each place take beside those of other places that have the same number.

    Tasks `without` (m) are peers, but are not counted themselves.
    """
    shape = (len(run.steps) + 1, count, len(KINDS))
    own, usual, variance = np.zeros(shape), np.zeros(shape), np.zeros(shape[1:])
    left = np.ones(len(task), bool) if without is None else ~without
    known = np.zeros(len(task), bool)
    for group in groups(numbers[task]):
        at = {int(place[one[0]]): one for one in groups(place, group)}
        if len(at) < 2 or not left[group].any():
            continue
        full = {
            where: np.maximum(run.taken[:, task[one]], 1) / run.parts[task[one]]
            for where, one in at.items()
        }
        logs = {where: np.log(values).ravel() for where, values in full.items()}
        means = {
            where: np.append(values.mean(axis=1), np.exp(_mean(logs[where])))
            for where, values in full.items()
        }
        noise = float(np.median([scatter(values) for values in logs.values()]))
        for where, one in at.items():
            one = one[left[one]]
            others = np.median([mean for other, mean in means.items() if other != where], axis=0)
            weight, kind = run.parts[task[one]].sum(), int(run.columns.kind[task[group[0]]])
            own[:, where, kind] += weight * means[where]
            usual[:, where, kind] += weight * others
            # Variance of a difference: of this mean, and of the median of the means of the k - 1
            # others, taken as if it were their mean.
            variance[where, kind] += (
                (weight * others[-1] * noise) ** 2 / len(logs[where]) * (1 + 1 / (len(at) - 1))
            )
            known[one] = True
    return _Compared(own, usual, variance, known)


def _mean(values: Floats) -> float:
    """The mean without the fifth that is farthest out, half of it on each side."""
    # Of fewer than five values only the middle one is left, or the middle two: their median.
    cut = -(-len(values) // 10) if len(values) >= 5 else (len(values) - 1) // 2
    return float(np.sort(values)[cut : len(values) - cut].mean())
