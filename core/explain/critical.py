"""Critical path: the chain of tasks and delays that determines the length of a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.explain.explanation import Explanation
from core.message import N_
from core.plan.task import ABSENT, IS_COLLECTIVE, IS_COMMUNICATION


class PathShare(StrEnum):
    """Kind of a piece of the critical path. Tables use this order: append only."""

    COMPUTE = N_("compute")
    """A task that computes."""
    TRANSFER = N_("transfer")
    """A task that moves data between lanes: a copy, scatter or reduce."""
    COLLECTIVE = N_("collective")
    """A collective that every rank has reached."""
    WAITING = N_("waiting")
    """The next task was launched and ready, but its lane had not started it."""
    HOST = N_("host")
    """The next task was ready but not launched, or its launch was not recorded."""
    INCOMPLETE = N_("incomplete")
    """The step lacks spans, so its path is unknown."""


ON_TASKS = (PathShare.COMPUTE, PathShare.TRANSFER, PathShare.COLLECTIVE)
"""Shares that are tasks; the others are delays before a task."""


@dataclass(frozen=True, slots=True)
class PathPiece:
    """A piece of the critical path, a task or the delay before it; `start` and `end` are in ns.

    `task` is a position in the step's columns.
    """

    share: PathShare
    start: int
    end: int
    task: int


def critical_path(explanation: Explanation) -> list[PathPiece]:
    """Return the path from the step's start to its end, in pieces without gaps between them.

    The path is followed backwards: from the task that ended last to the task that it waited for
    last, and so on, by the same rule as in the explanation of gaps (core.explain.explanation).
    Pieces of length 0 are dropped.
    """
    columns = explanation.columns
    waits = explanation.waits
    begin = explanation.begin
    until = explanation.finish
    task = ABSENT
    if len(columns):
        task = int(np.argmax(columns.end))
    if explanation.fault:
        return [
            PathPiece(
                share=PathShare.INCOMPLETE,
                start=begin,
                end=until,
                task=task,
            )
        ]
    pieces: list[PathPiece] = []
    while task >= 0 and until > begin:
        # A rank of a job may be ahead of the others, and begin its step before the job's step
        # begins.
        begun = _clipped(int(waits.begun[task]), begin, until)
        share = _share(int(columns.kind[task]))
        pieces.append(
            PathPiece(
                share=share,
                start=begun,
                end=until,
                task=task,
            )
        )
        # A collective waits for its last member, so the path continues there. For other tasks, the
        # waiter is the task itself.
        waiter = int(waits.slowest[task])
        task = int(waits.before[waiter])
        until = begin
        if task >= 0:
            # The clocks of two devices differ by some µs, so a task may seem to end after the start
            # of a task that waited for it. The path must not go forwards in time.
            until = min(int(columns.end[task]), begun)
        # The delay before the task has two parts: until its launch the host is late, and then the
        # lane.
        #   until ........ enqueued ........ begun
        #          host              waiting
        launched = int(columns.launched[waiter])
        enqueued = begun
        if launched != ABSENT:
            enqueued = _clipped(launched, until, begun)
        pieces.append(
            PathPiece(
                share=PathShare.WAITING,
                start=enqueued,
                end=begun,
                task=waiter,
            )
        )
        pieces.append(
            PathPiece(
                share=PathShare.HOST,
                start=until,
                end=enqueued,
                task=waiter,
            )
        )
    pieces.reverse()
    return [piece for piece in pieces if piece.end > piece.start]


@dataclass(frozen=True, slots=True)
class Trail:
    """The n tasks on a critical path in order of time: their lanes, starts and ends in ns."""

    lane: NDArray[np.int32]
    start: Ints
    end: Ints


def trail_of(explanation: Explanation, pieces: Sequence[PathPiece]) -> Trail:
    """Return the tasks of a path, without its delays: small enough to keep for many steps."""
    tasks: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for piece in pieces:
        if piece.share in ON_TASKS:
            tasks.append(piece.task)
            starts.append(piece.start)
            ends.append(piece.end)
    return Trail(
        lane=explanation.columns.lane[tasks].astype(np.int32),
        start=np.array(starts, np.int64),
        end=np.array(ends, np.int64),
    )


def path_shares(pieces: list[PathPiece]) -> dict[PathShare, int]:
    """Return the ns of each share; they add up to the step's makespan."""
    totals = dict.fromkeys(PathShare, 0)
    for piece in pieces:
        totals[piece.share] += piece.end - piece.start
    if not totals[PathShare.INCOMPLETE]:
        del totals[PathShare.INCOMPLETE]
    return totals


def _clipped(value: int, least: int, most: int) -> int:
    return min(max(value, least), most)


def _share(kind: int) -> PathShare:
    if IS_COLLECTIVE[kind]:
        return PathShare.COLLECTIVE
    if IS_COMMUNICATION[kind]:
        return PathShare.TRANSFER
    return PathShare.COMPUTE
