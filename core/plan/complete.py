"""Whether a schedule's actions are all there, once each, on the ranks that hold their stages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.plan.schedules.schedule import Action, ScheduleError, Seat
from core.plan.task import Kind

_FORWARD, _BACKWARD, _INPUT, _WEIGHT = 1, 2, 4, 8
_MARK = {
    Kind.FORWARD: _FORWARD,
    Kind.BACKWARD: _BACKWARD,
    Kind.BACKWARD_INPUT: _INPUT,
    Kind.BACKWARD_WEIGHT: _WEIGHT,
}
_CLASH = {
    Kind.FORWARD: 0,
    Kind.BACKWARD: _INPUT | _WEIGHT,
    Kind.BACKWARD_INPUT: _BACKWARD,
    Kind.BACKWARD_WEIGHT: _BACKWARD,
}
_DONE = (_FORWARD | _BACKWARD, _FORWARD | _INPUT | _WEIGHT)

_Marks = dict[tuple[int, int], bytearray]
"""For each (replica, stage), which passes each micro-batch has had."""


def check_complete(
    orders: Sequence[Sequence[Action]], seats: Sequence[Seat], microbatches: int
) -> None:
    """Raise ScheduleError, naming the first bad action, unless `orders` make a whole step.

    Each stage of a replica runs each micro-batch of that replica forward once and back once, on
    the rank that holds it: back by one whole backward, by a backward-input and a backward-weight,
    or by one backward over all micro-batches at once. A micro-batch goes through one replica.
    """
    marks: _Marks = {(seat.replica, seat.stage): bytearray(microbatches) for seat in seats}
    holders = {(seat.replica, seat.stage): seat.rank for seat in seats}
    owners: list[int | None] = [None] * microbatches
    for rank, order in enumerate(orders):
        for action in order:
            for half in action.halves:
                _check_place(half, rank, holders, owners)
                _mark(half, rank, marks[half.replica, half.stage])
    if None in owners:
        first = min(seats)
        raise _misses(Action(first.stage, Kind.FORWARD, owners.index(None)))
    for seat in seats:
        done = marks[seat.replica, seat.stage]
        _check_done(seat, done, (m for m in range(microbatches) if owners[m] == seat.replica))


def _check_place(
    half: Action, rank: int, holders: dict[tuple[int, int], int], owners: list[int | None]
) -> None:
    """Refuse an action of another rank's stage, or of a micro-batch that is not the replica's."""
    if holders.get((half.replica, half.stage)) != rank:
        held = sorted({stage for (_, stage), holder in holders.items() if holder == rank})
        raise ScheduleError(
            f"rank {rank} runs {half}, but it holds {_stages(held)}"
            + (f" (this is replica {half.replica})" if half.stage in held else "")
        )
    if half.microbatch is None:
        if half.kind is not Kind.BACKWARD:
            raise ScheduleError(f"rank {rank} runs {half}, which needs the number of a micro-batch")
        return
    if not 0 <= half.microbatch < len(owners):
        raise ScheduleError(
            f"rank {rank} runs {half}, but micro-batches are 0 to {len(owners) - 1}"
        )
    owner = owners[half.microbatch]
    if owner is None:
        owners[half.microbatch] = half.replica
    elif owner != half.replica:
        raise ScheduleError(
            f"rank {rank} runs {half} of replica {half.replica}, "
            f"but micro-batch {half.microbatch} is replica {owner}'s"
        )


def _mark(half: Action, rank: int, done: bytearray) -> None:
    """Note a pass; refuse one that its stage has had."""
    stage, kind, m, replica, _ = half
    for piece in range(len(done)) if m is None else (m,):
        if done[piece] & _MARK[kind]:
            raise ScheduleError(f"rank {rank} runs {half} a second time")
        if done[piece] & _CLASH[kind]:
            other = Kind.BACKWARD if kind is not Kind.BACKWARD else Kind.BACKWARD_INPUT
            beside = Action(stage, other, piece, replica)
            raise ScheduleError(f"rank {rank} runs both {beside} and {half}: one is too many")
        done[piece] |= _MARK[kind]


def _check_done(seat: Seat, done: bytearray, microbatches: Iterable[int]) -> None:
    """Refuse a stage that has not run one of its replica's micro-batches there and back."""
    for m in microbatches:
        if done[m] in _DONE:
            continue
        missing = Kind.BACKWARD
        if not done[m] & _FORWARD:
            missing = Kind.FORWARD
        elif done[m] & _INPUT:
            missing = Kind.BACKWARD_WEIGHT
        elif done[m] & _WEIGHT:
            missing = Kind.BACKWARD_INPUT
        raise _misses(Action(seat.stage, missing, m, seat.replica))


def _misses(action: Action) -> ScheduleError:
    return ScheduleError(f"the schedule misses {action}")


def _stages(held: Sequence[int]) -> str:
    if not held:
        return "no stage"
    return f"stage{'s' if len(held) > 1 else ''} {', '.join(map(str, held))}"
