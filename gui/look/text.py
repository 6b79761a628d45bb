"""Texts and numbers in the form in which the window shows them."""

from __future__ import annotations

from collections.abc import Iterable

from core.message import Message, Text, error_message
from core.plain import duration_unit, unit_of_pair
from gui.look.catalogue import catalogue
from gui.look.core_texts import translated

NO_BREAK = "\u00a0"
MINUS = "\u2212"
NONE = "–"
"""Shown instead of a figure that is missing."""
ENDS = (".", "!", "?", "。", "！", "？")
_COUNTS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def tr(text: str, **values: object) -> str:
    """Return the translation of a text with its `{placeholders}` filled."""
    if not text:
        return ""  # its translation is the catalogue's header
    found = catalogue().gettext(text)
    # Without values nothing is formatted: some texts contain braces that are not placeholders.
    return found.format(**values) if values else found


def join_clauses(clauses: Iterable[str]) -> str:
    """Join clauses into one line, with the separator of the window's language."""
    return tr("; ").join(clauses)


def ntr(one: str, many: str, n: int, **values: object) -> str:
    """Return the translation for a count, with its `{placeholders}` filled; `{n}` is the count."""
    found = catalogue().ngettext(one, many, n)
    return found.format(n=n, **values)


def problem_text(error: Exception) -> str:
    """Return one line that says why something failed, for any exception."""
    reason = error_message(error)
    if isinstance(reason, Message):
        return translated(reason)
    text = next(iter(reason.splitlines()), "")
    if isinstance(error, MemoryError):
        return tr("There is not enough memory for this.")
    # Our own code raises these with a line for the user. Any other exception is a mistake in the
    # code, and its text alone would say little.
    if isinstance(error, (OSError, ValueError)) and text:
        return text
    name = type(error).__name__
    return tr("This could not be done: {name}: {why}", name=name, why=text)


def duration_text(ns: float, like: float | None = None) -> str:
    """Return a duration with three significant digits, in a suitable unit: `12.1 ms`.

    Durations that are shown together have the same unit: that of `like` (ns), if given, unless this
    duration would be nearly 0 in it.
    """
    scale, unit = duration_unit(unit_of_pair(ns, like))
    value = ns / scale
    is_small = 0 < abs(value) < 1
    number = f"{value:.2g}" if is_small else significant(value)
    return f"{number}{NO_BREAK}{unit}"


def range_text(low_ns: float, high_ns: float) -> str:
    """Return two durations in the larger one's unit: `31.2 to 35.8 ms`."""
    scale, _ = duration_unit(high_ns)
    low = significant(low_ns / scale)
    return tr("{low} to {high}", low=low, high=duration_text(high_ns))


def time_text(ns: float) -> str:
    """Return a time since the run's start, to the microsecond: `1 203.418 ms`."""
    ms = f"{ns / 1e6:,.3f}".replace(",", NO_BREAK)
    return f"{ms}{NO_BREAK}ms"


def number_text(value: float) -> str:
    """Return a number without its unit: integers up to 15 digits, others with six digits."""
    is_whole = value == round(value) and abs(value) < 1e15
    if is_whole:
        return f"{value:,.0f}".replace(",", NO_BREAK)
    return f"{value:.6g}"


def bytes_text(count: float) -> str:
    """Return a size in decimal units: `94.2 MB`."""
    for scale, unit in _SIZES:
        if abs(count) >= scale:
            number = significant(count / scale)
            return f"{number}{NO_BREAK}{unit}"
    return f"{count:.0f}{NO_BREAK}B"


def about_text(count: int) -> str:
    """Return a count, exact below ten thousand, else rounded: `8,214`, `≈ 1.2 M`."""
    if count < 10_000:
        return f"{count:,}"
    scale, unit = next(pair for pair in _COUNTS if count >= pair[0])
    # `.2g` alone would write 120 as 1.2e+02.
    two_digits = f"{count / scale:.2g}"
    rounded = float(two_digits)
    return f"≈{NO_BREAK}{rounded:g}{NO_BREAK}{unit}"


def percent_text(fraction: float) -> str:
    """Return a fraction, 0 to 1, in per cent: `24.1 %`."""
    return f"{100 * fraction:.1f}{NO_BREAK}%"


def change_text(fraction: float) -> str:
    """Return a difference in per cent, with its sign: `−4.3 %`."""
    rounded = round(100 * fraction, 1)
    # A value that rounds to zero has no sign.
    percent = f"{rounded:+.1f}".replace("-", MINUS) if rounded else "0.0"
    return f"{percent}{NO_BREAK}%"


def rows_text(rows: int) -> str:
    """Return a number of rows: `8 rows`."""
    return ntr("{n:,} row", "{n:,} rows", rows)


def carried_rows_text(rows: int, paired_rows: int | None) -> str:
    """Return a task's rows, `8 rows`; for an overlap of two different counts, both."""
    if paired_rows is None or paired_rows == rows:
        return rows_text(rows)
    forward = rows_text(rows)
    backward = rows_text(paired_rows)
    return tr("{forward} forward, {backward} backward", forward=forward, backward=backward)


def significant(value: float) -> str:
    """Return a number with about three significant digits, and at most two decimals."""
    size = abs(value)
    if size >= 100 or value == int(value):
        return f"{value:.0f}"
    decimals = 1 if size >= 10 else 2
    return f"{value:.{decimals}f}"


def sentence(text: Text) -> str:
    """Return a text with a capital letter at its start and a full stop (or ! or ?) at its end."""
    words = translated(text)
    capital = words[:1].upper()
    return full_stop(capital + words[1:])


def full_stop(text: str) -> str:
    """Return a text with a full stop at its end, unless it ends with one of ENDS."""
    return text if text.endswith(ENDS) else tr("{words}.", words=text)
