"""Keys, numbers and curves of a file of costs; see `core.costs.costs_file`."""

from __future__ import annotations

import reprlib
from typing import Any

from core.costs.costs import (
    MOST,
    STAGED,
    CostError,
    Curve,
    CurvePoint,
    constant_curve,
    cost_name,
    further_name,
)
from core.message import message
from core.plan.task import Kind

KIND_OF_KEY = {cost_name(kind): kind for kind in (*STAGED, Kind.LOSS)}
"""The keys of times, and the kinds of task that they are for."""
SIZED = {name: kind for name, kind in KIND_OF_KEY.items() if kind is not Kind.STEP}
"""The keys of passes, whose times depend on the rows of a micro-batch."""
FURTHER = {further_name(kind): kind for kind in (Kind.BACKWARD, Kind.BACKWARD_WEIGHT)}
"""The keys of passes that add to the gradients of an earlier micro-batch."""


def curve_over_bytes(key: str, points: object) -> Curve:
    """Return the curve of a list of [bytes, ms], or of ms for any size. Raises CostError."""
    if isinstance(points, int | float):
        return constant_curve(1e6 * number_of(key, points))
    if not isinstance(points, list) or not points:
        raise CostError(
            message(
                "{key} is {value}; use a list of [bytes, ms], or a number of ms for any size",
                key=key,
                value=shortened(points),
            )
        )
    return tuple(sorted(_point(key, point) for point in points))


def curve_over_rows(key: str, points: object) -> Curve:
    """Return the curve of a list of [rows, ms], or of ms for any number of rows.

    The ms may be below 0. Raises CostError.
    """
    if not isinstance(points, list):
        return constant_curve(1e6 * number_of(key, points, least=-MOST))
    if not points:
        raise CostError(
            message(
                "{key} is an empty list; use [rows, ms] for each size, or a number of ms for all",
                key=key,
            )
        )
    found: list[CurvePoint] = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise CostError(
                message("{key} has {value}; use [rows, ms]", key=key, value=shortened(point))
            )
        rows = number_of(f"{key} rows", point[0], above=0)
        ms = number_of(key, point[1], least=-MOST)
        found.append((rows, 1e6 * ms))
    return tuple(sorted(found))


def _point(key: str, point: object) -> CurvePoint:
    """Return a point (bytes, ns) of a curve from [bytes, ms]. Raises CostError."""
    if not isinstance(point, list) or len(point) != 2:
        raise CostError(
            message("{key} has {value}; use [bytes, ms]", key=key, value=shortened(point))
        )
    size = number_of(f"{key} bytes", point[0], above=0)
    ms = number_of(key, point[1])
    return size, 1e6 * ms


def numbers_of(name: str, value: object) -> list[float]:
    """Return costs in ns, one for all stages or one for each. Raises CostError."""
    if not isinstance(value, list):
        return [1e6 * number_of(name, value)]
    if not value:
        raise CostError(
            message("{name} is an empty list; use a number, or one for each stage", name=name)
        )
    return [1e6 * number_of(name, item) for item in value]


def number_of(name: str, value: Any, above: float | None = None, least: float = 0.0) -> float:
    """Return a number of a file, from `least` or above `above`, at most MOST. Raises CostError."""
    # bool is a subclass of int.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if above is not None:
        least = max(above, 1 / MOST)
    if is_number and least <= value <= MOST:
        return float(value)
    text = shortened(value)
    if least < 0:
        raise CostError(
            message(
                "{name} is {value}; use a number from {least:g} to {most:g}",
                name=name,
                value=text,
                least=least,
                most=MOST,
            )
        )
    if above is None:
        raise CostError(
            message(
                "{name} is {value}; use a number of 0 or more to {most:g}",
                name=name,
                value=text,
                most=MOST,
            )
        )
    raise CostError(
        message(
            "{name} is {value}; use a number above {above:g}, from {least:g} to {most:g}",
            name=name,
            value=text,
            above=above,
            least=1 / MOST,
            most=MOST,
        )
    )


def shortened(value: object) -> str:
    """Return a value of a file for a message, in at most 40 characters."""
    text = reprlib.repr(value)
    if len(text) <= 40:
        return text
    return f"{text[:37]}..."
