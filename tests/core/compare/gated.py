"""Pairs of made-up runs for the gate: step times that depend on each other, and slow-downs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import IS_COMMUNICATION
from core.trace.step import StepColumns
from core.trace.trace import Trace
from tests.core.report.verdicts import made

MODEL = ModelSettings("mlp", width=64, depth=8)


@dataclass(frozen=True)
class Machine:
    """How a machine disturbs steps: `scatter` of all tasks of a step (log-normal).

    `correlation` is that of one step with the next. Of all steps the part `hiccups` takes up to
    three times as long. `jitter` is the scatter of single tasks.
    """

    scatter: float = 0.02
    correlation: float = 0.0
    hiccups: float = 0.0
    jitter: float = 0.03


@dataclass(frozen=True)
class Slowdown:
    """What is slower, as words of the expected reason, and which tasks take longer by `factor`."""

    words: tuple[str, ...]
    factor: float = 1.0
    lane: int | None = None
    moves: bool = False
    late: float = 0.0

    def factors(self, columns: StepColumns) -> NDArray[np.float64]:
        """Return the factor of each task's duration."""
        chosen = IS_COMMUNICATION[columns.kind] == self.moves
        if self.lane is not None:
            chosen &= columns.lane == self.lane
        return np.where(chosen, self.factor, 1.0)


NOTHING = Slowdown(())


def disturbances(machine: Machine, steps: int, seed: int) -> NDArray[np.float64]:
    """Return the factor of each of n steps."""
    random = np.random.default_rng(seed)
    fresh = random.standard_normal(steps)
    waves = np.empty(steps)
    before = random.standard_normal()
    for step in range(steps):
        kept = machine.correlation * before
        before = waves[step] = kept + np.sqrt(1 - machine.correlation**2) * fresh[step]
    disturbed = random.random(steps) < machine.hiccups
    longer = np.where(disturbed, random.uniform(1, 3, steps), 1.0)
    factors: NDArray[np.float64] = np.exp(machine.scatter * waves) * longer
    return factors


def run_of(
    plain: Specification, machine: Machine, seed: int, slowdown: Slowdown = NOTHING
) -> Trace:
    """Return a run on a machine, whose disturbances depend on the seed alone."""
    specification = replace(plain, jitter=machine.jitter, seed=seed)
    factors = disturbances(machine, len(specification.all_rows), seed)

    def longer(columns: StepColumns, step: int) -> NDArray[np.float64]:
        # The additional work is the same in every step.
        return factors[step] + slowdown.factors(columns) - 1

    return made(specification, idle=slowdown.late, longer=longer).trace


def pipeline(steps: int, lanes: int = 4, **options: object) -> Specification:
    """Return a pipeline run with measured steps on virtual lanes."""
    given = {"schedule": "1f1b", "microbatches": 8, **options}
    run = Specification("pipeline", MODEL, f"{lanes}xvirtual:cpu", batch=64, steps=steps, warmup=1)
    return run.having(**given)


def slowed_by(
    ns: float,
    plain: Specification,
    machine: Machine,
    seed: int,
    slowdown: Slowdown,
    mean_ns: Callable[[Trace], float],
) -> Trace:
    """Return the same run with steps that are longer by so many ns because of a slow-down.

    `slowdown` gives the sort; its size is searched for.
    """  # fmt: skip
    usual = mean_ns(run_of(plain, machine, seed))

    def sized(size: float) -> Trace:
        if slowdown.late:
            return run_of(plain, machine, seed, replace(slowdown, late=size))
        return run_of(plain, machine, seed, replace(slowdown, factor=1 + size))

    size = ns / usual
    for _ in range(12):
        trace = sized(size)
        longer = mean_ns(trace) - usual
        if abs(longer - ns) < 0.01 * ns:
            break
        # A slow lane or link may first have to use up its slack.
        size *= min(4.0, ns / longer) if longer > 0 else 4.0
    return trace
