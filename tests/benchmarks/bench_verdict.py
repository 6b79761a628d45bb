"""Does the verdict name the fault that was put in, and what it costs?

On runs that are made up, and on runs of virtual lanes, with what their tasks really took. A third
of the faults of virtual lanes is put into models whose blocks have different widths.

Runs of virtual lanes take about five seconds each. Each result is a line of a file, at
BUBBLESCOPE_VERDICTS or in the temporary folder; a second call goes on where the first one ended.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bubblescope.cli.report import table
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.limits import Limit
from core.report.verdict import Verdict, verdict
from core.trace.complete import completed_steps
from core.trace.median_step import median_step
from core.trace.trace import Trace
from tests.core.helpers import Engine
from tests.core.report.verdicts import made, makespans

SMALL = ModelSettings("mlp", width=256, depth=16)
REAL, REAL_ROWS = ModelSettings("mlp", width=512, depth=16), 512
"""Blocks of which a forward of 64 rows takes a quarter of a millisecond, two or four on a lane."""
FAULTY, WITHOUT = 200, 50
JITTER = 0.05
LEAST, LEAST_HICCUP = 0.05, 0.12
"""Least cost of a fault, relative to a step without it. A hiccup is named from a tenth of its own
step, which is 0.111 of the step without it."""
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
"""Strategies with one link for each transfer; links of a ring cannot be distinguished."""
MOST_TRIED = 1000

Perform = Callable[[Specification], Trace]
"""Runs a specification, or makes a run of it up."""


WIDTHS = (128, 192, 256, 384, 512, 640, 768)
UNEQUAL_MODEL = """
import torch
from torch import nn

WIDTHS = {widths}

def batch(rows, generator):
    x = torch.randn(rows, WIDTHS[0], generator=generator)
    return x, torch.randn(rows, WIDTHS[-1], generator=generator)

def build():
    pairs = zip(WIDTHS, WIDTHS[1:])
    return nn.Sequential(*(nn.Sequential(nn.Linear(a, b), nn.GELU()) for a, b in pairs))

def loss(output, target):
    return nn.functional.mse_loss(output, target)
