"""Plans of equal stages for tests of predictions."""

from core.costs.costs import CostModel
from core.costs.costs_file import costs_of
from core.explain.explanation import explain_step
from core.models.catalogue import ModelSettings
from core.plan.plan import Plan
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, describe
from core.predict.predict import Prediction
from core.predict.without_machine import plan_without_machine
from core.report.step_figures import StepFigures, step_figures

MLP = ModelSettings("mlp")


def even(
    f: float = 1, b: float = 1, w: float = 1, transfer: float = 0, **more: object
) -> CostModel:
    """The same costs, in ms, for every stage."""
    values = {"forward_ms": f, "backward_input_ms": b, "backward_weight_ms": w, "step_ms": 0}
    return costs_of({**values, "transfer_ms": transfer, **more})


def planned(specification: Specification, costs: CostModel | None = None) -> Plan:
    """The plan that a prediction of `specification` is made of."""
    return plan_without_machine(specification, describe(specification), costs or even()).plan


def pipeline(schedule: str, p: int, m: int, v: int = 1, devices: str = "auto") -> Plan:
    """The plan of p ranks with v stages each and m micro-batches."""
    chunks = v if SCHEDULES[schedule].settable_chunks else None
    return planned(
        Specification("pipeline", MLP, devices, schedule=schedule, stages=p * v, microbatches=m,
                      chunks=chunks)
    )  # fmt: skip


def figures_of(plan: Plan, prediction: Prediction) -> StepFigures:
    """The figures of a predicted step."""
    return step_figures(explain_step(prediction.columns, plan.lanes), plan.pipeline)
