"""The main reason why one run's step is shorter or longer than another's, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.compare.differences import Difference
from core.compare.settings import SettingDifference
from core.explain.causes import ACTIONS, Cause
from core.message import N_
from core.plain import Say
from core.plan.task import Kind

ALIKE = 0.005
"""Steps whose difference is below this fraction of A's count as equally long."""
ENOUGH = 0.75
"""A reason with at least this fraction of the difference is named alone."""
MOST_SETTINGS = 2


@dataclass(frozen=True, slots=True)
class Topic:
    """Kinds and causes that a sentence treats as one, and the settings that influence them.

    `name` fits into "its lanes spend 3 ms less on {name}".
    """

    name: str
    rows: frozenset[str]
    settings: tuple[str, ...]


_PIPE = ("microbatches", "schedule", "stages", "strategy", "lanes")
_WORK = (
    "batch",
    "model",
    "width",
    "depth",
    "lanes",
    "cores",
    "dtype",
    "devices",
    "microbatches",
    "strategy",
)
_MOVE = ("strategy", "bucket_mb", "stages", "replicas", "microbatches", "batch", "devices")
TOPICS: tuple[Topic, ...] = (
    Topic(N_("pipeline fill and drain"), frozenset({Cause.FILL, Cause.DRAIN}), _PIPE),
    Topic(N_("waiting for other lanes' computing"), frozenset({Cause.COMPUTE}), _PIPE),
    Topic(
        N_("computing"),
        frozenset(
            {
                Kind.FORWARD,
                Kind.BACKWARD,
                Kind.BACKWARD_INPUT,
                Kind.BACKWARD_WEIGHT,
                Kind.OVERLAP,
                Kind.LOSS,
                Kind.RECOMPUTE,
            }
        ),
        _WORK,
    ),
    Topic(
        N_("the optimizer step"),
        frozenset({Kind.STEP}),
        (N_("optimizer"), N_("strategy"), N_("model")),
    ),
    Topic(
        N_("moving data"),
        frozenset({kind for kind in Kind if kind.is_communication} - {Kind.DATA}),
        _MOVE,
    ),
    Topic(N_("waiting for copies"), frozenset({Cause.TRANSFER}), _MOVE),
    Topic(N_("waiting for the device that works for all"), frozenset(ACTIONS), _MOVE),
    Topic(N_("waiting in collectives"), frozenset({Cause.COLLECTIVE, Cause.SLOWEST_RANK}), _MOVE),
    Topic(
        N_("waiting for lanes with more work"),
        frozenset({Cause.IMBALANCE}),
        (N_("batch"), N_("lanes")),
    ),
    Topic(
        N_("waiting for the host"),
        frozenset({Cause.HOST}),
        (N_("microbatches"), N_("lanes"), N_("cores")),
    ),
    Topic(N_("loading data"), frozenset({Kind.DATA, Cause.DATA}), ()),
    Topic(N_("waiting for other streams of the device"), frozenset({Cause.OTHER_STREAM}), ()),
    Topic(N_("waiting for reasons that the trace does not show"), frozenset({Cause.NOT_TOLD}), ()),
    Topic(N_("other work"), frozenset({Kind.OTHER}), ()),
)

SAME = N_("A and B take equally long, {a} and {b}.")
SAME_BUT = N_("A and B take equally long, {a} and {b}: {reasons}.")
WITHIN = N_("A and B take {a} and {b}: the difference is within the scatter of their steps.")
SHORTER = N_("B is {by} ({share}) shorter: {reasons}{settings}.")
LONGER = N_("B is {by} ({share}) longer: {reasons}{settings}.")
SPEND = N_("its lanes spend on average {parts}")
LESS = N_("{time} less on {topic}")
MORE = N_("{time} more on {topic}")
UNNAMED = N_("some of its tasks overlap")
AND = N_("{one} and {other}")
BUT = N_("{one}, but {other}")


class Weight(NamedTuple):
    """A topic and its contribution in ns to B's makespan minus A's."""

    topic: Topic
    contribution: int


