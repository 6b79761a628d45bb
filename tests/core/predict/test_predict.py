"""A predicted step: bubbles, lanes, activations, and its picture as a trace."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.costs.costs_file import costs_of
from core.costs.peaks import peak_activations
from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.models.description import Block, ModelDescription
from core.plan.faults import NO_FAULTS
from core.plan.specification import Specification, describe
from core.predict.predict import predict_step, predicted_trace
from core.predict.without_machine import plan_without_machine, stretched
from core.recording.stream_header import read_header, schema_of
from core.trace.source import Source
from core.trace.step import StepColumns
from tests.core.predict.plans import even, figures_of, pipeline, planned

MLP = ModelSettings("mlp")
MS = 1_000_000


@pytest.mark.parametrize(
    ("schedule", "bubble"), [("gpipe", 3 * 3), ("1f1b", 3 * 3), ("zb-h1", 3 * 1)]
)
def test_with_equal_costs_the_makespan_is_the_closed_forms(schedule, bubble):
    plan = pipeline(schedule, 4, 8)
    prediction = predict_step(plan, even())
    assert prediction.makespan_ns == (8 * 3 + bubble) * MS
    figures = figures_of(plan, prediction)
    assert figures.bubble_by_makespan == pytest.approx(bubble / (24 + bubble))
    assert figures.closed_form == pytest.approx(bubble / (24 + bubble))


def test_naive_model_parallel_keeps_one_lane_of_p_busy():
    plan = planned(Specification("mp", MLP, stages=4))
    assert figures_of(plan, predict_step(plan, even())).bubble_by_makespan == pytest.approx(3 / 4)


def test_zb_h2_has_a_bubble_by_makespan_and_none_by_a_lanes_own_span():
    plan = pipeline("zb-h2", 4, 8)
    figures = figures_of(plan, predict_step(plan, even()))
    assert figures.bubble_by_lane_span == 0 and figures.bubble_by_makespan > 0
    assert figures.closed_form == pytest.approx(figures.bubble_by_makespan)


@given(
    st.sampled_from(["dp", "ddp", "mp", "tp", "pipeline", "dp-pp", "single"]),
    st.lists(st.floats(0, 100), min_size=5, max_size=5),
    st.floats(0.5, 4),
)
def test_busy_communication_and_idle_time_add_up_to_the_makespan_on_every_lane(
    strategy, times, slow
):
    f, b, w, step, transfer = times
    plan = planned(Specification(strategy, MLP, "4xcpu", batch=10))
    costs = even(f, b, w, transfer, step_ms=step)
    prediction = predict_step(plan, costs, replace(NO_FAULTS, slow_lanes={1: slow}))
    causes = figures_of(plan, prediction).idle_by_cause
    for lane, by_cause in zip(prediction.lanes, causes, strict=True):
        assert lane.busy_ns + lane.communication_ns + lane.idle_ns == prediction.makespan_ns
        assert sum(by_cause.values()) == lane.idle_ns


def test_twice_the_costs_take_twice_as_long():
    plan = pipeline("1f1b", 4, 8)
    once, twice = (predict_step(plan, even(f, 2 * f, f, f)).makespan_ns for f in (1, 2))
    assert twice == 2 * once


def test_ranks_meet_in_their_collectives_so_a_slow_one_holds_up_all():
    plan = planned(Specification("ddp", ModelSettings("mlp", depth=2), "2xcpu", batch=4))
    alone = predict_step(plan, even(8, 8, 8, 1, step_ms=1))
    costs = even(8, 8, 8, 1, step_ms=1)
    held = predict_step(plan, costs, replace(NO_FAULTS, slow_lanes={1: 2}))
    assert held.makespan_ns > alone.makespan_ns
    assert held.lanes[0].busy_ns == alone.lanes[0].busy_ns
    assert held.lanes[2].communication_ns > alone.lanes[2].communication_ns


@pytest.mark.parametrize(
    ("schedule", "v", "peaks"),
    [
        ("gpipe", 1, [8, 8, 8, 8]),
        ("1f1b", 1, [4, 3, 2, 1]),
        ("split", 1, [8, 8, 8, 8]),
        ("zb-h1", 1, [4, 4, 4, 4]),
        ("zb-h2", 1, [7, 7, 7, 7]),
        ("interleaved", 2, [11, 9, 7, 5]),
    ],
)
def test_a_lane_holds_as_many_activations_as_its_schedule_says(schedule, v, peaks):
    prediction = predict_step(pipeline(schedule, 4, 8, v), even())
    assert [lane.peak_activations for lane in prediction.lanes[:4]] == peaks


def test_activations_weigh_as_much_as_their_stage_and_rows():
    plan = planned(Specification("pipeline", MLP, "2xcpu", batch=9, microbatches=4))
    columns = StepColumns.of_plan(plan)
    weights = np.array([5, 100])
    peaks = peak_activations(columns, 2, lambda stage, block: weights[stage])
    assert peaks.tolist() == [(3 + 2) * 5, 3 * 100]
    assert peak_activations(columns, 3).tolist() == [2, 1, 0]


def test_a_prediction_is_a_trace_of_one_step_that_says_so():
    asked = Specification("pipeline", MLP, stages=3)
    setting = plan_without_machine(asked, describe(Specification()), even())
    plan = setting.plan
    columns = predict_times(plan, even())
    trace = predicted_trace(setting.header, plan.tasks, columns)
    assert trace.header.source is Source.PREDICTED and trace.steps == [0]
    assert trace.step_bounds(0) == (0, int(columns.end.max()))
    assert trace.span_count == len(plan.tasks)
    again = read_header(schema_of(trace.header))
    assert again.source is Source.PREDICTED and again.lanes == plan.lanes


def test_devices_default_to_as_many_lanes_as_the_stages_need_with_overlapping_copies():
    plan = pipeline("interleaved", 3, 6, 2)
    assert [lane.name for lane in plan.lanes] == [
        "cuda:0", "cuda:1", "cuda:2", "cuda:0 copy", "cuda:1 copy", "cuda:2 copy",
    ]  # fmt: skip
    side_by_side = planned(Specification("dp-pp", MLP, stages=2, replicas=3, microbatches=2))
    assert len(side_by_side.lanes) == 12 and side_by_side.rows == 6
    assert len(planned(Specification("dp", MLP)).lanes) == 2


def test_the_batch_defaults_to_a_row_for_each_micro_batch_or_as_many_as_the_costs_are_for():
    assert pipeline("1f1b", 2, 24).rows == 24
    costs = costs_of({"forward_ms": 1, "backward_ms": 1, "step_ms": 1, "transfer_ms": 0, "rows": 5})
    plan = planned(Specification("pipeline", MLP, stages=2, microbatches=4), costs)
    assert [part.rows for part in plan.parts] == [5] * 4


def test_a_model_of_few_blocks_is_stretched_to_as_many_stages_as_are_asked_for():
    small = ModelDescription("small", (Block("a", (("w", 60),), 7), Block("b", (), 3)), 4)
    long = stretched(small, 6)
    assert [block.output_elements for block in long.blocks] == [7] * 5 + [3]
    assert [block.parameter_count for block in long.blocks] == [10] * 6
    assert stretched(small, 2) is small
    tutorial = Specification("pipeline", ModelSettings("tutorial"), stages=64, microbatches=256)
    assert len(planned(tutorial).stages) == 64


def test_costs_by_block_are_of_this_model_which_is_not_stretched():
    costs = even(by="block")
    with pytest.raises(PlanError, match="9 stages need at least 9 blocks"):
        planned(Specification("pipeline", MLP, stages=9), costs)


def test_a_schedule_from_a_file_says_itself_how_many_lanes_and_micro_batches_there_are(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n2F0,2B0,2F1,2B1\n")
    plan = planned(Specification("pipeline", ModelSettings("tutorial"), schedule=str(path)))
    assert len(plan.stages) == 3 and plan.rows == 2
    assert [lane.name for lane in plan.lanes[:3]] == ["cuda:0", "cuda:1", "cuda:2"]


def test_a_backward_over_all_micro_batches_lets_go_of_all_activations():
    plan = planned(
        Specification("pipeline", MLP, "2xcpu", batch=4, microbatches=4, schedule="split")
    )
    assert predict_step(plan, even()).lanes[0].peak_activations == 4
