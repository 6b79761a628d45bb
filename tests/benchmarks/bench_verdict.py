"""Does the verdict name the fault that was put in, and what it costs? On steps that are made up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from core.cli.report import table
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.verdict import Limit, Verdict, verdict
from tests.core.report.verdicts import Made, made

MODEL = ModelSettings("mlp", width=256, depth=16)
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


class Asked(NamedTuple):
    """A run with a fault, and where it is."""

    run: Specification
    kind: Limit
    where: str


def drawn(random: np.random.Generator, kind: Limit | None) -> Asked:
    """A run on four or eight lanes with a fault of some size, or none."""
    ways = [way for way in WAYS if kind is not Limit.SLOW_LINK or way[0] in LINKED]
    strategy, options = ways[random.integers(len(ways))]
    lanes = int(random.choice([4, 8]))
    run = Specification(
        strategy, MODEL, f"{lanes}xvirtual:cpu", batch=64, steps=STEPS, warmup=1,
        seed=int(random.integers(2**31)), jitter=JITTER,
    ).having(**options)  # fmt: skip
    lane = int(random.integers(lanes))
    if kind is Limit.SLOW_LANE:
        factor = np.exp(random.uniform(np.log(1.05), np.log(2)))
        return Asked(replace(run, slow_lane=f"{lane}:{factor:.4f}"), kind, f"lane {lane}")
    if kind is Limit.SLOW_LINK:
        low, high = (0, max(1, lane)) if strategy == "dp" else (lane, lane + 1)
        high %= lanes
        low, high = sorted((low, high))
        factor = np.exp(random.uniform(np.log(2), np.log(1000)))
        asked = replace(run, slow_link=f"{low}-{high}:{factor:.4f}")
        return Asked(asked, kind, f"link {low}-{high}")
    if kind is Limit.HICCUP:
        step = int(random.integers(1, STEPS + 1))
        ms = np.exp(random.uniform(np.log(2), np.log(60)))
        asked = replace(run, hiccup=f"lane={lane},step={step},ms={ms:.4f}")
        return Asked(asked, kind, f"step {step} lane {lane}")
    return Asked(run, Limit.NONE, "")


@dataclass
class Judged:
    """A run with a fault: what it was, what was found, and what the fault truly cost (ns)."""

    asked: Asked
    found: Verdict
    true: int

    @property
    def is_right(self) -> bool:
        return (self.found.kind, self.found.where) == (self.asked.kind, self.asked.where)

    @property
    def error(self) -> float:
        return self.found.loss_ns / self.true - 1


def effect(asked: Asked, run: Made) -> tuple[int, float]:
    """What a fault cost, in ns and as a part of a step without it."""
    if asked.kind is Limit.HICCUP:
        place = int(asked.where.split()[1]) - 1
        return int(run.losses[place]), float(run.losses[place] / run.without[place])
    return int(np.median(run.losses)), float(np.median(run.losses / run.without))


def judged(seed: int, count: int) -> list[Judged]:
    """Runs with one fault each that costs enough."""
    random, found = np.random.default_rng(seed), list[Judged]()
    while len(found) < count:
        asked = drawn(random, NAMES[len(found) % len(NAMES)])
        run = made(asked.run)
        true, share = effect(asked, run)
        if share >= LEAST:
            said = verdict(run.trace)
            assert said is not None
            found.append(Judged(asked, said, true))
    return found


def test_the_fault_that_was_put_in_is_named_with_what_it_costs():
    runs = judged(1, FAULTY)
    rows = []
    for kind in (*NAMES, None):
        mine = [run for run in runs if kind in (None, run.asked.kind)]
        errors = np.array([abs(run.error) for run in mine if run.is_right])
        rows.append((
            kind or "all", len(mine), f"{np.mean([run.is_right for run in mine]):.1%}",
            f"{np.median(errors):.1%}", f"{np.mean(errors <= 0.1):.1%}",
        ))  # fmt: skip
    header = ("fault", "runs", "named rightly", "median error of loss", "within 10 %")
    print("\n" + table(header, rows))
    for run in runs:
        if not run.is_right:
            given = run.asked.run
            print(given.strategy, given.schedule, given.devices, run.asked.where, given.slow_lane,
                  given.slow_link, given.hiccup, "->", run.found.kind, run.found.where)  # fmt: skip
    random = np.random.default_rng(2)
    plain = [verdict(made(drawn(random, None).run).trace) for _ in range(WITHOUT)]
    counts = Counter(str(one.kind) for one in plain)
    print("without a fault:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    quiet = sum(one.kind not in NAMES for one in plain)
    right = sum(run.is_right for run in runs)
    assert right >= 0.95 * FAULTY and quiet >= 0.9 * WITHOUT, (right, quiet)
