"""Topics that explain the difference of two runs, and the settings that influence each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.compare.differences import Difference
from core.explain.causes import ACTIONS, Cause
from core.message import N_
from core.plan.task import Kind

ENOUGH = 0.75
"""A topic with at least this fraction of the difference is named alone."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Kinds and causes that a sentence treats as one, and the settings that influence them.

    `name` fits into "its lanes spend 3 ms less on {name}".
    """

    name: str
    rows: frozenset[str]
    settings: tuple[str, ...] = ()


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
_COMPUTING = frozenset(
    {
        Kind.FORWARD,
        Kind.BACKWARD,
        Kind.BACKWARD_INPUT,
        Kind.BACKWARD_WEIGHT,
        Kind.OVERLAP,
        Kind.LOSS,
        Kind.RECOMPUTE,
    }
)
_COMMUNICATION = frozenset(kind for kind in Kind if kind.is_communication) - {Kind.DATA}

TOPICS: tuple[Topic, ...] = (
    Topic(N_("pipeline fill and drain"), frozenset({Cause.FILL, Cause.DRAIN}), _PIPE),
    Topic(N_("waiting for other lanes"), frozenset({Cause.COMPUTE}), _PIPE),
    Topic(N_("computing"), _COMPUTING, _WORK),
    Topic(
        N_("the optimizer step"),
        frozenset({Kind.STEP}),
        ("optimizer", "strategy", "model"),
    ),
    Topic(N_("moving data"), _COMMUNICATION, _MOVE),
    Topic(N_("waiting for copies"), frozenset({Cause.TRANSFER}), _MOVE),
    Topic(N_("waiting for device 0"), frozenset(ACTIONS), _MOVE),
    Topic(N_("waiting in collectives"), frozenset({Cause.COLLECTIVE, Cause.SLOWEST_RANK}), _MOVE),
    Topic(N_("waiting for lanes with more work"), frozenset({Cause.IMBALANCE}), ("batch", "lanes")),
    Topic(
        N_("waiting for the host"),
        frozenset({Cause.HOST}),
        ("microbatches", "lanes", "cores"),
    ),
    Topic(N_("loading data"), frozenset({Kind.DATA, Cause.DATA})),
    Topic(N_("waiting for other streams of the device"), frozenset({Cause.OTHER_STREAM})),
    Topic(N_("waiting for reasons that the trace does not show"), frozenset({Cause.UNEXPLAINED})),
    Topic(N_("other work"), frozenset({Kind.OTHER})),
)


class Weight(NamedTuple):
    """A topic and its contribution in ns to B's makespan minus A's."""

    topic: Topic
    contribution: int

    @property
    def size(self) -> int:
        """The contribution without its sign."""
        return abs(self.contribution)


def weights(rows: Iterable[Difference]) -> list[Weight]:
    """Return the contribution of each topic, largest first, without zeros.

    Together with rows of no topic (overlaps) they add up to the makespans' difference.
    """
    # Kinds and causes have no name in common, so one dict holds both.
    by_name = {row.name: row.contribution for row in rows}
    found = []
    for topic in TOPICS:
        contribution = sum(by_name.get(name, 0) for name in topic.rows)
        if contribution:
            found.append(Weight(topic, contribution))
    return sorted(found, key=lambda weight: -weight.size)


def main_topics(found: Sequence[Weight], difference: int) -> list[Weight]:
    """Return the topic that explains most of a difference; two if the first is not ENOUGH.

    Only topics with the sign of the difference explain it. The largest topic of the other sign is
    added at the end if it exceeds the difference; the others then have to explain its amount too.
    """
    agreeing: list[Weight] = []
    opposite: list[Weight] = []
    for weight in found:
        agreement = weight.contribution * difference
        if agreement > 0:
            agreeing.append(weight)
        elif agreement < 0:
            opposite.append(weight)
    # If B computes 5 ms less, waits 4 ms more and is 1 ms shorter, a sentence without the 4 ms
    # would mislead.
    against: list[Weight] = []
    whole = abs(difference)
    if opposite:
        largest = opposite[0]
        if largest.size > whole:
            against.append(largest)
            whole += largest.size
    is_enough = bool(agreeing) and agreeing[0].size >= ENOUGH * whole
    most = 1 if is_enough else 2
    return agreeing[:most] + against
