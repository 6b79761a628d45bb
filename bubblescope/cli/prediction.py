"""The command `predict`: a step from costs, or from a recording."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bubblescope.api.predicting import PredictedRun, predict_run, with_measured_costs
from bubblescope.cli.drawing import draw
from bubblescope.cli.figures import figure_options
from bubblescope.cli.opening import open_with_warnings
from bubblescope.cli.replaying import basis_text, replay
from bubblescope.cli.report import bubble_text, injected_lines, table, time_cells
from core.costs.costs import CostError, CostModel
from core.costs.costs_file import NEEDED, read_costs
from core.counts import lanes_text, microbatches_text, stages_text
from core.errors import PlanError
from core.explain.causes import Cause
from core.explain.explanation import explain_step
from core.files import check_outputs, whole_file, write_whole
from core.plain import duration_text, say
from core.plan.faults import faults_given
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import Role
from core.plan.planning import check, check_unmeasured
from core.plan.specification import OPTIONS, Specification, specification_of
from core.predict.basis import basis_of
from core.report.step_figures import step_figures
from core.report.verdict import verdict
from core.trace.excerpt import ExcerptOptions, resolve_steps
from core.trace.median_step import whole_steps
from core.trace.trace import Trace

MOST_LANES_SHOWN = 64
_DEFAULTS = {option.name: option.default for option in OPTIONS}
MOST_JUDGED = 250_000
"""Largest number of tasks of a step that gets a verdict: that takes ten simulations, each about 1 s
per million tasks."""


def predict(arguments: argparse.Namespace) -> None:
    """Predict a step, print its table and write the outputs. Raises PlanError in one line.

    With a recording and no options of a run, the recording's own steps are replayed.
    """
    specification = _specification(arguments)
    measured = _measured(arguments)
    if measured is not None:
        if specification == specification_of(_DEFAULTS):
            replay(arguments, *measured)
            return
        trace, used = measured
        specification, costs = with_measured_costs(
            specification, trace, used, f"--from {arguments.source}"
        )
    check_unmeasured(specification)
    check(specification)
    check_outputs(vars(arguments))
    options = figure_options(arguments)
    if measured is None:
        costs = costs_of_arguments(arguments)
    predicted = predict_run(specification, costs, arguments.step)
    summary = summary_of(predicted)
    write_whole(arguments.summary, json.dumps(summary, indent=1, allow_nan=False) + "\n")
    if arguments.record is not None:
        with whole_file(arguments.record) as path:
            path.write_bytes(predicted.recording)
    if arguments.image is not None:
        draw([predicted.trace], Path(arguments.image), options)
    say(prediction_text(summary))
    planned = predicted.planned
    faults = predicted.faults
    if specification.devices != planned.specification.devices:
        say("devices: imagined GPUs, which copy while they compute; --devices chooses others")
    for text in faults.without_effect(planned.plan.columns, planned.plan.lanes):
        say(str(text))
    # Tell the user that some of the given faults are ignored.
    if any(hiccup.step != predicted.step for hiccup in faults.hiccups):
        say(f"step {arguments.step} is predicted: hiccups of other steps have no effect")


def costs_of_arguments(arguments: argparse.Namespace) -> CostModel:
    """Read the costs that the options name. Raises CostError if they are missing or invalid."""
    if arguments.costs is None:
        raise CostError(
            f"predict needs --from RECORDING, or --costs FILE, a JSON or TOML file with {NEEDED}"
        )
    return read_costs(arguments.costs)


def summary_of(predicted: PredictedRun) -> dict[str, object]:
    """Return a prediction as plain JSON values; each lane's times add up to the makespan.

    Steps of more than MOST_JUDGED tasks get no verdict.
    """
    prediction = predicted.prediction
    specification = predicted.planned.specification
    plan = predicted.planned.plan
    explanation = explain_step(prediction.columns, plan.lanes)
    basis = basis_of(plan, predicted.costs, explanation)
    figures = asdict(step_figures(explanation, plan.pipeline))
    idle = figures.pop("idle_by_cause")
    found = verdict(predicted.trace) if len(plan.tasks) <= MOST_JUDGED else None
    lanes = []
    for lane, times, causes in zip(plan.lanes, prediction.lanes, idle, strict=True):
        lanes.append({"role": str(lane.role), **asdict(times), "idle_by_cause": causes})
    return {
        "predicted": True,
        "strategy": specification.strategy,
        "schedule": specification[SCHEDULE],
        "stages": len(plan.stages),
        "microbatches": len({part.microbatch for part in plan.parts}),
        "batch": specification.batch_rows,
        "injected_faults": faults_given(specification),
        "verdict": None if found is None else found.to_dict(),
        "makespan_ns": prediction.makespan_ns,
        **asdict(basis),
        **figures,
        "lanes": lanes,
    }


def prediction_text(summary: dict[str, Any]) -> str:
    """Return the text that `predict` prints for a summary."""
    schedule = f" {summary['schedule']}" if summary["schedule"] else ""
    computing = [lane for lane in summary["lanes"] if lane["role"] == Role.COMPUTE]
    pieces = microbatches_text(summary["microbatches"])
    lines = [
        f"{summary['strategy']}{schedule}, {stages_text(summary['stages'])} on "
        f"{lanes_text(len(computing))}, {pieces}: predicted",
        f"step: {duration_text(summary['makespan_ns'])}",
        f"basis: {basis_text(summary)}",
        bubble_text(
            summary["bubble_by_makespan"], summary["bubble_by_lane_span"], summary["closed_form"]
        ),
        *injected_lines(summary["injected_faults"]),
    ]
    if summary["verdict"]:
        lines.append(f"verdict: {summary['verdict']['text']}")
    header = ("lane", "busy ms", "comm ms", "idle ms", "idle %", "activations", "idle mostly for")
    rows = [_row(lane) for lane in computing[:MOST_LANES_SHOWN]]
    text = "\n".join(lines) + "\n\n" + table(header, rows)
    hidden = len(computing) - len(rows)
    return text + (f"\n{hidden} further lanes: see --summary FILE" if hidden else "")


def _specification(arguments: argparse.Namespace) -> Specification:
    """Return the run that the options describe. Raises PlanError for a range without --from."""
    given = dict(vars(arguments))
    if arguments.source is not None:
        given["steps"] = None
    elif isinstance(arguments.steps, str):
        raise PlanError(
            f"--steps {arguments.steps}: a range needs --from RECORDING; without it use a number"
        )
    return specification_of(given)


def _measured(arguments: argparse.Namespace) -> tuple[Trace, list[int]] | None:
    """Return the trace of `--from` and the steps that give the costs; None without the option.

    Raises ValueError in one line.
    """
    name = arguments.source
    if name is None:
        return None
    if arguments.costs is not None:
        raise PlanError(f"--from {name} and --costs {arguments.costs} both give costs: use one")
    trace = open_with_warnings(name)
    whole = whole_steps(trace)
    if not whole:
        raise PlanError(f"--from {name}: it has no whole step")
    if arguments.steps is None:
        return trace, whole
    chosen = resolve_steps(ExcerptOptions(steps=str(arguments.steps)), trace)
    steps = [step for step in chosen if step in whole]
    if not steps:
        raise PlanError(f"--steps {arguments.steps}: none of these steps of {name} is whole")
    return trace, steps


def _row(lane: dict[str, Any]) -> Sequence[object]:
    causes: dict[str, int] = lane["idle_by_cause"]
    main_cause = "-"
    if causes:
        largest = max(causes, key=lambda cause: causes[cause])
        main_cause = Cause(largest).label
    return (
        lane["name"],
        *time_cells(lane["busy_ns"], lane["communication_ns"], lane["idle_ns"]),
        lane["peak_activations"],
        main_cause,
    )
