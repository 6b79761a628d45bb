"""What-if questions: other costs need no other plan."""

import numpy as np
import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification, describe
from core.plan.task import PlanError
from core.predict.costs import CostError, Link
from core.predict.costs_file import costs_of
from core.predict.predict import predict_step
from core.predict.what_if import Structures
from tests.core.predict.plans import even

RUN = Specification("pipeline", ModelSettings("mlp"), schedule="zb-h1", stages=4, microbatches=8)
MODEL = describe(RUN)


def test_other_costs_are_predicted_from_the_same_plan():
    structures = Structures()
    plain, slow = even(3, 2, 1, 0.5), even(3, 2, 1, 0.5).slowed({2: 3}).over(Link.of(900, 1))
    structure = structures.get(RUN, MODEL, plain)
    assert structures.get(RUN, MODEL, slow) is structure
    for costs in (plain, slow):
        expected = predict_step(structure.setting.plan, costs)
        assert np.array_equal(structure.times(costs).end, expected.columns.end)
        trace = structure.trace(costs)
        assert trace.header.predicted and trace.step_bounds(0) == (0, expected.makespan_ns)


def test_only_the_last_few_plans_are_kept():
    structures = Structures(most=2)
    runs = [Specification("pipeline", RUN.model, stages=count) for count in (2, 3, 4)]
    first, second, third = (structures.get(run, MODEL, even()) for run in runs)
    assert structures.get(runs[1], MODEL, even()) is second
    assert structures.get(runs[2], MODEL, even()) is third
    assert structures.get(runs[0], MODEL, even()) is not first


def test_costs_for_other_rows_have_a_plan_of_their_own():
    structures = Structures()
    rows = costs_of({"forward_ms": 1, "backward_ms": 1, "step_ms": 1, "transfer_ms": 0, "rows": 4})
    run = Specification("pipeline", RUN.model, stages=2, microbatches=3)
    assert structures.get(run, MODEL, even()).setting.plan.rows == 3
    assert structures.get(run, MODEL, rows).setting.plan.rows == 12


def test_what_cannot_be_planned_or_predicted_is_refused():
    structures = Structures()
    with pytest.raises(PlanError, match="micro-batches"):
        structures.get(Specification("pipeline", RUN.model, batch=2, microbatches=4), MODEL, even())
    whole = costs_of({"forward_ms": 1, "backward_ms": 1, "step_ms": 1, "transfer_ms": 0})
    with pytest.raises(CostError, match="backward_input_ms"):
        structures.get(RUN, MODEL, whole).times(whole)
