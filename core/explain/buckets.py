"""Times of collectives on each rank: ready, launched, started, done, and exposed time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.explain.causes import CAUSES, Cause
from core.explain.explanation import Explanation
from core.plan.task import ABSENT, IS_COLLECTIVE, KINDS, Kind, known
from core.trace.step import StepSpans
from core.trace.trace import Trace

_BACKWARD = KINDS.index(Kind.BACKWARD)
_EXPOSED = CAUSES.index(Cause.COLLECTIVE)


@dataclass(frozen=True, slots=True)
class BucketTimes:
    """Times of a collective on one rank, in ns since the run's start.

    `lane` is the rank's compute lane, `bytes` the size of the data. At `ready` the rank's gradients
    were complete (None if not recorded), at `launched` the collective was enqueued (its start if
    not recorded), at `started` the rank had arrived at it with no earlier collective under way, at
    `begun` the last rank had too, at `done` it ended. `exposed_ns` is the idle time of the compute
    lane while the collective moved data.
    """

    kind: Kind
    block: int | None
    bucket: int | None
    lane: int
    bytes: int
    ready: int | None
    launched: int
    started: int
    begun: int
    done: int
    exposed_ns: int


@dataclass(frozen=True, slots=True)
class GradientReady:
    """At `time` (ns) the backward pass of `block` ended on `lane`: its gradients are complete."""

    lane: int
    block: int
    time: int


def bucket_times(explanation: Explanation, trace: Trace | None = None) -> list[BucketTimes]:
    """Return a step's collectives in the order of its tasks.

    `ready` is filled in from the run's `trace`, if that is given.
    """
    columns = explanation.columns
    waits = explanation.waits
    exposed = _exposed(explanation)
    ready = _ready(explanation, trace) if trace is not None else {}
    found: list[BucketTimes] = []
    for i in np.flatnonzero(IS_COLLECTIVE[columns.kind]).tolist():
        lane = explanation.lanes[columns.lane[i]].serves
        start = int(columns.start[i])
        begun = int(waits.begun[i])
        launched = int(columns.launched[i])
        slowest = int(waits.slowest[i])
        times = BucketTimes(
            kind=KINDS[columns.kind[i]],
            block=known(columns.block[i]),
            bucket=known(columns.bucket[i]),
            lane=lane,
            bytes=int(columns.bytes[i]),
            ready=ready.get(int(columns.task[i])),
            launched=start if launched == ABSENT else launched,
            # A collective that queued on its lane may have begun before its recorded start
            # (core.costs.waits).
            started=min(start, begun),
            begun=begun,
            done=int(columns.end[i]),
            exposed_ns=exposed.get((slowest, lane), 0),
        )
        found.append(times)
    return found


def gradient_wave(explanation: Explanation) -> list[GradientReady]:
    """Return the end of each block's backward pass on each lane, in order of time."""
    columns = explanation.columns
    is_backward = columns.kind == _BACKWARD
    has_block = columns.block >= 0
    tasks = np.flatnonzero(is_backward & has_block)
    by_end = np.argsort(columns.end[tasks], kind="stable")
    found: list[GradientReady] = []
    for i in tasks[by_end].tolist():
        ready = GradientReady(
            lane=int(columns.lane[i]),
            block=int(columns.block[i]),
            time=int(columns.end[i]),
        )
        found.append(ready)
    return found


def _exposed(explanation: Explanation) -> dict[tuple[int, int], int]:
    """Return idle ns by (slowest member of a collective, lane that idles).

    The slowest member identifies a collective: the blocking task may be another rank's member.
    """
    exposed = np.flatnonzero(explanation.cause == _EXPOSED)
    blocking = explanation.blocking[exposed]
    slowest = explanation.waits.slowest[blocking]
    lanes = explanation.lane[exposed]
    lengths = explanation.end[exposed] - explanation.start[exposed]
    keys = zip(slowest.tolist(), lanes.tolist(), strict=True)
    totals: Counter[tuple[int, int]] = Counter()
    for key, length in zip(keys, lengths.tolist(), strict=True):
        totals[key] += length
    return totals


def _ready(explanation: Explanation, trace: Trace) -> dict[int, int]:
    """Return the time at which each task of the step was ready, by task number, if recorded."""
    if not len(explanation.columns):
        return {}
    step = trace.step_table.at(explanation.begin)
    if step is None:
        return {}
    spans = StepSpans.of(trace, step).spans
    noted = spans[spans["ready"] != ABSENT]
    tasks = noted["task"].tolist()
    times = noted["ready"].tolist()
    return dict(zip(tasks, times, strict=True))
