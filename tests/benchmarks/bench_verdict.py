"""Does the verdict name the fault that was put in, and what it costs?

On runs that are made up, and on runs of virtual lanes, with what their tasks really took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest

from core.cli.report import table
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.limits import Limit
from core.report.verdict import Verdict, verdict
from core.trace.trace import Trace
from tests.core.helpers import Engine
from tests.core.report.verdicts import made, makespans

SMALL = ModelSettings("mlp", width=256, depth=16)
REAL, REAL_ROWS = ModelSettings("mlp", width=512, depth=16), 512
"""Blocks of which a forward of 64 rows takes a quarter of a millisecond, two or four on a lane."""
FAULTY, WITHOUT = 200, 50
JITTER = 0.05
LEAST = 0.05  # of a step is what a fault costs
STEPS = 5
NAMES = (Limit.SLOW_LANE, Limit.SLOW_LINK, Limit.HICCUP)
WAYS = (
    *(("pipeline", {"schedule": name, "microbatches": 8}) for name in (
        "gpipe", "1f1b", "interleaved", "zb-h1", "looped-bfs",
    )),
    ("dp-pp", {"replicas": 2, "microbatches": 4}),
    ("mp", {}),
    ("dp", {}),
    ("ddp", {}),
    ("fsdp", {}),
    ("tp", {}),
)  # fmt: skip
LINKED = ("pipeline", "dp-pp", "mp", "dp")
"""Whose transfers go over one link each; a ring's links cannot be told from each other."""
MOST_TRIED = 1000

Perform = Callable[[Specification], Trace]
"""Runs a specification, or makes a run of it up."""


class Asked(NamedTuple):
    """A run with a fault, and where it is."""

    run: Specification
    kind: Limit
    where: str


def drawn(random: np.random.Generator, kind: Limit, plain: Specification) -> Asked:
    """A run like `plain` on four or eight lanes with a fault of some size."""
    ways = [way for way in WAYS if kind is not Limit.SLOW_LINK or way[0] in LINKED]
    strategy, options = ways[random.integers(len(ways))]
    lanes = int(random.choice([4, 8]))
    run = replace(
        plain, strategy=strategy, devices=f"{lanes}xvirtual:cpu", steps=STEPS, jitter=JITTER,
        seed=int(random.integers(2**31)),
    ).having(**options)  # fmt: skip
    lane = int(random.integers(lanes))
    if kind is Limit.SLOW_LANE:
        factor = np.exp(random.uniform(np.log(1.05), np.log(3)))
        return Asked(replace(run, slow_lane=f"{lane}:{factor:.4f}"), kind, f"lane {lane}")
    if kind is Limit.SLOW_LINK:
        ends = (0, max(1, lane)) if strategy == "dp" else (lane, (lane + 1) % lanes)
        low, high = sorted(ends)
        factor = np.exp(random.uniform(np.log(2), np.log(1000)))
        asked = replace(run, slow_link=f"{low}-{high}:{factor:.4f}")
        return Asked(asked, kind, f"link {low}-{high}")
    if kind is Limit.HICCUP:
        step = int(random.integers(1, STEPS + 1))
        ms = np.exp(random.uniform(np.log(2), np.log(60)))
        asked = replace(run, hiccup=f"lane={lane},step={step},ms={ms:.4f}")
        return Asked(asked, kind, f"step {step} lane {lane}")
    return Asked(run, kind, "")


@dataclass(frozen=True)
class Judged:
    """A run with a fault: what it was, what was found, and what the fault truly cost.

    `true` is in ns, `share` the part that it added to a step.
    """

    asked: Asked
    found: Verdict
    true: int
    share: float

    @property
    def is_right(self) -> bool:
        """Whether kind and place are those of the fault."""
        return (self.found.kind, self.found.where) == (self.asked.kind, self.asked.where)

    @property
    def error(self) -> float:
        """By what part the stated loss is off."""
        return abs(self.found.loss_ns / self.true - 1)


def judged(asked: Asked, trace: Trace) -> Judged:
    """What is found in a run, and what its fault cost: with and without it by simulation."""
    found = verdict(trace)
    assert found is not None
    slow, plain = makespans(trace, asked.run)
    lost, shares = slow - plain, (slow - plain) / plain
    if asked.kind is Limit.HICCUP:
        place = int(asked.where.split()[1]) - 1
        return Judged(asked, found, int(lost[place]), float(shares[place]))
    return Judged(asked, found, int(np.median(lost)), float(np.median(shares)))


def runs_with_faults(perform: Perform, plain: Specification, count: int) -> Iterator[Judged]:
    """Runs with one fault each that costs enough; each kind as often as the others."""
    random, found = np.random.default_rng(1), 0
    for _ in range(MOST_TRIED):
        if found == count:
            return
        asked = drawn(random, NAMES[found % len(NAMES)], plain)
        one = judged(asked, perform(asked.run))
        if one.share >= LEAST:
            found += 1
            yield one


@contextmanager
def made_up() -> Iterator[Perform]:
    """Makes runs up."""
    yield lambda run: made(run).trace


@contextmanager
def on_virtual_lanes() -> Iterator[Perform]:
    """Runs on virtual lanes."""
    engine = Engine(pause=0.02)
    try:
        yield engine.finish
    finally:
        engine.client.close()


@pytest.mark.parametrize(
    ("runs", "plain"),
    [
        (made_up, Specification(model=SMALL, batch=64, warmup=1)),
        (
            on_virtual_lanes,
            Specification(model=REAL, batch=REAL_ROWS, warmup=1, calibrate=False),
        ),
    ],
    ids=["made-up", "real"],
)
def test_the_fault_that_was_put_in_is_named_with_what_it_costs(runs, plain):
    with runs() as perform:
        faulty = list(runs_with_faults(perform, plain, FAULTY))
        random = np.random.default_rng(2)
        without = [drawn(random, Limit.NONE, plain) for _ in range(WITHOUT)]
        kinds = [(asked, verdict(perform(asked.run))) for asked in without]
    print("\n" + found_text(faulty))
    wrong = [(one.asked, one.found) for one in faulty if not one.is_right]
    wrong += [(asked, found) for asked, found in kinds if found.kind in NAMES]
    for asked, found in wrong:
        print(f"{asked.run.strategy} {asked.run.schedule or ''} on {asked.run.devices}, "
              f"{asked.kind} {asked.where}: {found.text}")  # fmt: skip
    counts = Counter(str(found.kind) for _, found in kinds)
    print("without a fault:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    right = sum(one.is_right for one in faulty)
    quiet = sum(found.kind not in NAMES for _, found in kinds)
    assert right >= 0.95 * len(faulty) and quiet >= 0.9 * WITHOUT, (right, quiet)


def found_text(runs: list[Judged]) -> str:
    """Of each kind of fault: how many were named rightly, and how far off the losses are."""
    rows = []
    for kind in (*NAMES, "all"):
        mine = [run for run in runs if kind in ("all", run.asked.kind)]
        errors = np.array([run.error for run in mine if run.is_right])
        rows.append((
            kind, len(mine), f"{np.mean([run.is_right for run in mine]):.1%}",
            f"{np.median(errors):.1%}", f"{np.mean(errors <= 0.1):.1%}",
        ))  # fmt: skip
    header = ("fault", "runs", "named rightly", "median error of loss", "within 10 %")
    return table(header, rows)
