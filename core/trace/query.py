"""The language of searches: `kind:forward mb:2-5 -name:gemm* >5ms` becomes a frozen query."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from core.message import N_
from core.plan.task import KINDS

NUMBERS = ("mb", "stage", "replica", "block", "bucket", "step", "task")
KEYS = {
    "kind": N_("forward, backward-*, communication, compute"),
    "mb": N_("a micro-batch: 3, 2-5, 4-"),
    "stage": N_("a stage: 1, 0-3"),
    "lane": N_("a lane's number or name: 2, 0-3, cpu*"),
    "step": N_("a step: 5, 10-20"),
    "replica": N_("a replica: 0, 1-"),
    "block": N_("a block: 2, 0-5"),
    "bucket": N_("a bucket: 1, 0|2"),
    "task": N_("a task of the plan: 17"),
    "name": N_("part of a name, or all of it: gemm, gemm*"),
}
"""Keys before a colon, and the accepted values after it."""
# The micro sign and the Greek letter look alike, and both are written.
UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
"""Nanoseconds of each unit of time."""
GROUPS = ("communication", "compute")
"""Values of `kind:` other than the names of kinds."""

# Quotes protect spaces here, and `|` in _ALTERNATIVES.
_WORDS = re.compile(r'(?:"[^"]*"|[^\s"])+')
# A double colon is part of a name such as at::native.
_KEYED = re.compile(r"([A-Za-z][\w-]*):(?!:)(.*)", re.DOTALL)
_ALTERNATIVES = re.compile(r'(?:"[^"]*"|[^|"])+')
_NUMBERS = re.compile(r"(\d*)(-?)(\d*)")
_DURATION = re.compile(r"([<>]=?)(\d+(?:\.\d+)?)([a-zµμ]+)")
_ACTION = re.compile(r"(\d+)?([A-Za-zΣσ]+)(\d+)?")


class SearchError(ValueError):
    """An invalid search; the message names the word and the accepted values."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Integers from `least` to `most`, both included; None is no bound."""

    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class TextPattern:
    """Lower-case text in which `*` matches any text and `?` any character."""

    text: str

    @property
    def is_wild(self) -> bool:
        """True if the text has a `*` or a `?`."""
        return "*" in self.text or "?" in self.text


@dataclass(frozen=True, slots=True)
class BarText:
    """The text on a bar: a kind's letters, and the numbers before and after them if given."""

    letters: str
    before: int | None
    behind: int | None


Value = Numbers | TextPattern | BarText


