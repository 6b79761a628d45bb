"""Blocks that are recorded inside forwards and backwards, and what they must not change."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.engine.lanes.lane import Stamps
from core.explain.balance import imbalance, lane_balance
from core.explain.batch_rows import lane_parts
from core.explain.critical import critical_path
from core.explain.run_step import explain_run_step
from core.models.catalogue import ModelSettings
from core.plan.plan import Role, working_lanes
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind, Task
from core.predict.compare import predict_steps, prediction_trace
from core.report.summary import summarise
from core.trace.trace import Trace
from tests.core.helpers import run_here

SMALL = ModelSettings("mlp", width=16, depth=6)
RUN = Specification(
    "pipeline", SMALL, "2xcpu", batch=32, steps=2, warmup=1, blocks=True, verify=True
)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run_here(replace(RUN, schedule="1f1b", warmup=2))  # costs are those of the second


def without_blocks(trace: Trace) -> Trace:
    """The same run as if no blocks had been recorded."""
    lanes = tuple(working_lanes(trace.header.lanes))
    return replace(
        trace, header=replace(trace.header, lanes=lanes), lanes=trace.lanes[: len(lanes)]
    )


def test_blocks_lie_within_their_task_one_after_the_other(trace: Trace) -> None:
    for lane in (lane for lane in trace.header.lanes if lane.role is Role.NESTED):
        spans, parent = trace.spans(lane.index), trace.spans(lane.serves)
        assert (spans.start[1:] >= spans.end[:-1]).all()
        inside = np.searchsorted(parent.start, spans.start, "right") - 1
        assert (spans.end <= parent.end[inside]).all()
        for name in ("kind", "stage", "microbatch", "step"):
            assert (spans[name] == parent[name][inside]).all()


@pytest.mark.parametrize(
    ("schedule", "kinds"),
    [
        ("gpipe", {Kind.FORWARD, Kind.BACKWARD}),
        ("zb-h1", {Kind.FORWARD, Kind.BACKWARD_INPUT}),
        ("dualpipe-v", {Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT}),
    ],
)
def test_every_block_of_every_micro_batch_is_sent_once(schedule: str, kinds: set[Kind]) -> None:
    made = run_here(replace(RUN, schedule=schedule, steps=1))
    nested = [lane.index for lane in made.header.lanes if lane.role is Role.NESTED]
    rows = np.concatenate([made.table.rows[made.spans(lane).row] for lane in nested])
    assert {KINDS[code] for code in np.unique(rows["kind"])} <= kinds
    forwards = rows[rows["kind"] == KINDS.index(Kind.FORWARD)]
    pairs = np.stack([forwards["microbatch"], forwards["block"]])
    told, counts = np.unique(pairs, axis=1, return_counts=True)
    assert told.shape[1] == len(np.unique(forwards["microbatch"])) * SMALL.depth
    assert set(counts.tolist()) == {2}  # a warm-up step and a measured one
    assert made.counter("gradient_error").values.max() < 1e-5


def test_the_summary_is_the_same_with_and_without_blocks(trace: Trace) -> None:
    plain = without_blocks(trace)
    assert json.loads(summarise(trace).to_json()) == json.loads(summarise(plain).to_json())


def test_explanation_and_balance_are_the_same_with_and_without_blocks(trace: Trace) -> None:
    plain = without_blocks(trace)
    for step in trace.steps:
        one, other = (explain_run_step(run, step) for run in (trace, plain))
        assert critical_path(one) == critical_path(other)
        assert (one.cause == other.cause).all()
        assert lane_parts(trace, step) == lane_parts(plain, step)
    lanes = working_lanes(trace.header.lanes)
    both = [[lane_balance(run, lane.index, run.steps) for lane in lanes] for run in (trace, plain)]
    assert imbalance(trace, both[0]) == imbalance(plain, both[1])


def test_the_prediction_is_the_same_with_and_without_blocks(trace: Trace) -> None:
    found = [predict_steps(run) for run in (trace, without_blocks(trace))]
    assert found[0] is not None and found[1] is not None
    assert found[0].to_dict() == found[1].to_dict()
    ghosts = prediction_trace(trace, found[0])
    assert [len(ghosts.spans(lane.index)) > 0 for lane in trace.header.lanes] == [
        True, True, False, False,
    ]  # fmt: skip


def test_without_the_option_no_blocks_are_recorded() -> None:
    made = run_here(replace(RUN, blocks=False, steps=1))
    assert {lane.role for lane in made.header.lanes} == {Role.COMPUTE}


def test_a_border_without_a_timestamp_leaves_out_its_two_blocks() -> None:
    clock = iter(range(100))
    notes = Stamps(lambda: next(clock), blocks=True)
    for border in (4, 2, 1):
        notes.note_border(True, border)
    block = Task(0, Kind.BACKWARD, 0)
    assert [notes.bounds(block._replace(block=number)) for number in range(4)] == [
        None, (1, 2), None, None,
    ]  # fmt: skip
    notes.note_border(True, 4)
    assert len(notes.all) == 3