"""


def unequal_model(folder: Path, random: np.random.Generator) -> ModelSettings:
    """Return a model of 16 blocks whose widths differ, from a file in a folder."""
    widths = tuple(random.choice(WIDTHS, 17).tolist())
    name = "_".join(map(str, widths))
    path = folder / f"widths_{name}.py"
    path.write_text(UNEQUAL_MODEL.format(widths=widths), "utf-8")
    return ModelSettings(str(path))


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


def least_cost(kind: str) -> float:
    """Return the least cost of a kind of fault, relative to a step without it."""
    return LEAST_HICCUP if kind == Limit.HICCUP else LEAST


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
    def counts(self) -> bool:
        """True if the fault costs enough to be named."""
        return self.share >= least_cost(self.asked.kind)

    @property
    def is_right(self) -> bool:
        """True if kind and place are those of the fault."""
        return (self.found.kind, self.found.where) == (self.asked.kind, self.asked.where)

    @property
    def error(self) -> float:
        """By what part the stated loss is off."""
        return abs(self.found.loss_ns / self.true - 1)


def judged(asked: Asked, trace: Trace) -> Judged:
    """Return the finding of a run, and the cost of its fault by simulation with and without it."""
    found = verdict(trace)
    assert found is not None
    slow, plain = makespans(trace, asked.run)
    lost, shares = slow - plain, (slow - plain) / plain
    if asked.kind is Limit.HICCUP:
        place = int(asked.where.split()[1]) - 1
        return Judged(asked, found, int(lost[place]), float(shares[place]))
    steps = completed_steps(trace)
    place = steps.index(median_step(trace, steps))
    return Judged(asked, found, int(lost[place]), float(np.median(shares)))


def runs_with_faults(perform: Perform, plain: Specification, count: int) -> Iterator[Judged]:
    """Runs with one fault each that costs enough; each kind as often as the others."""
    random, found = np.random.default_rng(1), 0
    for _ in range(MOST_TRIED):
        if found == count:
            return
        asked = drawn(random, NAMES[found % len(NAMES)], plain)
        one = judged(asked, perform(asked.run))
        if one.counts:
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


def test_the_fault_that_was_made_up_is_named_with_what_it_costs() -> None:
    plain = Specification(model=SMALL, batch=64, warmup=1)
    with made_up() as perform:
        faulty = list(runs_with_faults(perform, plain, FAULTY))
        random = np.random.default_rng(2)
        without = [drawn(random, Limit.NONE, plain) for _ in range(WITHOUT)]
        kinds = [verdict(perform(asked.run)) for asked in without]
    print("\n" + found_text(faulty))
    right = sum(one.is_right for one in faulty)
    quiet = sum(found is not None and found.kind not in NAMES for found in kinds)
    assert right >= 0.95 * len(faulty) and quiet >= 0.9 * WITHOUT, (right, quiet)


REAL_FAULTY, REAL_WITHOUT = 300, 100


@dataclass(frozen=True)
class Line:
    """The result of one run of virtual lanes, as a line of JSON.

    `share` is the part that the fault added to a step, and `error` by what part the loss is off.
    """

    number: int
    unequal: bool
    kind: str
    where: str
    found_kind: str
    found_where: str
    share: float
    error: float
    text: str

    @property
    def counts(self) -> bool:
        """True if the fault costs enough to count; runs without a fault all count."""
        return self.kind == Limit.NONE or self.share >= least_cost(self.kind)

    @property
    def is_right(self) -> bool:
        """True if the fault is named or, without a fault, none is."""
        if self.kind == Limit.NONE:
            return self.found_kind not in NAMES
        return (self.found_kind, self.found_where) == (self.kind, self.where)


def real_run(perform: Perform, number: int, kind: Limit, folder: Path) -> Line:
    """Run number so and so, always the same one; every third has a model of unequal blocks."""
    random = np.random.default_rng([3, number, NAMES.index(kind) if kind in NAMES else 9])
    unequal = number // len(NAMES) % 3 == 0
    model = unequal_model(folder, random) if unequal else REAL
    asked = drawn(random, kind, Specification(model=model, batch=REAL_ROWS, warmup=1))
    if unequal and asked.run.strategy == "tp":  # needs blocks that can be divided
        asked = asked._replace(run=replace(asked.run, strategy="dp"))
    one = judged(asked, perform(asked.run))
    error = one.error if one.true else 0.0
    found = one.found
    return Line(
        number, unequal, str(kind), asked.where, str(found.kind), found.where, one.share, error,
        f"{asked.run.strategy} {asked.run.schedule or ''} on {asked.run.devices}: {found.text}",
    )  # fmt: skip


def test_the_fault_of_a_virtual_lane_is_named_with_what_it_costs() -> None:
    folder = Path(os.environ.get("BUBBLESCOPE_VERDICTS", tempfile.gettempdir()))
    file = folder / "bubblescope-verdicts.jsonl"
    done: list[Line] = []
    if file.exists():
        done = [Line(**json.loads(text)) for text in file.read_text("utf-8").splitlines()]
    with on_virtual_lanes() as perform, file.open("a", encoding="utf-8") as lines:
        number = len(done)
        while number < MOST_TRIED:
            faulty = sum(line.counts and line.kind != Limit.NONE for line in done)
            clean = sum(line.kind == Limit.NONE for line in done)
            if faulty >= REAL_FAULTY and clean >= REAL_WITHOUT:
                break
            kind = Limit.NONE if number % 4 == 3 else NAMES[number % len(NAMES)]
            done.append(real_run(perform, number, kind, folder))
            lines.write(json.dumps(asdict(done[-1])) + "\n")
            lines.flush()
            number += 1
    print("\n" + lines_text(done))
    for unequal in (False, True):
        mine = [line for line in done if line.unequal is unequal and line.counts]
        faulty = [line for line in mine if line.kind != Limit.NONE]
        named = [line for line in faulty if line.is_right]
        near = sum(line.error <= 0.1 for line in named)
        assert len(named) >= 0.95 * len(faulty) and near >= 0.95 * len(named)
    assert all(line.is_right for line in done if line.kind == Limit.NONE)


def lines_text(done: list[Line]) -> str:
    """Of each kind of fault and model: how many are named, and how many losses are near."""
    rows = []
    for unequal in (False, True):
        for kind in (*NAMES, Limit.NONE):
            mine = [
                line for line in done
                if line.counts and line.kind == kind and line.unequal is unequal
            ]  # fmt: skip
            named = [line for line in mine if line.is_right]
            near = sum(line.error <= 0.1 for line in named)
            model = "unequal blocks" if unequal else "equal blocks"
            rows.append((model, str(kind), len(mine), len(named), near))
    wrong = [f"{line.number} {line.kind} {line.where}: {line.text}"
             for line in done if line.counts and not line.is_right]  # fmt: skip
    header = ("model", "fault", "runs", "named rightly", "loss within 10 %")
    return table(header, rows) + "\n" + "\n".join(wrong)


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
