"""A step of a run as a board, with the run's own costs."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools
from core.board.board import Board, IllegalMoveError
from core.board.rules import MOST_LANES, MOST_MICROBATCHES, BoardRules, PassTimes
from core.message import Message, message
from core.plan.schedules.schedule import Action
from core.plan.task import ABSENT, KINDS, PASSES, Kind
from core.trace.step import StepColumns
from core.trace.trace import Trace

Times = dict[tuple[Kind, int], list[int]]
"""Durations in ns by kind and stage."""


def board_of_run(trace: Trace, step: int) -> Board:
    """Return the passes of a step in the order in which each lane ran them.

    If the step has several replicas, all of them must have run the same orders. A pass takes the
    median time of its kind and stage in the step, and a copy the median of all copies. Raises
    IllegalMoveError for steps that are not of such a pipeline, or are too large for a board.
    """
    columns = StepColumns.of_trace(trace, step)
    passes = PASSES[columns.kind]
    _check_pipeline(columns, passes)
    pipelines = _pipelines(columns, passes)
    orders = pipelines[0].orders
    microbatches = 1 + int(columns.microbatch[passes].max())
    if len(orders) > MOST_LANES or microbatches > MOST_MICROBATCHES:
        raise IllegalMoveError(
            message(
                "a board has at most {lanes} lanes and {microbatches} micro-batches",
                lanes=MOST_LANES,
                microbatches=MOST_MICROBATCHES,
            )
        )
    lanes_taken: list[int] = []
    has_other_orders = False
    for pipeline in pipelines:
        lanes_taken += pipeline.lanes
        has_other_orders |= pipeline.orders != orders
    shares_lanes = len(set(lanes_taken)) < len(lanes_taken)
    if shares_lanes or has_other_orders:
        raise IllegalMoveError(
            message(
                "the replicas of this step share lanes or run different orders; a board shows "
                "one pipeline"
            )
        )
    stage_lanes: dict[int, int] = {}
    for lane, order in enumerate(orders):
        for action in order:
            stage_lanes[action.stage] = lane
    times = _times(columns, passes)
    stages = len(stage_lanes)
    lane_of_stage = [stage_lanes[stage] for stage in range(stages)]
    split = any(kind is Kind.BACKWARD_WEIGHT for kind, _ in times)
    pass_times = _pass_times(times, stages, _copy_ns(columns))
    rules = BoardRules(
        stage_lanes=tuple(lane_of_stage),
        microbatches=microbatches,
        split=split,
        times=pass_times,
    )
    return Board.of(rules, orders)


@dataclass(frozen=True, slots=True)
class _Pipeline:
    """The lanes of a replica, and the passes of each of these lanes in order."""

    lanes: list[int]
    orders: list[list[Action]]


def _pipelines(columns: StepColumns, passes: Bools) -> list[_Pipeline]:
    """Return the pipeline of each replica."""
    places = np.flatnonzero(passes)
    by_start = np.argsort(columns.start[places], kind="stable")
    found: dict[int, dict[int, list[Action]]] = {}
    for place in places[by_start].tolist():
        replica = int(columns.replica[place])
        lane = int(columns.lane[place])
        stage = int(columns.stage[place])
        kind = KINDS[columns.kind[place]]
        microbatch = int(columns.microbatch[place])
        orders = found.setdefault(replica, {})
        order = orders.setdefault(lane, [])
        order.append(Action(stage, kind, microbatch))
    pipelines: list[_Pipeline] = []
    for replica in sorted(found):
        orders = found[replica]
        lanes = sorted(orders)
        in_order = [orders[lane] for lane in lanes]
        pipelines.append(_Pipeline(lanes, in_order))
    return pipelines


def _times(columns: StepColumns, passes: Bools) -> Times:
    times: Times = defaultdict(list)
    for place in np.flatnonzero(passes).tolist():
        kind = KINDS[columns.kind[place]]
        stage = int(columns.stage[place])
        duration = int(columns.duration[place])
        times[kind, stage].append(duration)
    return times


def _check_pipeline(columns: StepColumns, passes: Bools) -> None:
    """Raise IllegalMoveError for a step that is not a whole pipeline, and for overlapped passes."""
    kinds = columns.kind[passes]
    has_stages = passes.any() and (columns.stage[passes] != ABSENT).all()
    has_numbers = (columns.microbatch[passes] != ABSENT).all()
    if (kinds == KINDS.index(Kind.OVERLAP)).any():
        raise IllegalMoveError(
            message("a task that runs a forward and a backward at once does not fit a board")
        )
    of_blocks = (columns.block[passes] != ABSENT).any()
    if not has_stages or not has_numbers or of_blocks:
        raise IllegalMoveError(_not_a_pipeline())
    # The file of one rank, for example, has only the stages of this rank.
    is_forward = columns.kind == KINDS.index(Kind.FORWARD)
    with_forward = np.unique(columns.stage[is_forward]).tolist()
    stages = 1 + int(columns.stage[passes].max())
    if with_forward != list(range(stages)):
        raise IllegalMoveError(_not_a_pipeline())


def _not_a_pipeline() -> Message:
    return message(
        "a board holds only a step of a whole pipeline, whose passes have stages and micro-batches"
    )


def _copy_ns(columns: StepColumns) -> float:
    is_copy = columns.kind == KINDS.index(Kind.COPY)
    durations = columns.duration[is_copy]
    if not len(durations):
        return 0.0
    return float(np.median(durations))


def _pass_times(times: Times, stages: int, copy_ns: float) -> PassTimes:
    """Return the median times; those of backward kinds that did not run follow from the others."""
    found: dict[Kind, list[float]] = defaultdict(list)
    for stage in range(stages):
        medians: dict[Kind, float] = {}
        for kind in (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT):
            known = times.get((kind, stage))
            if known:
                medians[kind] = statistics.median(known)
        # A whole backward is as long as its two parts, which are about equally long.
        parts = medians.get(Kind.BACKWARD_INPUT, 0) + medians.get(Kind.BACKWARD_WEIGHT, 0)
        whole = medians.get(Kind.BACKWARD, parts)
        half = whole / 2
        input_part = medians.get(Kind.BACKWARD_INPUT, half)
        weight_part = medians.get(Kind.BACKWARD_WEIGHT, half)
        found[Kind.FORWARD].append(medians[Kind.FORWARD])
        found[Kind.BACKWARD].append(whole)
        found[Kind.BACKWARD_INPUT].append(input_part)
        found[Kind.BACKWARD_WEIGHT].append(weight_part)
    return PassTimes(
        forward=tuple(found[Kind.FORWARD]),
        backward=tuple(found[Kind.BACKWARD]),
        backward_input=tuple(found[Kind.BACKWARD_INPUT]),
        backward_weight=tuple(found[Kind.BACKWARD_WEIGHT]),
        copy=copy_ns,
        measured=True,
    )
