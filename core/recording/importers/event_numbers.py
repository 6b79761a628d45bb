"""Numbers in the Trace Event Format, which may be written as text, and times in microseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.arrays import Floats, Ints

_DECIMAL = re.compile(r"([0-9]{1,15}|[1-3][0-9]{15})(?:\.([0-9]{1,9}))?")
"""A time that is below LATEST_US."""
LATEST_US = 4e15
"""Limit of times in microseconds, in the year 2096: twice as many ns still fit 63 bits."""
NS_PER_US = 1000.0
"""Times are in microseconds, whatever unit a file asks viewers to show."""
Scalar = float | int | str | None
"""A value of an event: a number, or a text that may be a number."""


def to_float(value: Scalar) -> float:
    """Return a number that may be written as text; NaN for other values."""
    try:
        return float("nan" if value is None else value)
    except (ValueError, OverflowError):
        return float("nan")


def to_floats(values: list[Scalar]) -> Floats:
    """Return numbers that may be written as text, with NaN for other values."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([to_float(value) for value in values], np.float64)


def rounded_off(values: Sequence[Scalar], floats: Floats) -> Ints:
    """Return the ns that times in microseconds, written as text, lost when they became `floats`.

    A double has no room for the ns of a time since 1970, but a text has. The result is 0 for other
    values, and for texts that are no plain decimal numbers.
    """
    lost = np.zeros(len(values), np.int64)
    if str not in set(map(type, values)):
        return lost
    places: list[int] = []
    exact: list[int] = []
    for place, value in enumerate(values):
        if not isinstance(value, str):
            continue
        match = _DECIMAL.fullmatch(value)
        if match is None:
            continue
        decimals = (match[2] or "").ljust(3, "0")
        nanoseconds = int(match[1]) * int(NS_PER_US)
        nanoseconds += int(decimals[:3])
        places.append(place)
        exact.append(nanoseconds)
    rounded = to_nanoseconds(floats[places])
    lost[places] = np.array(exact, np.int64) - rounded
    return lost


def sparse_floats(values: list[Scalar]) -> Floats:
    """Return the same as `to_floats`, faster if all values are None."""
    if values.count(None) == len(values):
        return np.full(len(values), np.nan)
    return to_floats(values)


def scalar_or_none(value: object) -> Scalar:
    """Return a number or a text; None for other values."""
    return value if isinstance(value, int | float | str) else None


def event_times(begin: Floats, length: Floats) -> tuple[Ints, Ints]:
    """Return start and end in ns of events whose begin and length are in microseconds.

    The end is rounded, not the length, so that events which touch in the file still touch.
    """
    return to_nanoseconds(begin), to_nanoseconds(begin + length)


def to_nanoseconds(times: Floats) -> Ints:
    """Return times in ns of times in microseconds."""
    # A double has room for the whole microseconds of the time of day or for ns, but not for both:
    # whole microseconds are converted separately.
    whole = np.floor(times)
    part = np.rint((times - whole) * NS_PER_US)
    whole_ns = whole.astype(np.int64) * int(NS_PER_US)
    return whole_ns + part.astype(np.int64)