@dataclass(frozen=True, slots=True)
class Term:
    """A condition: `key` matches any of `values` or, with `negated`, none of them.

    `key` is one of KEYS, `duration` (in ns), or `word` for words without a key.
    """

    key: str
    values: tuple[Value, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """Conditions that must all hold; without conditions all spans match."""

    terms: tuple[Term, ...] = ()


def parse_query(text: str) -> Query:
    """Parse a search. Raises SearchError with a message of one line."""
    if text.count('"') % 2:
        raise SearchError('a quote is open; end the words that it begins with another "')
    return Query(tuple(_term(word) for word in _WORDS.findall(text)))


def _term(word: str) -> Term:
    negated = word.startswith("-")
    bare = word.removeprefix("-")
    if not bare.strip('"'):
        raise SearchError(
            f"{word}: nothing to look for; write a word, or a key such as kind:forward"
        )
    if not bare.strip('"|'):
        raise SearchError(
            f"{word}: stands between what one key may be, without spaces: kind:loss|step mb:2|5"
        )
    if bare[0] in "<>":
        return Term("duration", (_duration(word, bare),), negated)
    keyed = None if bare.startswith('"') else _KEYED.fullmatch(bare)
    if keyed is None:
        return Term("word", tuple(_word(part) for part in _alternatives(bare)), negated)
    key, value = keyed[1].lower(), keyed[2]
    if key not in KEYS:
        raise SearchError(f"{word}: there is no key {key}; use one of {', '.join(KEYS)}")
    parts = _alternatives(value)
    if not parts:
        raise SearchError(f"{word}: {key} needs {KEYS[key]}")
    return Term(key, tuple(_value(word, key, part) for part in parts), negated)


def _alternatives(text: str) -> list[str]:
    found = [part.replace('"', "") for part in _ALTERNATIVES.findall(text)]
    return [part for part in found if part]


def _word(text: str) -> Value:
    action = _ACTION.fullmatch(text)
    if action is not None and action[2].lower() in _LETTERS and (action[1] or action[3]):
        before = None if action[1] is None else int(action[1])
        behind = None if action[3] is None else int(action[3])
        return BarText(action[2].lower(), before, behind)
    if text.lower() in _LETTERS:
        return BarText(text.lower(), None, None)
    return TextPattern(text.lower())


def _value(word: str, key: str, part: str) -> Value:
    if key in NUMBERS:
        return _numbers(word, key, part)
    if key == "kind":
        return _kind(word, part.lower())
    if key == "lane" and _NUMBERS.fullmatch(part) and part != "-":
        return _numbers(word, key, part)
    return TextPattern(part.lower())


def _numbers(word: str, key: str, part: str) -> Numbers:
    found = _NUMBERS.fullmatch(part)
    if found is None or not (found[1] or found[3]):
        raise SearchError(f"{word}: {part} is no number; {key} takes {KEYS[key]}{_one_key(part)}")
    least = int(found[1]) if found[1] else None
    most = int(found[3]) if found[3] else None
    if not found[2]:
        most = least
    if least is not None and most is not None and least > most:
        raise SearchError(
            f"{word}: {part} is empty; write the smaller number first: {most}-{least}"
        )
    return Numbers(least, most)


def _kind(word: str, part: str) -> TextPattern:
    pattern = TextPattern(part)
    if part not in GROUPS and not kinds_like(pattern):
        known = ", ".join((*KINDS, *GROUPS))
        raise SearchError(f"{word}: there is no kind {part}; use {known}{_one_key(part)}")
    return pattern


def _one_key(part: str) -> str:
    """Return a hint for a second key after a `|`; "" if there is none."""
    return " (a | stands between values of one key: mb:2|5)" if ":" in part else ""


def _duration(word: str, bare: str) -> Numbers:
    found = _DURATION.fullmatch(bare)
    if found is None or found[3] not in UNITS:
        raise SearchError(f"{word}: write a duration as >5ms, <=10us, >=1.5s or <300ns")
    # Exact, because a rounded float would make `>` and `<=` wrong near a whole number of ns.
    ns = Fraction(found[2]) * UNITS[found[3]]
    bounds = {
        ">": Numbers(math.floor(ns) + 1, None),
        ">=": Numbers(math.ceil(ns), None),
        "<": Numbers(None, math.ceil(ns) - 1),
        "<=": Numbers(None, math.floor(ns)),
    }
    return bounds[found[1]]


def kinds_like(pattern: TextPattern) -> list[int]:
    """Return the indices in KINDS of the kinds that match a pattern, by name or by group."""
    if pattern.text in GROUPS:
        moves = pattern.text == "communication"
        return [code for code, kind in enumerate(KINDS) if kind.is_communication is moves]
    return [code for code, kind in enumerate(KINDS) if is_like(kind.value, pattern)]


def pattern_matcher(pattern: TextPattern) -> Callable[[str], bool]:
    """Return a function that returns True if a whole text matches, ignoring case."""
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern.text)
    match = re.compile("".join(parts), re.DOTALL).fullmatch
    return lambda text: match(text.lower()) is not None


def is_like(text: str, pattern: TextPattern) -> bool:
    """Return True if the whole `text` matches the pattern, ignoring case."""
    return pattern_matcher(pattern)(text)


_LETTERS = {kind.letter.lower() for kind in KINDS if kind.letter}
