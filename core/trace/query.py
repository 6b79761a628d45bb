"""The language of searches: `kind:forward mb:2-5 -name:gemm* >5ms` becomes a frozen query."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from core.message import Message, message
from core.plan.task import KINDS

NUMBERS = ("mb", "stage", "replica", "block", "bucket", "step", "task")
KEYS = {
    "kind": message("forward, backward-*, communication, compute"),
    "mb": message("a micro-batch: 3, 2-5, 4-"),
    "stage": message("a stage: 1, 0-3"),
    "lane": message("a lane's number or name: 2, 0-3, cpu*"),
    "step": message("a step: 5, 10-20"),
    "replica": message("a replica: 0, 1-"),
    "block": message("a block: 2, 0-5"),
    "bucket": message("a bucket: 1, 0|2"),
    "task": message("a task of the plan: 17"),
    "name": message("part of a name, or all of it: gemm, gemm*"),
}
"""Keys before a colon, and the accepted values after it."""
# The micro sign and the Greek letter look alike, and people type both.
UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
"""Nanoseconds of each unit of time."""
GROUPS = ("communication", "compute")
"""Values of `kind:` other than the names of kinds."""

MOST_LETTERS = 2000
"""Most characters of a search. Python refuses to parse numbers of thousands of digits."""

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
class NumberRange:
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
    after: int | None


TermValue = NumberRange | TextPattern | BarText


@dataclass(frozen=True, slots=True)
class Term:
    """A condition: `key` matches any of `values` or, with `negated`, none of them.

    `key` is one of KEYS, `duration` (in ns), or `word` for words without a key.
    """

    key: str
    values: tuple[TermValue, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """Conditions that must all hold; without conditions all spans match."""

    terms: tuple[Term, ...] = ()


def parse_query(text: str) -> Query:
    """Parse a search. Raises SearchError with a message of one line."""
    if len(text) > MOST_LETTERS:
        raise SearchError(
            message(
                "a search of {count:,} characters; use at most {most:,}",
                count=len(text),
                most=MOST_LETTERS,
            )
        )
    if text.count('"') % 2:
        raise SearchError(message('a quote is not closed; end the quoted words with another "'))
    terms = [_term(word) for word in _WORDS.findall(text)]
    return Query(tuple(terms))


def _term(word: str) -> Term:
    """Parse a word of a search. Raises SearchError."""
    negated = word.startswith("-")
    bare = word.removeprefix("-")
    if not bare.strip('"'):
        raise SearchError(
            message(
                "{word}: nothing to look for; write a word, or a key such as kind:forward",
                word=word,
            )
        )
    if not bare.strip('"|'):
        raise SearchError(
            message(
                "{word}: write it between values of one key, without spaces: kind:loss|step mb:2|5",
                word=word,
            )
        )
    if bare[0] in "<>":
        return Term(
            key="duration",
            values=(_duration(word, bare),),
            negated=negated,
        )
    keyed = None if bare.startswith('"') else _KEYED.fullmatch(bare)
    if keyed is None:
        words = [_word(part) for part in _alternatives(bare)]
        return Term(
            key="word",
            values=tuple(words),
            negated=negated,
        )
    key = keyed[1].lower()
    value = keyed[2]
    if key not in KEYS:
        raise SearchError(
            message(
                "{word}: there is no key {key}; use one of {accepted}",
                word=word,
                key=key,
                accepted=", ".join(KEYS),
            )
        )
    parts = _alternatives(value)
    if not parts:
        raise SearchError(
            message("{word}: {key} needs {values}", word=word, key=key, values=KEYS[key])
        )
    values = [_value(word, key, part) for part in parts]
    return Term(
        key=key,
        values=tuple(values),
        negated=negated,
    )


def _alternatives(text: str) -> list[str]:
    """Return the parts between `|` without quotes and without empty parts."""
    bare = [part.replace('"', "") for part in _ALTERNATIVES.findall(text)]
    return [part for part in bare if part]


def _word(text: str) -> TermValue:
    """Return the text of a bar if a word has this form, else a pattern."""
    lowered = text.lower()
    if lowered in _LETTERS:
        return BarText(
            letters=lowered,
            before=None,
            after=None,
        )
    action = _ACTION.fullmatch(text)
    if action is None:
        return TextPattern(lowered)
    before, letters, after = action.groups()
    if letters.lower() not in _LETTERS or not (before or after):
        return TextPattern(lowered)
    number_before = None if before is None else int(before)
    number_after = None if after is None else int(after)
    return BarText(
        letters=letters.lower(),
        before=number_before,
        after=number_after,
    )


def _value(word: str, key: str, part: str) -> TermValue:
    if key in NUMBERS:
        return _numbers(word, key, part)
    if key == "kind":
        return _kind(word, part.lower())
    if key == "lane" and _NUMBERS.fullmatch(part) and part != "-":
        return _numbers(word, key, part)
    return TextPattern(part.lower())


def _numbers(word: str, key: str, part: str) -> NumberRange:
    found = _NUMBERS.fullmatch(part)
    if found is None or not (found[1] or found[3]):
        problem = message(
            "{word}: {part} is not a number; {key} takes {values}",
            word=word,
            part=part,
            key=key,
            values=KEYS[key],
        )
        raise SearchError(_with_hint(problem, part))
    first, dash, last = found.groups()
    least = int(first) if first else None
    most = int(last) if last else None
    if not dash:
        most = least
    if least is not None and most is not None and least > most:
        raise SearchError(
            message(
                "{word}: {part} is empty; write the smaller number first: {least}-{most}",
                word=word,
                part=part,
                least=most,
                most=least,
            )
        )
    return NumberRange(least, most)


def _kind(word: str, part: str) -> TextPattern:
    pattern = TextPattern(part)
    if part not in GROUPS and not kinds_like(pattern):
        problem = message(
            "{word}: there is no kind {part}; use {accepted}",
            word=word,
            part=part,
            accepted=", ".join((*KINDS, *GROUPS)),
        )
        raise SearchError(_with_hint(problem, part))
    return pattern


def _with_hint(problem: Message, part: str) -> Message:
    """Add a hint if there is a second key after a `|`."""
    if ":" not in part:
        return problem
    return message("{problem} (write | between values of one key: mb:2|5)", problem=problem)


def _duration(word: str, bare: str) -> NumberRange:
    found = _DURATION.fullmatch(bare)
    if found is None or found[3] not in UNITS:
        raise SearchError(
            message("{word}: write a duration as >5ms, <=10us, >=1.5s or <300ns", word=word)
        )
    sign, number, unit = found.groups()
    # Exact, because a rounded float would make `>` and `<=` wrong near a whole number of ns.
    ns = Fraction(number) * UNITS[unit]
    match sign:
        case ">":
            return NumberRange(math.floor(ns) + 1, None)
        case ">=":
            return NumberRange(math.ceil(ns), None)
        case "<":
            return NumberRange(None, math.ceil(ns) - 1)
        case _:
            return NumberRange(None, math.floor(ns))


def kinds_like(pattern: TextPattern) -> list[int]:
    """Return the indices in KINDS of the kinds that match a pattern, by name or by group."""
    if pattern.text in GROUPS:
        moves = pattern.text == "communication"
        return [code for code, kind in enumerate(KINDS) if kind.is_communication is moves]
    matches = pattern_matcher(pattern)
    return [code for code, kind in enumerate(KINDS) if matches(kind.value)]


def pattern_matcher(pattern: TextPattern) -> Callable[[str], bool]:
    """Return a function that returns True if a whole text matches, ignoring case."""
    expression = re.escape(pattern.text).replace(r"\*", ".*").replace(r"\?", ".")
    match = re.compile(expression, re.DOTALL).fullmatch
    return lambda text: match(text.lower()) is not None


def is_like(text: str, pattern: TextPattern) -> bool:
    """Return True if the whole `text` matches the pattern, ignoring case."""
    return pattern_matcher(pattern)(text)


_LETTERS = {kind.letter.lower() for kind in KINDS if kind.letter}
