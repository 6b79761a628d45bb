"""Text helpers: escaping of untrusted text, error messages, durations and sizes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TextIO

from core.message import Message, Text

Say = Callable[..., str]
"""Fills the placeholders of a text and may translate it first, as the window's `tr` does."""

MOST_LETTERS = 500
"""Maximum length of an error message; longer ones lose their middle."""
MOST_WORD = 200
"""Maximum length of a word in an error message; longer ones lose their middle."""
DURATION_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
"""Units of durations, longest first: the length in ns, and the name."""
_LINES = r"\t\n\r"
# Control characters, marks that change the writing direction, other line ends, surrogates (which
# represent bytes that are not UTF-8), and code points that are not characters.
_STEERING = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff"
    r"\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
)
_ESCAPED = re.compile(f"[{_LINES}{_STEERING}]")
_REPLACED = re.compile(f"[{_STEERING}]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def plain(text: str) -> str:
    r"""Return a text on one line, with control and direction characters escaped: `\x1b`."""
    return _ESCAPED.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """Return the characters of a match as escape sequences."""
    escape = found[0].encode("unicode_escape")
    return escape.decode("ascii")


def plain_lines(text: str) -> str:
    """Apply `plain` to each line of a text."""
    lines = text.split("\n")
    return "\n".join(map(plain, lines))


def plain_markup(document: str) -> str:
    """Replace control and direction characters in XML or HTML by �."""
    return _REPLACED.sub("\N{REPLACEMENT CHARACTER}", document)


def error_text(error: object) -> str:
    """Return an error as one plain line, without the middle of long words and texts."""
    text = str(error)
    if isinstance(error, OSError):
        text = _system_text(error)
    if not text:
        # Of the errors that reach this line, only MemoryError may have no text.
        text = "there is not enough memory"
    return plain(shortened(text))


def plain_message(text: Text) -> Text:
    """Return a text on one line, without the middle of long words and texts.

    Only the values of a message are changed, because its template is plain.
    """
    if not isinstance(text, Message):
        return plain(shortened(text))
    values = []
    for name, value in text.values:
        if isinstance(value, Message | str):
            value = plain_message(value)
        values.append((name, value))
    return replace(text, values=tuple(values))


def shortened(text: str) -> str:
    """Cut the middle of long words, and then of the whole text if it is too long."""
    words = re.sub(r"\S+", lambda found: _short(found[0], MOST_WORD), text)
    return _short(words, MOST_LETTERS)


def _system_text(error: OSError) -> str:
    """Return a system error as `FILE: reason`, without its number; other texts unchanged."""
    if error.errno is None or not error.strerror:
        return str(error)
    if error.filename is None:
        return error.strerror
    return f"{error.filename}: {error.strerror}"


def _short(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}…{text[-half:]}"


def say(text: str, file: TextIO | None = None) -> None:
    """Print a text, with control characters escaped, to `file` or else standard output."""
    lines = plain_lines(text)
    print(lines, file=file or sys.stdout)


def cell(text: str) -> str:
    """Return a text for a table cell, quoted if a spreadsheet would take it for a formula."""
    if text.startswith(_FORMULA):
        return f"'{text}"
    return text


def duration_unit(ns: float) -> tuple[float, str]:
    """Return the unit that suits a duration, as its length in ns and its name."""
    size = abs(ns)
    for length, unit in DURATION_UNITS:
        # Not `size >= length`: 999.6 µs would be written as 1000 µs.
        if size >= 0.9995 * length:
            return length, unit
    return DURATION_UNITS[-1]


def duration_text(ns: float, like: float | None = None) -> str:
    """Return a duration with three significant digits: `41.2 ms`, `1.23 s`, `85 µs`.

    The unit is that of `like` (in ns) if given, so that durations in one sentence share a unit.
    """
    sized_like = unit_of_pair(ns, like)
    length, unit = duration_unit(sized_like)
    number = digits(ns / length)
    return f"{number} {unit}"


def unit_of_pair(ns: float, like: float | None) -> float:
    """Return the duration that sets the unit: `like`, unless `ns` would be nearly 0 in its unit."""
    if like is None:
        return ns
    length, _ = duration_unit(like)
    if abs(ns) < length / 1000:
        return ns
    return like


def digits(value: float) -> str:
    """Format a number with three significant digits, from 1,000 as an integer: `41.2`, `1234`."""
    # Not `< 1000`: 999.6 would be rounded to 1000, which `g` writes as 1e+03.
    if abs(value) < 999.5:
        return f"{value:.3g}"
    return f"{value:.0f}"


def size_text(count: float) -> str:
    """Return bytes in decimal units: `1.5 kB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            if unit == "B" or count >= 100:
                return f"{count:.0f} {unit}"
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def share_text(share: float) -> str:
    """Return a share of 0 to 1 in per cent with two significant digits: `8.1 %`."""
    percent = 100 * share
    # With two digits, `g` would write a hundred as 1e+02, and tiny shares as 9e-05.
    if 0.001 <= percent < 99.5:
        return f"{percent:.2g} %"
    return f"{percent:.0f} %"


def plainly(text: str, **values: object) -> str:
    """Fill the placeholders of an English text; without values, return it unchanged."""
    if not values:
        return text
    return text.format(**values)
