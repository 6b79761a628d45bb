"""The commands that predict: a step from costs, without a machine that could run it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bubblescope.cli.commands import RunError, describe_model, execute
from bubblescope.cli.drawing import draw
from bubblescope.cli.figures import figure_options
from bubblescope.cli.report import bubble_text, injected_lines, milliseconds, table, time_cells
from core.costs.costs import CostError, CostModel, cost_name, further_name
from core.costs.costs_file import NEEDED, read_costs, told_costs, write_costs
from core.engine.messages import Outcome
from core.errors import PlanError
from core.explain.causes import Cause, explain_step
from core.files import check_outputs, check_writable, whole_file, write_whole
from core.plain import counted, in_number, say
from core.plan.faults import Faults, faults_given, hiccups_of
from core.plan.link import read_link
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import Role
from core.plan.planning import check, check_unmeasured
from core.plan.specification import specification_of
from core.predict.compare import CostSource, known_costs
from core.predict.predict import Prediction, predict_step, predicted_recording, predicted_trace
from core.predict.without_machine import PlannedStep, plan_without_machine
from core.report.step_figures import step_figures
from core.report.verdict import verdict
from core.trace.trace import Trace

MOST_LANES_SHOWN = 64
MOST_JUDGED = 250_000
"""Tasks of a step on which there is a verdict: it is simulated ten times, a second per million."""


def predict(arguments: argparse.Namespace) -> None:
    """Predict a step, print its table, write what was asked for. Raises PlanError in one line."""
    specification = specification_of(vars(arguments))
    check_unmeasured(specification)
    check(specification)
    check_outputs(vars(arguments))
    options = figure_options(arguments)
    costs = costs_of_arguments(arguments)
    model = describe_model(specification)
    steps = len(specification.step_rows)
    if not 1 <= arguments.step <= steps:
        raise PlanError(f"--step {arguments.step}: the measured steps are 1 to {steps}")
    run = plan_without_machine(specification, model, costs)
    # Faults of other steps are left out of what is told and kept of this one.
    told = run.specification.having(hiccup=hiccups_of(specification, arguments.step))
    run = replace(run, specification=told)
    faults, step = Faults.of(specification), specification.warmup + arguments.step - 1
    prediction = predict_step(run.plan, costs, faults, step)
    # A prediction has no warm-up: its step has the number that people know, less one.
    predicted = run.header, run.plan.tasks, prediction.columns, arguments.step - 1
    summary = summary_of(run, prediction, predicted_trace(*predicted))
    write_whole(arguments.summary, json.dumps(summary, indent=1, allow_nan=False) + "\n")
    if arguments.record is not None:
        with whole_file(arguments.record) as path:
            path.write_bytes(predicted_recording(*predicted))
    if arguments.image is not None:
        draw([predicted_trace(*predicted)], Path(arguments.image), options)
    say(prediction_text(summary))
    if specification.devices != run.specification.devices:
        say("devices: imagined ones that copy beside computing, as GPUs do; --devices names others")
    for text in faults.without_effect(run.plan.columns, run.plan.lanes):
        say(text)
    # Faults of other steps are part of what was asked, and would otherwise be left out without a
    # word.
    if any(hiccup.step != step for hiccup in faults.hiccups):
        say(f"step {arguments.step} is predicted: hiccups of other steps have no effect")


def calibrate(arguments: argparse.Namespace) -> None:
    """Measure what a plan's tasks cost on this machine, print it, write it as JSON.

    On virtual lanes the costs are by block and of several sizes. Where torch drives the ranks, they
    are those of a step that was run. Raises PlanError or
    RunError in one line.
    """
    specification = specification_of(vars(arguments))
    strategy = check(specification)
    if Path(arguments.costs).suffix != ".json":
        raise CostError(f"--costs {arguments.costs}: calibrate writes JSON; end the name in .json")
    check_writable("--costs", arguments.costs)
    # torch's ranks settle their buckets in the first step.
    warmup = 2 if strategy.on_ranks else 1
    # Costs are measured before the first step, or are those of a warm-up step: one more is enough.
    short = replace(specification, steps=1, warmup=warmup, data=None, calibrate=True)
    trace, ended = execute(short)
    if ended.outcome is Outcome.REFUSED:
        raise PlanError(ended.text)
    if ended.outcome is Outcome.STOPPED:
        raise KeyboardInterrupt
    if ended.outcome is not Outcome.FINISHED:
        raise RunError(ended.text or "the run ended before its costs were measured")
    by_size = told_costs(trace.size_costs)
    known = known_costs(trace) if by_size is None else (by_size, CostSource.BY_SIZE)
    if known is None:
        raise RunError(ended.text or "the run ended before its costs were measured")
    costs, source = known
    write_costs(arguments.costs, costs)
    say(f"costs of {trace.header.specification.strategy}, {source}:")
    say(costs_text(costs))


def costs_of_arguments(arguments: argparse.Namespace) -> CostModel:
    """The costs that the options name. Raises CostError if there are none, or for a bad option."""
    if arguments.costs is None:
        raise CostError(f"predict needs --costs FILE, a JSON or TOML file with {NEEDED}")
    costs = read_costs(arguments.costs)
    if arguments.link is not None and (link := read_link(arguments.link)) is not None:
        costs = costs.over(link)
    return costs


def summary_of(run: PlannedStep, prediction: Prediction, trace: Trace) -> dict[str, object]:
    """The prediction as plain JSON values; a lane's busy, communication and idle time add up.

    `trace` is the same as a trace, on which there is a verdict if it has at most MOST_JUDGED tasks.
    """
    specification, plan = run.specification, run.plan
    explanation = explain_step(prediction.columns, plan.lanes)
    figures = asdict(step_figures(explanation, plan.pipeline))
    idle = figures.pop("idle_by_cause")
    found = verdict(trace) if len(plan.tasks) <= MOST_JUDGED else None
    lanes = [
        {"role": str(lane.role), **asdict(times), "idle_by_cause": causes}
        for lane, times, causes in zip(plan.lanes, prediction.lanes, idle, strict=True)
    ]
    return {
        "predicted": True,
        "strategy": specification.strategy,
        "schedule": specification[SCHEDULE],
        "stages": len(plan.stages),
        "microbatches": len({part.microbatch for part in plan.parts}),
        "batch": specification.batch_rows,
        "injected_faults": faults_given(specification),
        "verdict": None if found is None else asdict(found),
        "makespan_ns": prediction.makespan_ns,
        **figures,
        "lanes": lanes,
    }


def prediction_text(summary: dict[str, Any]) -> str:
    """What `predict` prints of a prediction's summary."""
    schedule = f" {summary['schedule']}" if summary["schedule"] else ""
    computing = [lane for lane in summary["lanes"] if lane["role"] == Role.COMPUTE]
    pieces = counted(summary["microbatches"], "micro-batch", "micro-batches")
    lines = [
        f"{summary['strategy']}{schedule}, {counted(summary['stages'], 'stage')} on "
        f"{counted(len(computing), 'lane')}, {pieces}: predicted",
        f"step: {milliseconds(summary['makespan_ns'])} ms",
        bubble_text(
            summary["bubble_by_makespan"], summary["bubble_by_lane_span"], summary["closed_form"]
        ),
        *injected_lines(summary["injected_faults"]),
        *([f"verdict: {summary['verdict']['text']}"] if summary["verdict"] else []),
    ]
    header = ("lane", "busy ms", "comm ms", "idle ms", "idle %", "activations", "idle mostly for")
    rows = [_row(lane) for lane in computing[:MOST_LANES_SHOWN]]
    text = "\n".join(lines) + "\n\n" + table(header, rows)
    hidden = len(computing) - len(rows)
    return text + (f"\n{hidden} further lanes are in the --summary" if hidden else "")