def weights(rows: Iterable[Difference]) -> list[Weight]:
    """Return the contribution of each topic, largest first, without zeros.

    Together with rows of no topic (overlaps) they add up to the makespans' difference.
    """
    # Kinds and causes have no name in common, so one dict holds both.
    by_name = {row.name: row.contribution for row in rows}
    sums = []
    for topic in TOPICS:
        contributions = [by_name.get(name, 0) for name in topic.rows]
        sums.append(Weight(topic, sum(contributions)))
    return sorted((w for w in sums if w.contribution), key=lambda w: -abs(w.contribution))


def main_topics(found: Sequence[Weight], difference: int) -> list[Weight]:
    """Return the topic that explains most of a difference; two if the first is not ENOUGH.

    Only topics with the sign of the difference explain it. The largest topic of the other sign is
    added at the end if it exceeds the difference; the others then have to explain its amount too.
    """
    for_it = [w for w in found if w.contribution * difference > 0]
    against = [w for w in found if w.contribution * difference < 0][:1]
    # If B computes 5 ms less, waits 4 ms more and is 1 ms shorter, a sentence without the 4 ms
    # would mislead.
    against = [w for w in against if abs(w.contribution) > abs(difference)]
    whole = abs(difference) + sum(abs(w.contribution) for w in against)
    enough = for_it and abs(for_it[0].contribution) >= ENOUGH * whole
    return for_it[: 1 if enough else 2] + against


def sentence(
    rows: Sequence[Difference],
    makespans: tuple[int, int],
    settings: Sequence[SettingDifference],
    say: Say,
    duration: Say,
    noise_ns: float = 0.0,
) -> str:
    """Return a sentence with the main reason of the difference and the settings that cause it.

    `makespans` are those of A and B in ns; `say` fills (and translates) a text, and `duration`
    formats ns. A difference of up to `noise_ns` gets no reason.
    """
    one, other = makespans
    difference, found = other - one, weights(rows)
    ends = {"a": duration(one), "b": duration(other)}
    # Equal makespans may hide a gain and a loss that cancel out, which the sentence then names.
    if abs(difference) <= ALIKE * one:
        largest = [w for w in found[:1] if abs(w.contribution) > ALIKE * one]
        if not largest:
            return say(SAME, **ends)
        opposite = [w for w in found if w.contribution * largest[0].contribution < 0]
        named = largest + opposite[:1]
        return say(SAME_BUT, **ends, reasons=_joined(named, say, duration))
    if abs(difference) <= noise_ns:
        return say(WITHIN, **ends)
    named = main_topics(found, difference)
    return say(
        SHORTER if difference < 0 else LONGER,
        by=duration(abs(difference)),
        share=f"{100 * abs(difference) / max(1, one):.0f} %",
        reasons=_joined(named, say, duration),
        settings=_settings_words(named, settings, say),
    )


def _joined(named: Sequence[Weight], say: Say, duration: Say) -> str:
    """Join the reasons: those with the same sign by `and`, one of the other sign by `but`."""
    text, sign = "", 0
    for topic, contribution in named:
        words = say(
            LESS if contribution < 0 else MORE,
            topic=say(topic.name),
            time=duration(abs(contribution)),
        )
        agrees = contribution * sign >= 0
        text = say(AND if agrees else BUT, one=text, other=words) if text else words
        sign = contribution
    return say(SPEND, parts=text) if text else say(UNNAMED)


def _settings_words(
    named: Sequence[Weight], settings: Sequence[SettingDifference], say: Say
) -> str:
    """Return the settings of the first reason's topic: ` (8 micro-batches instead of 2)`."""
    known = {setting.name: setting for setting in settings}
    bearing = named[0].topic.settings if named else ()
    chosen = [known[name] for name in bearing if name in known]
    words = ", ".join(setting.words(say) for setting in chosen[:MOST_SETTINGS])
    return f" ({words})" if words else ""
