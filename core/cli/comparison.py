"""What a run is told of its prediction."""

from __future__ import annotations

import statistics

from core.cli.report import milliseconds
from core.predict.compare import Comparison


def comparison_text(comparison: Comparison) -> str:
    """The predicted step beside the measured one, and how far each lane's busy time is off."""
    values = comparison.to_dict()
    measured = statistics.median(step.makespan_ns for step in comparison.steps)
    lanes = ", ".join(f"{lane['name']} {_percent(lane['error'])}" for lane in values["lanes"])
    return (
        f"predicted: {milliseconds(values['makespan_ns'])} ms for {milliseconds(measured)} ms "
        f"({_percent(comparison.makespan_error)}, medians; busy time {lanes})\n"
        f"costs: {comparison.source}"
    )


def _percent(error: float | None) -> str:
    return "unknown" if error is None else f"{100 * error:+.1f} %"
