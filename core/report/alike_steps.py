"""Steps of a run that consist of the same tasks, so that they can be compared task by task.

Steps of an own run have the same tasks if they have the same plan. Another program writes no plan,
and what its host does differs a little from step to step. There a task of one step is the same as
a task of another one if both are the k-th of their name on their lane in their step. Names that do
not occur equally often on a lane in all compared steps are left aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.order import row_keys, stable_argsort
from core.plan.plan import computing_lanes
from core.trace.step import StepSpans
from core.trace.trace import Trace

Ints = NDArray[np.int64]
ALIKE = 0.9
"""The part of the computing tasks of two steps, at least, that are the same if they are alike."""
_SAME = ("kind", "stage", "replica", "microbatch", "block", "bucket", "rows", "name")


@dataclass(frozen=True, slots=True)
class AlikeSteps:
    """S steps that have n tasks in common, `steps[reference]` the one that stands for all.

    `places` (S, n) are positions in each step's StepSpans; those of the reference ascend.
    """

    steps: tuple[int, ...]
    reference: int
    places: Ints


def alike_steps(trace: Trace, found: Mapping[int, StepSpans], reference: int) -> AlikeSteps:
    """Return the steps that have most of their tasks in common with the step `reference`.

    `found` are the steps to choose from; `reference` is the number of one of them.
    """
    if trace.header.source.has_plan:
        return _by_plan(found, reference)
    return _by_names(trace, found, reference)


def _by_plan(found: Mapping[int, StepSpans], reference: int) -> AlikeSteps:
    """Steps of one plan: those of the last, smaller batch of an epoch are left out."""
    own = _plan_bytes(found[reference])
    steps = tuple(step for step, one in found.items() if _plan_bytes(one) == own)
    count = len(found[reference].spans)
    places = np.tile(np.arange(count), (len(steps), 1))
    return AlikeSteps(steps, steps.index(reference), places)


def _plan_bytes(one: StepSpans) -> bytes:
    """Return bytes that are the same for two steps only if they have one plan."""
    spans = one.spans
    return np.stack([spans["task"], one.lane, spans["kind"], spans["rows"]]).tobytes()


def _by_names(trace: Trace, found: Mapping[int, StepSpans], reference: int) -> AlikeSteps:
    """Steps that share most of the names of what they compute."""
    steps = list(found)
    place = steps.index(reference)
    families = _families(found)
    count = max((int(own.max(initial=-1)) for own in families), default=-1) + 1
    often = np.stack([np.bincount(own, minlength=count) for own in families])
    computing = [lane.index for lane in computing_lanes(trace.header.lanes)]
    computes = np.zeros(count, np.bool_)
    for own, step in zip(families, steps, strict=True):
        computes[own[np.isin(found[step].lane, computing)]] = True
    alike = _shared(often[:, computes], place) >= ALIKE
    alike[place] = True
    chosen = np.flatnonzero(alike)
    common = (often[chosen] == often[place]).all(axis=0)
    if not (common & computes & (often[place] > 0)).any():
        chosen, common = np.array([place]), np.ones(count, np.bool_)
    places = np.stack([_places(families[at], common) for at in chosen])
    its_place = int(np.flatnonzero(chosen == place)[0])
    order = np.argsort(places[its_place])
    return AlikeSteps(tuple(steps[at] for at in chosen), its_place, places[:, order])


def _families(found: Mapping[int, StepSpans]) -> list[Ints]:
    """For each step the number of each task's family: lane, name, and what else is known of it."""
    lanes = np.concatenate([one.lane for one in found.values()])
    columns = (np.concatenate([one.spans[name] for one in found.values()]) for name in _SAME)
    numbers = np.unique(row_keys(lanes, *columns), return_inverse=True)[1]
    ends = np.cumsum([len(one.spans) for one in found.values()])
    return np.split(numbers, ends[:-1])


def _shared(often: Ints, place: int) -> NDArray[np.float64]:
    """Return for each of S steps the part of its tasks whose families one step has as often.

    `often` (S, families) is how often each family occurs in each step, and `place` is that step.
    """
    totals = often.sum(axis=1)
    shared = np.where(often == often[place], often, 0).sum(axis=1)
    parts: NDArray[np.float64] = shared / np.maximum(1, np.maximum(totals, totals[place]))
    return parts


def _places(family: Ints, common: NDArray[np.bool_]) -> Ints:
    """Positions of the tasks of common families, by family and in each in order of time."""
    mine = np.flatnonzero(common[family])
    return mine[stable_argsort(family[mine])]
