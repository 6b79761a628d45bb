"""Par of a board: the steps of known schedules with the same numbers of lanes and micro-batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.board.board import Board
from core.board.rules import BoardRules, PassTimes
from core.board.timing import timed_board
from core.errors import PlanError
from core.plan.schedules import SCHEDULES, Schedule
from core.plan.task import Kind


@dataclass(frozen=True, slots=True)
class Par:
    """A schedule's step in the unit of the board's times, its bubble (0 to 1) and its memory.

    `memory` is the largest number of activations on a lane, in activations of the board's stages.
    """

    name: str
    title: str
    step: float
    bubble: float
    memory: float


@lru_cache(maxsize=64)
def pars(rules: BoardRules) -> tuple[Par, ...]:
    """Return the par of every schedule whose formula holds for the lanes, micro-batches and times.

    The formulas are `Schedule.bubble_time`. They assume that all stages take equally long and
    copies take no time; there is no par for other times.
    """
    found: list[Par] = []
    for schedule in SCHEDULES.values():
        par = par_of(rules, schedule)
        if par is not None:
            found.append(par)
    return tuple(found)


def par_of(rules: BoardRules, schedule: Schedule) -> Par | None:
    """Return a schedule's par; None if its formula does not hold, or for replicas and overlaps."""
    times = rules.times
    formula = schedule.bubble_time
    if formula is None or Kind.OVERLAP in schedule.uses or not _are_equal(times):
        return None
    ranks = rules.lanes
    microbatches = rules.microbatches
    chunks = schedule.chunks
    # The same model in another number of stages: a stage takes longer if there are fewer.
    ratio = rules.chunks / chunks
    f = times.forward[0] * ratio
    b = times.backward_input[0] * ratio
    w = times.backward_weight[0] * ratio
    bubble = formula(ranks, microbatches, chunks, f, b, w)
    board = schedule_board(schedule, ranks, microbatches)
    if bubble is None or board is None:
        return None
    work = microbatches * chunks * (f + b + w)
    step = work + bubble
    share = bubble / step
    peak = timed_board(board).peak
    return Par(
        name=schedule.name,
        title=schedule.title,
        step=step,
        bubble=share,
        memory=peak * ratio,
    )


def schedule_board(schedule: Schedule, lanes: int, microbatches: int) -> Board | None:
    """Return a schedule as a board with unit times; None for numbers that it does not support.

    Also None for schedules of several replicas, with overlaps, or with one loss for all
    micro-batches, which boards do not have.
    """
    placement = schedule.stage_placement(lanes, schedule.chunks)
    has_replicas = any(held.replica for held in placement)
    if has_replicas or schedule.whole_loss or Kind.OVERLAP in schedule.uses:
        return None
    try:
        orders = schedule.orders(lanes, microbatches, schedule.chunks)
    except PlanError:
        return None
    stage_lanes = tuple(held.rank for held in placement)
    split = Kind.BACKWARD_WEIGHT in schedule.uses
    times = PassTimes.units(len(stage_lanes))
    rules = BoardRules(
        stage_lanes=stage_lanes,
        microbatches=microbatches,
        split=split,
        times=times,
    )
    return Board.of(rules, orders)


def _are_equal(times: PassTimes) -> bool:
    if times.copy:
        return False
    for by_stage in (times.forward, times.backward_input, times.backward_weight):
        if len(set(by_stage)) != 1:
            return False
    whole = times.backward_input[0] + times.backward_weight[0]
    return set(times.backward) == {whole}
