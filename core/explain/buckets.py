"""Collectives of ranks: when each was ready, launched and done, and what of it was exposed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.explain.causes import CAUSES, Cause, Explanation
from core.plan.task import ABSENT, IS_COLLECTIVE, KINDS, Kind, known
from core.trace.step import StepSpans
from core.trace.trace import Trace

_BACKWARD = KINDS.index(Kind.BACKWARD)
_EXPOSED = CAUSES.index(Cause.COLLECTIVE)


@dataclass(frozen=True, slots=True)
class BucketTimes:
    """A rank's part in a collective; times in ns since the run's start.

    `lane` is the rank's compute lane and `bytes` what is moved. `ready`: its gradients were there,
    None if that was not noted; `launched`: it was handed over (its start, if not noted); `started`:
    the rank had come to it, with no collective of its own in front; `begun`: the last rank had;
    `done`: it ended. `exposed_ns` is the time for which the compute lane idled while this
    collective moved data.
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
    """The gradients of `block` were there on `lane` at `time` (ns): its backward had ended."""

    lane: int
    block: int
    time: int


def bucket_times(explanation: Explanation, trace: Trace | None = None) -> list[BucketTimes]:
    """The collectives of a step in the order of its tasks; with the run's `trace` also `ready`."""
    columns, waits = explanation.columns, explanation.waits
    exposed = _exposed(explanation)
    ready = _ready(explanation, trace) if trace is not None else {}
    found = []
    for i in np.flatnonzero(IS_COLLECTIVE[columns.kind]).tolist():
        lane = explanation.lanes[columns.lane[i]].serves
        noted, begun = int(columns.launched[i]), int(waits.begun[i])
        found.append(
            BucketTimes(
                KINDS[columns.kind[i]],
                known(columns.block[i]),
                known(columns.bucket[i]),
                lane,
                int(columns.bytes[i]),
                ready.get(int(columns.task[i])),
                int(columns.start[i]) if noted == ABSENT else noted,
                # One that stood behind others on its lane may have begun before its start
                # (waits._came).
                min(int(columns.start[i]), begun),
                begun,
                int(columns.end[i]),
                exposed.get((int(waits.slowest[i]), lane), 0),
            )
        )
    return found


def gradient_wave(explanation: Explanation) -> list[GradientReady]:
    """When each block's backward ended on each lane, in order of time."""
    columns = explanation.columns
    rows = np.flatnonzero((columns.kind == _BACKWARD) & (columns.block >= 0))
    rows = rows[np.argsort(columns.end[rows], kind="stable")]
    return [
        GradientReady(int(columns.lane[i]), int(columns.block[i]), int(columns.end[i]))
        for i in rows
    ]


def _exposed(explanation: Explanation) -> dict[tuple[int, int], int]:
    """Idle ns of each lane for each collective, which is known by its slowest member.

    A walk along what a lane waited for may name the collective by another rank's member.
    """
    totals: dict[tuple[int, int], int] = {}
    for piece in np.flatnonzero(explanation.cause == _EXPOSED).tolist():
        slowest = int(explanation.waits.slowest[explanation.blocking[piece]])
        key = (slowest, int(explanation.lane[piece]))
        length = int(explanation.end[piece] - explanation.start[piece])
        totals[key] = totals.get(key, 0) + length
    return totals


def _ready(explanation: Explanation, trace: Trace) -> dict[int, int]:
    """When each task of the step was ready, by its number, where that was noted."""
    if not len(explanation.columns):
        return {}
    step = trace.step_table.at(explanation.begin)
    if step is None:
        return {}
    spans = StepSpans.of(trace, step).spans
    noted = spans[spans["ready"] != ABSENT]
    return dict(zip(noted["task"].tolist(), noted["ready"].tolist(), strict=True))
