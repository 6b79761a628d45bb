"""Steps of a run with the same tasks, which can be compared task by task.

Steps of a run of this program have the same tasks if they have the same plan. Another program
writes no plan, and its host's work differs a little from step to step. In its traces, the k-th task
of a name on a lane is the same task in every step. Names that do not occur equally often on a lane
in all compared steps are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.order import row_numbers, stable_argsort
from core.plan.plan import computing_lanes, lane_indices
from core.trace.step import StepSpans
from core.trace.trace import Trace

ALIKE = 0.9
"""Least fraction of the computing tasks that alike steps share."""
_SAME = ("kind", "stage", "replica", "microbatch", "block", "bucket", "rows", "name")


@dataclass(frozen=True, slots=True)
class AlikeSteps:
    """S steps that have n tasks in common; `steps[reference]` represents them.

    `places`, shape (S, n), are positions in each step's StepSpans; the reference's ascend.
    """

    steps: tuple[int, ...]
    reference: int
    places: Ints


def alike_steps(trace: Trace, found: Mapping[int, StepSpans], reference: int) -> AlikeSteps:
    """Return the steps of `found` that share most of their tasks with the step `reference`."""
    if trace.header.source.has_plan:
        return _by_plan(found, reference)
    return _by_names(trace, found, reference)


def _by_plan(found: Mapping[int, StepSpans], reference: int) -> AlikeSteps:
    """Return the steps with the reference's plan, without an epoch's smaller last batch."""
    own = _plan_bytes(found[reference])
    same_plan = []
    for step, spans in found.items():
        if _plan_bytes(spans) == own:
            same_plan.append(step)
    steps = tuple(same_plan)
    count = len(found[reference].spans)
    in_order = np.arange(count)
    return AlikeSteps(
        steps=steps,
        reference=steps.index(reference),
        places=np.tile(in_order, (len(steps), 1)),
    )


def _plan_bytes(one: StepSpans) -> bytes:
    """Return bytes that are equal for two steps only if they have the same plan."""
    spans = one.spans
    columns = [spans["task"], one.lane, spans["kind"], spans["rows"]]
    return np.stack(columns).tobytes()


def _by_names(trace: Trace, found: Mapping[int, StepSpans], reference: int) -> AlikeSteps:
    """Return the steps that share most of the names of their computing tasks."""
    steps = list(found)
    place = steps.index(reference)
    families = _families(found)
    every_family = np.concatenate(families)
    count = int(every_family.max(initial=-1)) + 1
    counts = np.zeros((len(steps), count), np.int64)
    computing = lane_indices(computing_lanes(trace.header.lanes))
    computes = np.zeros(count, np.bool_)
    for number, step in enumerate(steps):
        own = families[number]
        counts[number] = np.bincount(own, minlength=count)
        on_compute_lane = np.isin(found[step].lane, computing)
        computes[own[on_compute_lane]] = True
    shared = _shared(counts[:, computes], place)
    alike = shared >= ALIKE
    alike[place] = True
    chosen = np.flatnonzero(alike)
    own_counts = counts[place]
    common = (counts[chosen] == own_counts).all(axis=0)
    compared = common & computes & (own_counts > 0)
    if not compared.any():
        chosen = np.array([place])
        common = np.ones(count, np.bool_)
    chosen_steps: list[int] = []
    places_of_steps: list[Ints] = []
    for at in chosen.tolist():
        chosen_steps.append(steps[at])
        places_of_steps.append(_places(families[at], common))
    places = np.stack(places_of_steps)
    reference_place = chosen_steps.index(reference)
    order = np.argsort(places[reference_place])
    return AlikeSteps(
        steps=tuple(chosen_steps),
        reference=reference_place,
        places=places[:, order],
    )


def _families(found: Mapping[int, StepSpans]) -> list[Ints]:
    """Return for each step the number of each task's family: equal lane, name and attributes."""
    every = list(found.values())
    columns = [np.concatenate([one.lane for one in every])]
    for name in _SAME:
        attributes = [one.spans[name] for one in every]
        columns.append(np.concatenate(attributes))
    numbers = row_numbers(*columns)
    lengths = [len(one.spans) for one in every]
    ends = np.cumsum(lengths)
    return np.split(numbers, ends[:-1])


def _shared(counts: Ints, place: int) -> Floats:
    """Return for each of S steps the fraction of tasks that it shares with the step at `place`.

    `counts`, shape (S, families), counts the tasks of each family in each step. A family is shared
    if both steps have it equally often.
    """
    totals = counts.sum(axis=1)
    are_equal = counts == counts[place]
    shared = np.where(are_equal, counts, 0).sum(axis=1)
    larger_total = np.maximum(totals, totals[place])
    parts: Floats = shared / np.maximum(1, larger_total)
    return parts


def _places(family: Ints, common: Bools) -> Ints:
    """Return the positions of the tasks of common families, by family and then by time."""
    mine = np.flatnonzero(common[family])
    by_family = stable_argsort(family[mine])
    return mine[by_family]
