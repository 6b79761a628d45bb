"""The critical path: the chain of tasks and delays that makes a step as long as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import Explanation
from core.plan.task import ABSENT, IS_COLLECTIVE, IS_COMMUNICATION


class Share(StrEnum):
    """What a piece of the critical path is. The order is that of tables: append only."""

    COMPUTE = "compute"
    """A task that computes."""
    TRANSFER = "transfer"
    """A task that moves data between two lanes or to or from one: a copy, scatter or reduce."""
    COLLECTIVE = "collective"
    """A collective that every rank has reached."""
    WAITING = "waiting"
    """The next task was launched and had all that it needed, but its lane had not begun it."""
    HOST = "host"
    """The next task had all that it needed, but was not launched; or nobody noted when it was."""
    INCOMPLETE = "incomplete"
    """A step of which spans are missing, whose path is not known."""


ON_TASKS = (Share.COMPUTE, Share.TRANSFER, Share.COLLECTIVE)
"""The shares that are tasks; the others are delays before one."""


@dataclass(frozen=True, slots=True)
class PathPiece:
    """From `start` to `end` (ns) the path is in a task or in the delay before it.

    `task` is the task's position in the step's columns.
    """

    share: Share
    start: int
    end: int
    task: int


def critical_path(explanation: Explanation) -> list[PathPiece]:
    """From the step's start to its end without a gap: what each moment of the makespan was for.

    Goes back from the task that ended last to what it waited for last, and so on, as the
    explanation of gaps does. Pieces without length are left out.
    """
    columns, waits = explanation.columns, explanation.waits
    task = int(np.argmax(columns.end)) if len(columns) else ABSENT
    until = explanation.finish
    if explanation.fault:
        return [PathPiece(Share.INCOMPLETE, explanation.begin, until, task)]
    pieces: list[PathPiece] = []
    while task >= 0 and until > explanation.begin:
        # A rank of a job may be ahead of the others, and have begun before the job's step.
        begun = min(max(int(waits.begun[task]), explanation.begin), until)
        pieces.append(PathPiece(_share(int(columns.kind[task])), begun, until, task))
        # Of a collective the member that came last: what this one waited for is why all of them
        # waited.
        waiter = int(waits.slowest[task])
        task = int(waits.before[waiter])
        # By the clocks of two devices a task may end some µs after the begin of one that waited for
        # it: the path never goes forward in time.
        until = min(int(columns.end[task]), begun) if task >= 0 else explanation.begin
        launched = int(columns.launched[waiter])
        # The delay between what was waited for and the task has two parts: until it was launched
        # the host is late, from then on its lane is.
        #   until ........ handed ........ begun
        #         host             waiting
        handed = begun if launched == ABSENT else min(max(launched, until), begun)
        pieces.append(PathPiece(Share.WAITING, handed, begun, waiter))
        pieces.append(PathPiece(Share.HOST, until, handed, waiter))
    return [piece for piece in reversed(pieces) if piece.end > piece.start]


@dataclass(frozen=True, slots=True)
class Trail:
    """The tasks on a critical path in their order: n lanes, starts and ends in ns."""

    lane: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]


def trail_of(explanation: Explanation, pieces: Sequence[PathPiece]) -> Trail:
    """Where a path goes, without the delays on it: little enough to be kept for many steps."""
    mine = [piece for piece in pieces if piece.share in ON_TASKS]
    return Trail(
        explanation.columns.lane[[piece.task for piece in mine]].astype(np.int32),
        np.array([piece.start for piece in mine], np.int64),
        np.array([piece.end for piece in mine], np.int64),
    )


def path_shares(pieces: list[PathPiece]) -> dict[Share, int]:
    """Ns of each share; they add up to the makespan."""
    totals = dict.fromkeys(Share, 0)
    for piece in pieces:
        totals[piece.share] += piece.end - piece.start
    return {share: ns for share, ns in totals.items() if ns or share is not Share.INCOMPLETE}


def _share(kind: int) -> Share:
    if IS_COLLECTIVE[kind]:
        return Share.COLLECTIVE
    return Share.TRANSFER if IS_COMMUNICATION[kind] else Share.COMPUTE
