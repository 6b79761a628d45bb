"""Settings in which two runs differ, as text: `8 micro-batches instead of 2`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.message import N_, Message
from core.models.catalogue import MODELS
from core.plan.faults import faults_text
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import Role
from core.plan.schedules import schedule_title
from core.plan.specification import STRATEGY_OPTIONS, with_defaults
from core.plan.strategies import STRATEGIES
from core.plan.task import ABSENT
from core.trace.source import Source
from core.trace.step import StepSpans
from core.trace.trace import Trace

NAMED = N_("{b} instead of {a}")
COUNTED: dict[str, tuple[str, str]] = {
    "microbatches": (
        N_("1 micro-batch instead of {a}"),
        N_("{b} micro-batches instead of {a}"),
    ),
    "lanes": (N_("1 lane instead of {a}"), N_("{b} lanes instead of {a}")),
    "stages": (N_("1 stage instead of {a}"), N_("{b} stages instead of {a}")),
    "replicas": (N_("1 replica instead of {a}"), N_("{b} replicas instead of {a}")),
    "batch": (N_("1 row instead of {a}"), N_("{b} rows instead of {a}")),
    "cores": (N_("1 core a lane instead of {a}"), N_("{b} cores a lane instead of {a}")),
    "width": (N_("width 1 instead of {a}"), N_("width {b} instead of {a}")),
    "depth": (N_("depth 1 instead of {a}"), N_("depth {b} instead of {a}")),
}
"""Templates for numeric settings, for 1 and for other numbers; other settings use NAMED.

Options of strategies have theirs, of the same form, in `Option.contrast`.
"""


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting in which two runs differ: its name and both values."""

    name: str
    a: str
    b: str

    @property
    def text(self) -> Message:
        """A text such as `8 micro-batches instead of 2` or `1F1B instead of GPipe`."""
        one, more = _templates().get(self.name, (NAMED, NAMED))
        template = one if self.b == "1" else more
        values = (("a", Message(self.a)), ("b", Message(self.b)))
        return Message(template, values)


def _templates() -> dict[str, tuple[str, str]]:
    """Return the templates of all numeric settings by name."""
    found = dict(COUNTED)
    for option in STRATEGY_OPTIONS:
        if option.contrast:
            found[option.name] = option.contrast
    return found


def differing_settings(
    a: Trace, step_a: int, b: Trace, step_b: int
) -> tuple[SettingDifference, ...]:
    """Return the settings that both runs have and that differ, in the order of `run_settings`."""
    one = run_settings(a, step_a)
    other = run_settings(b, step_b)
    found = []
    for name, value in one.items():
        if name in other and value != other[name]:
            found.append(SettingDifference(name, value, other[name]))
    return tuple(found)


def run_settings(trace: Trace, step: int) -> dict[str, str]:
    """Return a run's settings as short texts by name; counts are of `step`."""
    header = trace.header
    specification = header.specification
    strategy = STRATEGIES.get(specification.strategy)
    if strategy is not None:
        # A default is not different from the same value given explicitly.
        specification = with_defaults(specification)
    lanes = [lane for lane in header.lanes if lane.role is Role.COMPUTE]
    model = MODELS.get(header.model.name)
    kinds_of_devices: dict[str, None] = {}
    for lane in lanes:
        kind, _, _ = lane.device.partition(":")
        kinds_of_devices[kind] = None
    values: dict[str, object] = {
        "strategy": strategy.title if strategy is not None else specification.strategy,
        "schedule": _schedule(specification[SCHEDULE]),
        # Counted in the step: the last batch of an epoch may have fewer, and traces of other
        # programs do not have the setting.
        "microbatches": _distinct(trace, step, "microbatch"),
        "stages": _distinct(trace, step, "stage"),
        "replicas": header.replicas,
        "lanes": len(lanes),
        "devices": ", ".join(kinds_of_devices),
        "cores": lanes[0].cores if lanes else 0,
        "batch": specification.batch_rows,
        "model": model.title if model is not None else Path(header.model.name).name,
        "width": specification.model.width,
        "depth": specification.model.depth,
        "dtype": specification.model.dtype,
    }
    for option in STRATEGY_OPTIONS:
        if option.contrast:
            values[option.name] = _number(specification[option])
    is_predicted = header.source is Source.PREDICTED
    values["optimizer"] = specification.optimizer
    values["faults"] = faults_text(specification) or N_("no faults")
    values["made"] = N_("predicted") if is_predicted else N_("measured")
    # None, 0 and "" mean that a setting does not apply.
    return {name: str(value) for name, value in values.items() if value}


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _schedule(name: str | None) -> str:
    return "" if name is None else schedule_title(name)


def _distinct(trace: Trace, step: int, name: str) -> int:
    """Return how many different values of an attribute the tasks of a step have."""
    numbers = np.unique(StepSpans.of(trace, step).spans[name])
    return int(np.count_nonzero(numbers != ABSENT))
