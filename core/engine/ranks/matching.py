"""Matches the operations that a rank has recorded to the tasks of its plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.engine.ranks.expectation import Expected, Key
from core.plan.task import Kind, Payload
from core.recorder.rank_step import COMPUTE, FIRST_TRACK, Op, Placed, on_tracks
from core.recording.schema import Timings


def moved_by(ops: Iterable[Op]) -> list[Op]:
    """Return the collectives among operations, in the order of asking."""
    return [op for op in ops if op.lane >= FIRST_TRACK]


def placed(ops: Sequence[Op], tracks: int) -> list[Placed]:
    """Place operations on the rank's lanes: its track 0 is also the one of what computes.

    Collectives that have not begun are left out.
    """
    computed = [Placed(op, 0, op.start, op.end) for op in ops if op.lane == COMPUTE]
    return [*computed, *on_tracks(moved_by(ops), tracks)]


def timings(rows: Sequence[Placed], expected: Expected, lanes: Sequence[int]) -> Timings:
    """Return operations as spans of the expected tasks; those without an end are open.

    `lanes` are those of the tracks; a span names its lane if that is not its task's, the first.
    Raises KeyError for an operation that the plan does not have.
    """
    return Timings(
        expected.number,
        expected.step,
        [expected.own[key_of(row.op)].index for row in rows],
        [row.start for row in rows],
        [row.end for row in rows],
        [row.op.start if row.op.lane >= FIRST_TRACK else None for row in rows],
        [row.op.asked if row.op.launched is None else row.op.launched for row in rows],
        [lanes[row.track] if row.track else None for row in rows],
    )


def key_of(op: Op) -> Key:
    """Identify an operation within its rank's step, as the tasks of the plan are."""
    return Kind(op.kind), op.number, Payload(op.payload)
