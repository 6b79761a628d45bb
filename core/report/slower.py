"""Which lanes or links take longer than their peers for the same, and by which factor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.order import groups
from core.plan.task import ABSENT, KINDS
from core.report.measured import Floats, Ints, Measured

CERTAIN = 2.8
"""How many standard errors a lane or link must be slower than its peers."""
SLOWER = 1.02
"""By what factor at least: lanes that do the same differ by as much without a fault."""
MUCH = 0.15
"""The part of a place's time that a kind of task makes which must be slower too."""
COLD_KIND_NS, COLD_TASK_NS = 100_000, 20_000
"""What a lane takes longer at most because it comes first, for each kind of task in a step and for
each task: caches and the interpreter are cold then."""


def slower(
    run: Measured, task: Ints, place: Ints, count: int, cold: bool = False
) -> Iterator[tuple[int, float, Ints]]:
    """The places that surely take longer than their peers, by which factor, and their tasks.

    `task` and `place` have m entries: the tasks of each of `count` places (-1 for none). What a
    place takes in a step, all that has peers together, is held against what these take for the
    same. A place is slower only if it is in every kind of task that makes much of its time: one
    kind alone has another reason. And where it may have been `cold`, only by more than that costs.
    The tasks are those that have peers: of others it is not known whether they take longer.
    """
    counted = place != ABSENT
    task, place = task[counted], place[counted]
    exact = _compared(run, run.alike, task, place, count)
    rough = _compared(run, run.roughly, task, place, count, exact.known)
    tasks = np.bincount(place, minlength=count)
    for where in np.flatnonzero(exact.usual[-1].sum(axis=1)).tolist():
        own, usual = exact.own[:, where], exact.usual[:, where]
        excess = float(np.median((own - usual).sum(axis=1)[:-1]))
        first = cold * (COLD_KIND_NS * np.count_nonzero(usual[-1]) + COLD_TASK_NS * tasks[where])
        # What is held against what is nearly the same may be slower by what that shows, but not by
        # more than what is held against the same.
        surely = own.sum(axis=1, keepdims=True) / usual.sum(axis=1, keepdims=True)
        usual = usual + np.maximum(rough.usual[:, where], rough.own[:, where] / surely)
        own = own + rough.own[:, where]
        variance = exact.variance[where] + rough.variance[where]
        factor = _certain_factor(own, usual, variance)
        if factor is not None and excess > first:
            yield where, factor, task[(place == where) & (exact.known | rough.known)]


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
    run: Measured, numbers: Ints, task: Ints, place: Ints, count: int,
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


def scatter(values: Floats) -> float:
    """The standard deviation, from the median deviation of the median (normal: 1.4826 of it)."""
    return 1.4826 * float(np.median(np.abs(values - np.median(values))))
