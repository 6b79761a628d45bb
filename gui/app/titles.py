"""Titles of single runs, and of several runs that are shown together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.models.catalogue import MODELS
from core.plan.faults import faults_given
from core.plan.pipeline.options import SCHEDULE
from core.plan.schedules import schedule_title
from core.plan.specification import Specification, with_defaults
from core.plan.strategies import STRATEGIES
from core.trace.source import Source
from core.trace.trace import Trace
from gui.look.text import ntr, tr

DOT = " · "


def run_title(trace: Trace) -> str:
    """Return a run's title: `Pipeline 1F1B · MLP · 2 lanes · batch 64`."""
    return DOT.join(_parts(trace))


def model_title(name: str) -> str:
    """Return a model's title: a built-in model's title, or the name of its file."""
    model = MODELS.get(name)
    return tr(model.title) if model else Path(name).name


def strategy_title(specification: Specification) -> str:
    """Return a strategy's title, with its schedule: `Pipeline 1F1B`, `Data parallel`."""
    strategy = STRATEGIES.get(specification.strategy)
    name = tr(strategy.title) if strategy else specification.strategy
    chosen = with_defaults(specification)[SCHEDULE] if strategy else specification[SCHEDULE]
    if chosen:
        name += f" {tr(schedule_title(chosen))}"
    return name


def shared_title(traces: Sequence[Trace]) -> tuple[str, list[str]]:
    """Return the common part of several titles, and the remaining part of each.

    `MLP · 2 lanes · batch 64`, with `Pipeline GPipe` and `Pipeline 1F1B`. Runs with equal titles
    are numbered.
    """
    parts = [_parts(trace) for trace in traces]
    shared = set(parts[0]).intersection(*parts)
    common = [part for part in parts[0] if part in shared]
    own = []
    for mine in parts:
        own.append(DOT.join(part for part in mine if part not in common))
    # Remaining parts serve as titles only if they are all different and none is empty.
    if len(set(own)) < len(own) or not all(own):
        own = [tr("run {number}", number=number) for number in range(1, len(own) + 1)]
    return DOT.join(common), own


def run_names(traces: Sequence[Trace]) -> list[str]:
    """Return a name for each run: its differences from the others, or a single run's title."""
    if len(traces) == 1:
        return [run_title(traces[0])]
    _, names = shared_title(traces)
    return names


def _parts(trace: Trace) -> list[str]:
    specification = trace.header.specification
    title = model_title(trace.header.model.name)
    # A compute lane serves itself; lanes that transfer data serve one of the compute lanes.
    lanes = sum(lane.serves == lane.index for lane in trace.header.lanes)
    count = ntr("{n:,} lane", "{n:,} lanes", lanes)
    if not trace.header.source.has_plan:
        return [title, count]
    batch = tr("batch {rows}", rows=specification.batch_rows)
    parts = [strategy_title(specification), title, count, batch]
    if trace.header.source is Source.PREDICTED:
        parts.append(tr("predicted"))
    if faults_given(specification):
        parts.append(tr("injected faults"))
    return [part for part in parts if part]
