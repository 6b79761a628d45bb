"""Steps of runs as boards, with the run's own costs."""

import json

import pytest

from core.board.board import IllegalMoveError
from core.board.from_run import board_of_run
from core.board.saving import own_run, save_board
from core.board.timing import timed_board
from core.costs.plan_times import predict_times
from core.models.catalogue import ModelSettings
from core.plan.pipeline.orders import lane_orders
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.predict.predict import predicted_trace
from core.recording.recording import open_recording
from tests.core.board.test_board import UNITS
from tests.core.helpers import header_of, plan_of

MODEL = ModelSettings("mlp", width=4, depth=8)


def predicted(scale=1000, **values):
    """A prediction in which a forward takes 1000 ns, with copies that take no time."""
    given = {"strategy": "pipeline", "devices": "2xvirtual", "batch": 16, **values}
    specification = Specification(model=MODEL, **given)
    plan = plan_of(specification)
    columns = predict_times(plan, UNITS)
    columns = columns.timed(columns.start * scale, columns.end * scale)
    return predicted_trace(header_of(specification, plan), plan.tasks, columns)


@pytest.mark.parametrize("name", ["1f1b", "zb-h1", "zb-v", "interleaved"])
def test_a_run_is_the_board_of_its_schedule_with_its_times(name):
    trace = predicted(schedule=name, microbatches=4)
    board = board_of_run(trace, 0)
    chunks = SCHEDULES[name].chunks
    orders = SCHEDULES[name].orders(2, 4, chunks)
    assert [list(order) for order in board.orders] == orders and board.complete
    assert board.rules.times.measured and board.rules.times.forward == (1000,) * board.rules.stages
    timed = timed_board(board)
    assert timed.makespan == trace.bounds[1] - trace.bounds[0]


def test_a_kind_that_did_not_run_takes_a_share_of_one_that_did():
    whole = board_of_run(predicted(schedule="1f1b", microbatches=2), 0).rules.times
    assert whole.backward == (2000, 2000) and whole.backward_weight == (1000, 1000)
    parts = board_of_run(predicted(schedule="zb-h1", microbatches=2), 0).rules.times
    assert parts.backward == (2000, 2000) and parts.backward_input == (1000, 1000)


@pytest.mark.parametrize(
    "values",
    [
        {"strategy": "dp"},
        {"strategy": "single", "devices": "1xvirtual"},
        {"schedule": "split", "microbatches": 2},
    ],
)
def test_other_steps_are_refused_in_one_line(values):
    with pytest.raises(IllegalMoveError, match="a board holds only a step of a whole pipeline"):
        board_of_run(predicted(**values), 0)


@pytest.mark.parametrize(
    "names",
    [("2F0", "2F1", "2B0", "2B1"), ("0F0", "0B0", "1B0")],
    ids=["without the first stage", "a stage without a forward"],
)
def test_a_rank_s_part_of_a_pipeline_is_refused_in_one_line(names, tmp_path):
    event = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1}
    events = [{**event, "name": "ProfilerStep#1", "ts": 0, "dur": 100}]
    for number, name in enumerate(names):
        events.append({**event, "name": name, "ts": 10 * number, "dur": 9})
        call = {"cat": "cpu_op", "name": "aten::mm", "ts": 10 * number + 1, "dur": 5}
        events.append({**event, **call})
    file = tmp_path / "rank0.pt.trace.json"
    file.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    trace = open_recording(file).trace
    with pytest.raises(IllegalMoveError, match="a board holds only a step of a whole pipeline"):
        board_of_run(trace, trace.steps[0])


def test_pipelines_on_the_same_lanes_and_overlapped_passes_are_refused():
    chimera = predicted(schedule="chimera", microbatches=2)
    with pytest.raises(IllegalMoveError, match="share lanes or run different orders"):
        board_of_run(chimera, 0)
    overlapped = predicted(schedule="dualpipe-v", microbatches=4)
    with pytest.raises(IllegalMoveError, match="a forward and a backward at once"):
        board_of_run(overlapped, 0)


@pytest.mark.parametrize("name", ["1f1b", "interleaved"])
def test_of_pipelines_side_by_side_the_first_is_edited_and_all_run_it(name, tmp_path):
    trace = predicted(
        strategy="dp-pp", devices="4xvirtual", schedule=name, microbatches=4, replicas=2
    )
    board = board_of_run(trace, 0)
    chunks = SCHEDULES[name].chunks
    assert [list(order) for order in board.orders] == SCHEDULES[name].orders(2, 4, chunks)
    last = board.orders[0][-1]
    moved = board.move(last, len(board.orders[0]) - 2)
    path = save_board(moved, tmp_path, "moved")
    again = own_run(moved, path, trace.header.specification)
    assert again.strategy == "dp-pp" and again.devices == "4xvirtual"
    plan = plan_of(again)
    assert plan.replicas == 2
    found = lane_orders(plan)  # with micro-batches numbered through the whole batch
    for lane, order in enumerate(moved.orders):
        for replica in (0, 1):
            shifted = [one.microbatch + 4 * replica for one in order]
            mine = found[2 * replica + lane]
            assert [one.microbatch for one in mine] == shifted
            assert [(one.stage, one.kind) for one in mine] == [
                (one.stage, one.kind) for one in order
            ]


def test_a_step_of_too_many_micro_batches_is_refused():
    trace = predicted(schedule="1f1b", microbatches=17, batch=34)
    with pytest.raises(IllegalMoveError, match="at most 8 lanes and 16 micro-batches"):
        board_of_run(trace, 0)
