"""Numbers in the Trace Event Format, which may be written as text, and times in microseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.arrays import Floats, Ints

_DECIMAL = re.compile(r"([0-9]{1,15}|[1-3][0-9]{15})(?:\.([0-9]{1,9}))?")
"""A time in microseconds below LATEST_US; the groups are whole microseconds and decimals."""
LATEST_US = 4e15
"""Limit of times in microseconds, in the year 2096. In ns, twice this time still fits 63 bits."""
NS_PER_US = 1000.0
"""Times in files are in microseconds, even if a file asks viewers to show another unit."""
Scalar = float | int | str | None
"""A value of an event: a number, or a text that may be a number."""


def to_float(value: Scalar) -> float:
    """Return a number that may be written as text; NaN for other values."""
    if value is None:
        return np.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return np.nan


def to_floats(values: list[Scalar]) -> Floats:
    """Return the same as `to_float` for each value."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([to_float(value) for value in values], np.float64)


def rounded_off(values: Sequence[Scalar], floats: Floats) -> Ints:
    """Return the ns that each time lost when its text was converted to a double in `floats`.

    `values` and `floats` are times in microseconds. A text can contain the ns of a time since 1970,
    but a double cannot. The result is 0 for numbers, and for texts other than plain decimals.
    """
    lost = np.zeros(len(values), np.int64)
    types = set(map(type, values))
    if str not in types:
        return lost
    places: list[int] = []
    exact: list[int] = []
    for place, value in enumerate(values):
        if not isinstance(value, str):
            continue
        match = _DECIMAL.fullmatch(value)
        if match is None:
            continue
        microseconds, decimals = match.groups(default="")
        three_decimals = decimals.ljust(3, "0")[:3]
        nanoseconds = int(microseconds) * int(NS_PER_US)
        nanoseconds += int(three_decimals)
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
    """Return a value that is a number or a text; None for other values."""
    if isinstance(value, int | float | str):
        return value
    return None


def event_times(begin: Floats, length: Floats) -> tuple[Ints, Ints]:
    """Return start and end in ns of events whose begin and length are in microseconds.

    The end is rounded, not the length. So an event that ends exactly where the next one begins
    still does after rounding.
    """
    end = begin + length
    return to_nanoseconds(begin), to_nanoseconds(end)


def to_nanoseconds(times: Floats) -> Ints:
    """Convert times from microseconds to whole ns."""
    # A time since 1970 in ns exceeds the 53 bits of a double. So whole microseconds, which fit, are
    # multiplied as integers, and only the fractions as doubles.
    whole = np.floor(times)
    fraction = times - whole
    fraction_ns = np.rint(fraction * NS_PER_US)
    whole_ns = whole.astype(np.int64) * int(NS_PER_US)
    return whole_ns + fraction_ns.astype(np.int64)
