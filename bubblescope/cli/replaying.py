"""The prediction of a trace's own steps from some of them: `predict --from` without a plan."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.errors import PlanError
from core.files import check_outputs, write_whole
from core.plain import duration_text, say
from core.predict.basis import Basis
from core.report.forecast import Forecast, forecast
from core.trace.trace import Trace


def replay(arguments: argparse.Namespace, trace: Trace, steps: Sequence[int]) -> None:
    """Predict a trace's own steps from `steps`; print and write the result. Raises PlanError."""
    for option in ("record", "image"):
        file = getattr(arguments, option)
        if file is not None:
            raise PlanError(f"--{option} {file}: only for a plan; choose one, as with --strategy")
    check_outputs(vars(arguments))
    try:
        found = forecast(trace, steps)
    except PlanError as error:
        raise PlanError(f"--from {arguments.source}: {error}") from error
    summary = replay_summary(found, trace, arguments.source)
    write_whole(arguments.summary, json.dumps(summary, indent=1, allow_nan=False) + "\n")
    say(replay_text(summary))


def replay_summary(found: Forecast, trace: Trace, name: str) -> dict[str, Any]:
    """Return a forecast as plain JSON values, with measured steps numbered from 1."""
    before_first = trace.header.specification.warmup - 1
    values = asdict(found)
    basis = values.pop("basis")
    return {
        "predicted": True,
        "from": name,
        **values,
        **basis,
        "used": [step - before_first for step in found.used],
        "unseen": [step - before_first for step in found.unseen],
    }


def replay_text(summary: Mapping[str, Any]) -> str:
    """Return the text that `predict` prints for a replay."""
    lines = [
        f"{summary['from']}: predicted from {_steps_text(summary['used'])}",
        f"step: {duration_text(summary['makespan_ns'])}",
        f"basis: {basis_text(summary)}",
    ]
    if summary["unseen"]:
        measured = duration_text(summary["unseen_ns"], like=summary["makespan_ns"])
        error = 100 * summary["error"]
        steps = _steps_text(summary["unseen"])
        lines.append(f"{steps}: {measured} measured ({error:+.1f} %)")
    return "\n".join(lines)


def _steps_text(steps: Sequence[int]) -> str:
    if len(steps) == 1:
        return f"step {steps[0]}"
    return f"steps {steps[0]} to {steps[-1]} (mean of {len(steps)})"


def basis_text(summary: Mapping[str, Any]) -> str:
    """Return the line on how much of a prediction was measured, from the summary of `predict`."""
    basis = Basis(summary["measured_share"], summary["low_ns"], summary["high_ns"])
    return str(basis.text)
