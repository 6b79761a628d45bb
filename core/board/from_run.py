"""A step of a run as a board, with the run's own costs."""

from __future__ import annotations

import statistics
from collections import defaultdict

import numpy as np

from core.arrays import Bools
from core.board.board import Board, IllegalMoveError
from core.board.rules import MOST_LANES, MOST_MICROBATCHES, BoardRules, PassTimes
from core.message import Message, message
from core.plan.plan import Role
from core.plan.schedules.schedule import Action
from core.plan.task import ABSENT, KINDS, PASSES, Kind
from core.trace.step import StepColumns
from core.trace.trace import Trace

Times = dict[tuple[Kind, int], list[int]]
"""Durations in ns by kind and stage."""


def board_of_run(trace: Trace, step: int) -> Board:
    """Return the passes of a step in the order in which each lane ran them.

    A pass takes the median time of its kind and stage in the step, and a copy the median of all
    copies. Raises IllegalMoveError for steps that are not of one pipeline, or too large for a
    board.
    """
    columns = StepColumns.of_trace(trace, step)
    passes = PASSES[columns.kind]
    _check_pipeline(columns, passes)
    lanes = [lane.index for lane in trace.header.lanes if lane.role is Role.COMPUTE]
    microbatches = 1 + int(columns.microbatch[passes].max())
    if len(lanes) > MOST_LANES or microbatches > MOST_MICROBATCHES:
        raise IllegalMoveError(
            message(
                "a board has at most {lanes} lanes and {microbatches} micro-batches",
                lanes=MOST_LANES,
                microbatches=MOST_MICROBATCHES,
            )
        )
    places = np.flatnonzero(passes)
    places = places[np.argsort(columns.start[places], kind="stable")]
    orders: list[list[Action]] = [[] for _ in lanes]
    stage_lanes: dict[int, int] = {}
    times: Times = defaultdict(list)
    for place in places.tolist():
        stage, kind = int(columns.stage[place]), KINDS[columns.kind[place]]
        lane = lanes.index(int(columns.lane[place]))
        orders[lane].append(Action(stage, kind, int(columns.microbatch[place])))
        stage_lanes[stage] = lane
        times[kind, stage].append(int(columns.duration[place]))
    stages = len(stage_lanes)
    split = any(kind is Kind.BACKWARD_WEIGHT for kind, _ in times)
    rules = BoardRules(
        tuple(stage_lanes[stage] for stage in range(stages)),
        microbatches,
        split,
        _pass_times(times, stages, _copy_ns(columns)),
    )
    return Board.of(rules, orders)


def _check_pipeline(columns: StepColumns, passes: Bools) -> None:
    """Raise IllegalMoveError unless all passes are of stages and micro-batches of one replica."""
    kinds = columns.kind[passes]
    has_stages = passes.any() and (columns.stage[passes] != ABSENT).all()
    has_numbers = (columns.microbatch[passes] != ABSENT).all()
    has_overlaps = (kinds == KINDS.index(Kind.OVERLAP)).any()
    replicas = len(np.unique(columns.replica[passes]))
    of_blocks = (columns.block[passes] != ABSENT).any()
    if not has_stages or not has_numbers or has_overlaps or of_blocks or replicas > 1:
        raise IllegalMoveError(_not_a_pipeline())


def _not_a_pipeline() -> Message:
    return message(
        "only a step of one pipeline, whose passes are of stages and micro-batches, fits a board"
    )


def _copy_ns(columns: StepColumns) -> float:
    copies = columns.kind == KINDS.index(Kind.COPY)
    return float(np.median(columns.duration[copies])) if copies.any() else 0.0


def _pass_times(times: Times, stages: int, copy_ns: float) -> PassTimes:
    """Return the median times; a kind that did not run takes a share of a kind that did."""
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
        found[Kind.FORWARD].append(medians[Kind.FORWARD])
        found[Kind.BACKWARD].append(whole)
        found[Kind.BACKWARD_INPUT].append(medians.get(Kind.BACKWARD_INPUT, whole / 2))
        found[Kind.BACKWARD_WEIGHT].append(medians.get(Kind.BACKWARD_WEIGHT, whole / 2))
    return PassTimes(
        tuple(found[Kind.FORWARD]),
        tuple(found[Kind.BACKWARD]),
        tuple(found[Kind.BACKWARD_INPUT]),
        tuple(found[Kind.BACKWARD_WEIGHT]),
        copy_ns,
        measured=True,
    )
