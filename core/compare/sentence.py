"""One sentence with the main reason why one run's step is shorter or longer than another's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from core.compare.differences import Difference
from core.compare.settings import SettingDifference
from core.compare.topics import Weight, main_topics, weights
from core.message import Message, Text, join_texts, list_texts, message

ALIKE = 0.005
"""Steps whose difference is below this fraction of A's count as equally long."""
MOST_SETTINGS = 2

FormatDuration = Callable[[float], str]
"""Formats a duration in ns, such as `41.2 ms`."""


def sentence(
    rows: Sequence[Difference],
    makespans: tuple[int, int],
    settings: Sequence[SettingDifference],
    duration: FormatDuration,
    noise_ns: float = 0.0,
) -> Message:
    """Return a sentence with the main reason of the difference and the settings that cause it.

    `makespans` has the makespans of A and B in ns. A difference of up to `noise_ns` gets no reason.
    """
    one, other = makespans
    difference = other - one
    found = weights(rows)
    if abs(difference) <= ALIKE * one:
        return _same_length(found, makespans, duration)
    if abs(difference) <= noise_ns:
        return message(
            "A and B take {a} and {b}: the difference is within the scatter of their steps.",
            a=duration(one),
            b=duration(other),
        )
    named = main_topics(found, difference)
    percent = 100 * abs(difference) / max(1, one)
    values = {
        "a": duration(one),
        "b": duration(other),
        "share": f"{percent:.0f} %",
        "reasons": _reasons_text(named, duration),
        "settings": _settings_text(named, settings),
    }
    if difference < 0:
        return message("B is {share} faster ({b} against {a}): {reasons}{settings}.", **values)
    return message("B is {share} slower ({b} against {a}): {reasons}{settings}.", **values)


def reasons_text(
    rows: Sequence[Difference],
    difference: int,
    settings: Sequence[SettingDifference],
    duration: FormatDuration,
) -> Message:
    """Return the main reasons of a difference in ns, without a full stop; see `sentence`."""
    named = main_topics(weights(rows), difference)
    return join_texts([_reasons_text(named, duration), _settings_text(named, settings)], "")


def _same_length(
    found: Sequence[Weight], makespans: tuple[int, int], duration: FormatDuration
) -> Message:
    """Return the sentence on makespans that are ALIKE.

    They may hide a gain and a loss that cancel out, which the sentence then names.
    """
    one, other = makespans
    a = duration(one)
    b = duration(other)
    if not found or found[0].size <= ALIKE * one:
        return message("A and B take equally long, {a} and {b}.", a=a, b=b)
    largest = found[0]
    opposite = [weight for weight in found if weight.contribution * largest.contribution < 0]
    reasons = _reasons_text([largest, *opposite[:1]], duration)
    return message("A and B take equally long, {a} and {b}: {reasons}.", a=a, b=b, reasons=reasons)


def _reasons_text(named: Sequence[Weight], duration: FormatDuration) -> Message:
    """Join the reasons: those with the same sign by `and`, one of the other sign by `but`."""
    if not named:
        return message("some of its tasks overlap")
    parts = _reason_text(named[0], duration)
    for before, weight in pairwise(named):
        reason = _reason_text(weight, duration)
        if before.contribution * weight.contribution > 0:
            parts = message("{one} and {other}", one=parts, other=reason)
        else:
            parts = message("{one}, but {other}", one=parts, other=reason)
    return message("its lanes spend on average {parts}", parts=parts)


def _reason_text(weight: Weight, duration: FormatDuration) -> Message:
    """Return `3 ms less on computing`."""
    topic = Message(weight.topic.name)
    time = duration(weight.size)
    if weight.contribution < 0:
        return message("{time} less on {topic}", time=time, topic=topic)
    return message("{time} more on {topic}", time=time, topic=topic)


def _settings_text(named: Sequence[Weight], settings: Sequence[SettingDifference]) -> Text:
    """Return the settings of the first reason's topic: ` (8 micro-batches instead of 2)`."""
    if not named:
        return ""
    texts = {setting.name: setting.text for setting in settings}
    influential = named[0].topic.settings
    chosen = [texts[name] for name in influential if name in texts]
    if not chosen:
        return ""
    return message(" ({settings})", settings=list_texts(chosen[:MOST_SETTINGS]))
