"""Matches the operations that a rank has recorded to the tasks of its plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.engine.ranks.expectation import ExpectedStep, Key
from core.plan.task import Kind, Payload
from core.recorder.rank_step import COMPUTE, FIRST_TRACK, Op, PlacedOp, on_tracks
from core.recording.schema import Timings


def collectives_in(ops: Iterable[Op]) -> list[Op]:
    """Return the collectives among operations, in the order of their requests."""
    return [op for op in ops if op.lane >= FIRST_TRACK]


def place_ops(ops: Sequence[Op], tracks: int) -> list[PlacedOp]:
    """Place operations on tracks: computations on track 0, collectives on any track.

    Collectives that have not begun are left out.
    """
    placed: list[PlacedOp] = []
    for op in ops:
        if op.lane == COMPUTE:
            placed.append(PlacedOp(op, 0, op.start, op.end))
    placed += on_tracks(collectives_in(ops), tracks)
    return placed


def timings(rows: Sequence[PlacedOp], expected: ExpectedStep, lanes: Sequence[int]) -> Timings:
    """Return operations as spans of the expected tasks; those without an end are open.

    `lanes` has the lane of each track. Track 0 is the lane of the tasks; a span on another track
    names its lane. Raise KeyError for an operation that is not in the plan.
    """
    launched: list[int | None] = []
    ready: list[int | None] = []
    lane: list[int | None] = []
    task: list[int] = []
    for row in rows:
        op = row.op
        task.append(expected.own[task_key(op)].index)
        launched.append(op.asked if op.launched is None else op.launched)
        # A collective starts when its data is ready; computations have no such time.
        ready.append(op.start if op.lane >= FIRST_TRACK else None)
        lane.append(lanes[row.track] if row.track else None)
    return Timings(
        plan=expected.number,
        step=expected.step,
        task=task,
        start=[row.start for row in rows],
        end=[row.end for row in rows],
        ready=ready,
        launched=launched,
        lane=lane,
    )


def task_key(op: Op) -> Key:
    """Return the key under which an operation's task is found in the plan."""
    return Kind(op.kind), op.number, Payload(op.payload)
