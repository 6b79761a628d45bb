"""Steps of runs as boards, with the run's own costs."""

import pytest

from core.board.board import IllegalMoveError
from core.board.from_run import board_of_run
from core.board.timing import timed_board
from core.costs.plan_times import predict_times
from core.models.catalogue import ModelSettings
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.predict.predict import predicted_trace
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
        {"schedule": "chimera", "microbatches": 2},
        {"schedule": "split", "microbatches": 2},
    ],
)
def test_other_steps_are_refused_in_one_line(values):
    with pytest.raises(IllegalMoveError, match="only a step of one pipeline"):
        board_of_run(predicted(**values), 0)


def test_a_step_of_too_many_micro_batches_is_refused():
    trace = predicted(schedule="1f1b", microbatches=17, batch=34)
    with pytest.raises(IllegalMoveError, match="at most 8 lanes and 16 micro-batches"):
        board_of_run(trace, 0)
