"""Costs of passes in a file of costs, in one or several sizes; see `core.costs.costs_file`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.costs.cost_entries import number_of, numbers_of, shortened
from core.costs.costs import CostError, CurvePoint, Curves, cost_name
from core.message import Text, message
from core.plan.task import Kind


def passes_of(
    values: Mapping[str, object], names: Mapping[str, Kind]
) -> tuple[dict[Kind, Curves], bool]:
    """Return the curves of the passes with these keys, and True if their sizes are rows."""
    tables = _size_tables(values)
    by_rows = "rows" in values or bool(tables)
    # The top level of a file is the first of its sizes.
    if names.keys() & values.keys():
        tables = [values, *tables]
    points: dict[Kind, list[list[CurvePoint]]] = {}
    for table in tables:
        size = size_of(table, by_rows)
        for name, kind in names.items():
            if name not in table:
                continue
            costs = numbers_of(name, table[name])
            curves = points.setdefault(kind, [[] for _ in costs])
            _check_entries(name, len(curves), len(costs))
            for curve, cost in zip(curves, costs, strict=True):
                curve.append((size, cost))
    passes: dict[Kind, Curves] = {}
    for kind, unsorted in points.items():
        passes[kind] = tuple(tuple(sorted(curve)) for curve in unsorted)
    return passes, by_rows


def _size_tables(values: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the tables of further sizes. Raises CostError."""
    tables = values.get("sizes", [])
    if isinstance(tables, list) and all(isinstance(table, dict) for table in tables):
        return tables
    raise CostError(message("sizes is {value}; use a list of tables", value=shortened(tables)))


def size_of(table: Mapping[str, object], by_rows: bool) -> float:
    """Return the rows of a table; 1 if a file is not `by_rows`. Raises CostError."""
    if "rows" in table:
        return number_of("rows", table["rows"], above=0)
    if by_rows:
        raise CostError(message("the costs lack rows: with sizes, each table needs its own"))
    return 1.0


def _check_entries(name: str, before: int, count: int) -> None:
    """Raise CostError for a list of losses, or if a list has other lengths for other sizes."""
    if name == cost_name(Kind.LOSS) and count > 1:
        raise CostError(
            message("{name} is a list; only the last stage has a loss: use a number", name=name)
        )
    if before != count:
        raise CostError(
            message(
                "{name} has {before} and {count} entries; use the same number of entries",
                name=name,
                before=before,
                count=count,
            )
        )


def check_lengths(passes: Mapping[Kind, Curves], name_of: Callable[[Kind], str]) -> None:
    """Raise CostError for lists of different lengths, and for sizes that occur twice."""
    lengths: set[int] = set()
    given_lists: list[str] = []
    for kind, curves in passes.items():
        length = len(curves)
        if length > 1:
            lengths.add(length)
            given_lists.append(f"{name_of(kind)} {length}")
    if len(lengths) > 1:
        given = ", ".join(given_lists)
        raise CostError(
            message("lists by stage need the same number of entries; given: {given}", given=given)
        )
    for kind, curves in passes.items():
        sizes = [size for size, _ in curves[0]]
        if len(set(sizes)) < len(sizes):
            raise CostError(message("{name} is given twice for the same rows", name=name_of(kind)))


def missing_costs(passes: Mapping[Kind, object]) -> list[Text]:
    """Return the names of the costs that every file needs and this one lacks."""
    parts = () if Kind.BACKWARD in passes else (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
    needed = (Kind.FORWARD, *parts, Kind.STEP)
    return [cost_name(kind) for kind in needed if kind not in passes]
