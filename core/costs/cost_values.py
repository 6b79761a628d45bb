"""Costs as the values of a file; see `core.costs.costs_file`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from core.costs.cost_entries import FURTHER, SIZED
from core.costs.costs import CostModel, Curve, Curves, cost_at, cost_name, curve_sizes, is_constant
from core.plan.task import Kind
from core.plan.transfers import LanePair

_Key = TypeVar("_Key")


def values_of(costs: CostModel) -> dict[str, object]:
    """Return the values of a file from which `costs_of` makes these costs."""
    values: dict[str, object] = {"by": "block"} if costs.by_block else {}
    first, *others = _tables(_sized_curves(costs))
    # A file without rows has costs for micro-batches of any size.
    if not costs.by_rows:
        del first["rows"]
    values |= first
    # A step has no rows: its only point has the size 1.
    step_ms = [cost_at(curve, 1) / 1e6 for curve in costs.passes[Kind.STEP]]
    values["step_ms"] = _several(step_ms)
    if others:
        values["sizes"] = others
    if costs.transfer_ns is not None:
        values["transfer_ms"] = costs.transfer_ns / 1e6
    if costs.link is not None:
        values["link_latency_us"] = costs.link.latency_ns / 1e3
        # Bytes per ns equal GB (1e9 bytes) per second.
        values["link_bandwidth_gb_s"] = 1 / costs.link.ns_per_byte
    if costs.transfers:
        values["transfers"] = _named_points(costs.transfers, str)
    if costs.pairs:
        values["pairs"] = _named_points(costs.pairs, _pair_name)
    if costs.joined:
        values["joined"] = _named_points(costs.joined, cost_name)
    if costs.divided:
        values["divided"] = {cost_name(kind): by for kind, by in costs.divided.items()}
    if costs.input_is_data:
        values["input"] = "data"
    if costs.scatter:
        values["scatter"] = costs.scatter
    if costs.gap_ns:
        values["gap_ms"] = costs.gap_ns / 1e6
    if costs.lane_factors:
        values["lane_factors"] = {str(lane): by for lane, by in costs.lane_factors.items()}
    if costs.microbatch_factors:
        values["microbatch_factors"] = list(costs.microbatch_factors)
    if costs.head is not None:
        rows = 1.0 if not costs.by_rows else float(str(first["rows"]))
        values["head"] = _head_values(costs.head, rows)
    return values


def _named_points(
    curves: Mapping[_Key, Curve], name_of: Callable[[_Key], str]
) -> dict[str, object]:
    """Return a table of curves by the names of their keys."""
    named: dict[str, object] = {}
    for key, curve in curves.items():
        named[name_of(key)] = _points(curve)
    return named


def _pair_name(pair: LanePair) -> str:
    low, high = pair
    return f"{low}-{high}"


def _points(curve: Curve) -> float | list[list[float]]:
    """Return a curve as a list of [size, ms], or a number of ms for any size."""
    if is_constant(curve):
        return curve[0][1] / 1e6
    return [[size, ns / 1e6] for size, ns in curve]


def _head_values(head: Mapping[Kind, Curve], rows: float) -> dict[str, float]:
    """Return the table of the head's ms, at the size of the file's first costs."""
    values: dict[str, float] = {}
    for kind, curve in head.items():
        size = 1.0 if kind is Kind.STEP else rows
        values[cost_name(kind)] = cost_at(curve, size) / 1e6
    return values


def _sized_curves(costs: CostModel) -> dict[str, Curves]:
    """Return the curves over rows by their keys in a file."""
    found: dict[str, Curves] = {}
    for name, kind in SIZED.items():
        if kind in costs.passes:
            found[name] = costs.passes[kind]
    for name, further_kind in FURTHER.items():
        if further_kind in costs.further:
            found[name] = costs.further[further_kind]
    return found


def _tables(sized: Mapping[str, Curves]) -> list[dict[str, object]]:
    """Return a table for each size, in increasing order: `rows`, and costs in ms by key.

    A table has the passes with a point at its size. A stage without a point there gets an
    interpolated one, which does not change its curve.
    """
    tables: dict[float, dict[str, object]] = {}
    for name, curves in sized.items():
        for size in curve_sizes(curves):
            costs = [cost_at(curve, size) / 1e6 for curve in curves]
            table = tables.setdefault(size, {"rows": size})
            table[name] = _several(costs)
    return [tables[size] for size in sorted(tables)]


def _several(numbers: list[float]) -> float | list[float]:
    return numbers[0] if len(numbers) == 1 else numbers
