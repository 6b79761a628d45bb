"""Texts that others wrote, made fit for a terminal, a picture, a page, a table and an error."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TextIO

Say = Callable[..., str]
"""Fills the placeholders of a text, and may translate it first: tr in the window."""

MOST_LETTERS, MOST_WORD = 500, 200
"""Characters of an error and of a word in it; of longer ones the middle is left out."""
_LINES = r"\t\n\r"
# Controls, marks that turn the writing direction, further line ends, halves of characters (as
# stand for bytes that are not UTF-8), and what is no character.
_STEERING = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff"
    r"\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
)
_ESCAPED, _REPLACED = re.compile(f"[{_LINES}{_STEERING}]"), re.compile(f"[{_STEERING}]")
# Not in numbers such as 0.1 and 1,001, nor in names: `lane 1 blocks` are those of a lane.
_ONE_OF_MANY = re.compile(
    r"(?<![\w.,:-])(?<!rank )(?<!lane )(?<!stage )(?<!step )"
    r"1 (block|byte|chunk|host|lane|micro-batch|number|rank|replica|row|share|stage)e?s\b"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def plain(text: str) -> str:
    r"""The text on one line; what steers a terminal or turns a line round is escaped: `\x1b`."""
    return _ESCAPED.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def plain_lines(text: str) -> str:
    """The text with the line ends that it has, and each line plain."""
    return "\n".join(map(plain, text.split("\n")))


def plain_markup(document: str) -> str:
    """XML or HTML that has a � where one of its texts steers something."""
    return _REPLACED.sub("\N{REPLACEMENT CHARACTER}", document)


def error_text(error: object) -> str:
    """An error as one plain line, whatever it quotes: the middle of what is long is left out.

    Of those that the house raises or lets through, only MemoryError may have nothing to say.
    """
    told = _system_text(error) if isinstance(error, OSError) else str(error)
    text = in_number(told) or "there is not enough memory"
    return plain(shortened(text))


def shortened(text: str) -> str:
    """A text without the middle of what is long: of a word, and then of all of it."""
    words = re.sub(r"\S+", lambda found: _short(found[0], MOST_WORD), text)
    return _short(words, MOST_LETTERS)


def _system_text(error: OSError) -> str:
    """An error of the system as `FILE: reason`, without its number; other texts as they are."""
    if error.errno is None or not error.strerror:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def counted(count: int, one: str, many: str = "") -> str:
    """`1 stage`, `2 stages`; `many` is the plural where it takes more than an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def in_number(text: str) -> str:
    """An English text with a count of one in the singular: `at most 1 stage`, not `1 stages`.

    For sentences whose templates are translated as they are; others are made with `counted`.
    """
    return _ONE_OF_MANY.sub(r"1 \1", text)


def _short(text: str, most: int) -> str:
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def say(text: str, file: TextIO | None = None) -> None:
    """Print plain lines."""
    print(plain_lines(text), file=file or sys.stdout)


def cell(text: str) -> str:
    """A text for a cell of a table that spreadsheets open: what begins as a formula is quoted."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def duration_text(ns: float) -> str:
    """A duration for people, with three digits that count: `41.2 ms`, `1234 ms`, `85 µs`."""
    value, unit = (ns / 1e6, "ms") if abs(ns) >= 100_000 else (ns / 1e3, "µs")
    return f"{digits(value)} {unit}"


def digits(value: float) -> str:
    """A number with three digits that count, from a thousand on a whole one: `41.2`, `1234`."""
    # Not `< 1000`: 999.6 is rounded to a thousand, which `g` writes as 1e+03.
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"


def size_text(count: float) -> str:
    """Bytes in decimal units: `1.5 kB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def plainly(text: str, **values: object) -> str:
    """A text with its placeholders filled, in English; one without values stays as it is."""
    return text.format(**values) if values else text
