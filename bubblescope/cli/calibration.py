"""The command `calibrate`: measures the costs of a plan's tasks, here or on another machine."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from bubblescope.api.running import RunError, execute
from bubblescope.cli.hosts import host_of
from bubblescope.cli.progress import ProgressPrinter
from bubblescope.cli.report import milliseconds, table
from core.costs.costs import CostError, CostModel, cost_name, further_name
from core.costs.costs_file import reported_costs, write_costs
from core.engine.messages import Outcome
from core.errors import PlanError
from core.files import check_is_no_input, check_writable
from core.plain import say
from core.plan.planning import check
from core.plan.specification import specification_of
from core.predict.compare import CostSource, known_costs


def calibrate_costs(arguments: argparse.Namespace) -> None:
    """Measure the costs of a plan's tasks, print them and write them as JSON.

    On virtual lanes they are costs by block, for several sizes. For strategies that torch runs in
    ranks, they are taken from a warm-up step. Raises PlanError or RunError, whose message is one
    line, and KeyboardInterrupt.
    """
    specification = specification_of(vars(arguments))
    strategy = check(specification)
    if Path(arguments.costs).suffix != ".json":
        raise CostError(f"--costs {arguments.costs}: calibrate writes JSON; end the name in .json")
    check_writable("--costs", arguments.costs)
    check_is_no_input("--costs", arguments.costs, specification.own_files)
    # torch rearranges the gradient buckets in the first step, so costs are taken from a second one.
    warmup = 2 if strategy.on_ranks else 1
    # Costs are measured before the first step or in a warm-up step, so one more step is enough.
    short = replace(specification, steps=1, warmup=warmup, data=None, calibrate=True)
    progress = ProgressPrinter(verbose=False)
    trace, ended = execute(short, progress, host=host_of(arguments))
    if ended.outcome is Outcome.REFUSED:
        raise PlanError(ended.text)
    if ended.outcome is Outcome.STOPPED:
        raise KeyboardInterrupt
    if ended.outcome is not Outcome.FINISHED:
        raise RunError(ended.text or "the run ended before its costs were measured")
    by_size = reported_costs(trace.size_costs)
    if by_size is not None:
        known: tuple[CostModel, CostSource] | None = (by_size, CostSource.BY_SIZE)
    else:
        known = known_costs(trace)
    if known is None:
        raise RunError(ended.text or "the run ended before its costs were measured")
    costs, source = known
    write_costs(arguments.costs, costs)
    name = trace.header.specification.strategy
    say(f"costs of {name}, {source}:")
    say(costs_text(costs))


def costs_text(costs: CostModel) -> str:
    """Return the table that `calibrate` prints: the costs of each kind by stage or block, in ms."""
    named = {}
    for kind, curves in costs.passes.items():
        named[cost_name(kind)] = curves
    for kind, curves in costs.further.items():
        named[further_name(kind)] = curves
    rows: list[tuple[str, str, str]] = []
    for name, curves in named.items():
        by_size: dict[float, list[str]] = {}
        for curve in curves:
            for size, ns in curve:
                times_of_size = by_size.setdefault(size, [])
                times_of_size.append(milliseconds(ns))
        for size, times in sorted(by_size.items()):
            rows.append((name, _size_text(size, "row"), " ".join(times)))
    for kind, curve in costs.joined.items():
        name = f"joined {cost_name(kind)}"
        for size, ns in curve:
            rows_text = _size_text(size, "row")
            rows.append((name, f"block after the first, {rows_text}", milliseconds(ns)))
    for kind, curve in costs.transfers.items():
        for size, ns in curve:
            rows.append((str(kind), _size_text(size, "byte"), milliseconds(ns)))
    unit = "block" if costs.by_block else "stage"
    return table(("cost", "of", f"ms, by {unit}"), rows)


def _size_text(size: float, unit: str) -> str:
    """Return `1 row` or `2.5 rows`."""
    plural = "" if size == 1 else "s"
    return f"{size:g} {unit}{plural}"
