"""Predictions of a plan from costs that other steps were measured to have."""

from __future__ import annotations

from collections.abc import Sequence

from core.costs.costs import CostModel
from core.errors import PlanError
from core.plan.pipeline.options import STAGES
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.measured import MeasuredSteps
from core.report.plan_costs import plan_costs
from core.trace.source import Source
from core.trace.trace import Trace


def with_measured_costs(
    specification: Specification, trace: Trace, steps: Sequence[int], name: str
) -> tuple[Specification, CostModel]:
    """Return the costs of a trace's steps, and the run with what the trace knows and it does not.

    That is the number of stages, micro-batches and replicas, and the devices of a run of ours with
    as many lanes. `name` is the trace's, for errors. Raises PlanError.
    """
    found = plan_costs(MeasuredSteps.of(trace, steps))
    if Kind.FORWARD not in found.costs.passes:
        raise PlanError(f"{name}: it has no forward passes of stages or blocks")
    on_devices = _on_recorded_devices(specification, found.ranks, trace)
    return found.filled(on_devices), found.costs


def _on_recorded_devices(specification: Specification, ranks: int, trace: Trace) -> Specification:
    """Return a run on the devices that the costs were measured on, if it has as many lanes.

    Imagined GPUs would copy while they compute, which CPU lanes do not.
    """
    header = trace.header
    is_ours = header.source is Source.RUN and len(header.compute_lanes) == ranks
    if specification.devices.strip() != "auto" or specification[STAGES] is not None or not is_ours:
        return specification
    return specification.having(devices=header.specification.devices)