def costs_text(costs: CostModel) -> str:
    """What `calibrate` prints: a row for each kind, its stages or blocks in turn."""
    named = {cost_name(kind): curves for kind, curves in costs.passes.items()}
    named |= {further_name(kind): curves for kind, curves in costs.further.items()}
    rows: list[tuple[str, str, str]] = []
    for name, curves in named.items():
        for size in sorted({size for curve in curves for size, _ in curve}):
            known = (dict(curve) for curve in curves)
            times = [milliseconds(points[size]) for points in known if size in points]
            rows.append((name, in_number(f"{size:g} rows"), " ".join(times)))
    rows += [
        (f"joined {cost_name(kind)}", "block after the first", milliseconds(ns))
        for kind, ns in costs.joined.items()
    ]
    rows += [
        (str(kind), in_number(f"{size:g} bytes"), milliseconds(ns))
        for kind, curve in costs.transfers.items()
        for size, ns in curve
    ]
    unit = "block" if costs.by_block else "stage"
    return table(("cost", "of", f"ms, by {unit}"), rows)


def _row(lane: dict[str, Any]) -> Sequence[object]:
    causes: dict[str, int] = lane["idle_by_cause"]
    return (
        lane["name"],
        *time_cells(lane["busy_ns"], lane["communication_ns"], lane["idle_ns"]),
        lane["peak_activations"],
        Cause(max(causes, key=lambda cause: causes[cause])).label if causes else "-",
    )
