"""Costs of tasks, taken from steps that were run."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.costs.costs import CostModel, Curve, CurvePoint, Curves, constant_curve
from core.costs.covered import backward_passes
from core.costs.waits import waits_of
from core.plan.plan import Lane
from core.plan.task import ABSENT, KINDS, Kind
from core.trace.step import StepColumns


def costs_of_step(columns: StepColumns, lanes: Sequence[Lane]) -> CostModel:
    """Return the costs of a step's tasks; see `costs_of_times`."""
    taken = columns.end - waits_of(columns, lanes).begun
    return costs_of_times(columns, taken[np.newaxis])


def costs_of_times(columns: StepColumns, taken: Ints) -> CostModel:
    """Return costs by block if the n tasks are of blocks, else by stage.

    `taken`, shape (S, n), are the ns of each task in S steps; of a collective only the time after
    its last member has begun. Costs are medians, and a backward over all micro-batches counts as
    one backward of each. Without known rows they are for micro-batches of any size, and transfers
    without known bytes take the same time for any size. Passes without rows are left out if others
    of their kind have rows.
    """
    by_block = bool((columns.block != ABSENT).any())
    unit = columns.block if by_block else columns.stage
    units = max(1, int(unit.max(initial=0)) + 1)
    repeats = backward_passes(columns)
    rows = columns.rows / repeats
    of_pass: Floats = taken / repeats
    passes: dict[Kind, Curves] = {}
    transfers: dict[Kind, Curve] = {}
    for code in np.unique(columns.kind).tolist():
        kind = KINDS[code]
        mine = columns.kind == code
        if not kind.is_communication and (rows[mine] > 0).any():
            # Passes of ranks without rows are shorter than those of one row. They cost nothing.
            mine &= rows > 0
        own_rows = rows[mine]
        own_times = of_pass[:, mine]
        own_unit = unit[mine]
        if kind.is_communication:
            transfers[kind] = _transfer_curve(columns.bytes[mine], own_times)
        elif kind is Kind.LOSS:
            passes[kind] = (_curve(own_rows, own_times),)
        elif (own_unit == ABSENT).all():
            # Work of several blocks or stages at once: each has an equal share.
            share = _lanes_of_replica(columns, mine) / units
            passes[kind] = (_curve(own_rows, share * own_times),)
        elif kind is not Kind.OVERLAP:
            # The time of an overlap does not show the times of its halves.
            passes[kind] = _curves_of_units(own_unit, units, own_rows, own_times)
    by_rows = bool((columns.rows > 0).any())
    return CostModel(passes, transfers, by_rows=by_rows, by_block=by_block)


def _curves_of_units(
    unit: NDArray[np.int32], units: int, rows: NDArray[Any], times: NDArray[Any]
) -> Curves:
    """Return a curve for each of the `units`, which are blocks or stages.

    `unit` and `rows` have shape (k,), `times` (S, k). Units without a task get another one's curve.
    """
    known: dict[int, Curve] = {}
    for place in np.unique(unit).tolist():
        mine = unit == place
        known[place] = _curve(rows[mine], times[:, mine])
    spare = next(iter(known.values()))
    return tuple(known.get(place, spare) for place in range(units))


def _lanes_of_replica(columns: StepColumns, mine: Bools) -> int:
    """Return the number of lanes of a replica that run some tasks."""
    lanes = len(np.unique(columns.lane[mine]))
    replicas = int(columns.replica.max(initial=0)) + 1
    return max(1, lanes // max(1, replicas))


def _transfer_curve(sizes: Ints, times: NDArray[Any]) -> Curve:
    if not sizes.any():
        return constant_curve(float(np.median(times)))
    return _curve(sizes, times)


def _curve(sizes: NDArray[Any], times: NDArray[Any]) -> Curve:
    """Return the medians of `times` (S, k) by size (k); a size of 0 counts as 1."""
    found: dict[float, list[float]] = defaultdict(list)
    for size, of_task in zip(sizes.tolist(), times.T.tolist(), strict=True):
        # Beyond its points a curve is proportional to the nearest size, which must not be 0.
        found[max(1, size)] += of_task
    points: list[CurvePoint] = []
    for size in sorted(found):
        median = statistics.median(found[size])
        points.append((float(size), median))
    return tuple(points)
