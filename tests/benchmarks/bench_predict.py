"""Predicted against measured: what each step was said to take, and what it took.

Two CPU lanes with a core each. Every run measures its costs before its measured steps, and each
prediction is of the same plan (core.predict.compare). The runs were chosen before any was looked
at. `make bench ARGS=bench_predict.py` prints the table.
"""

import statistics
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.predict.compare import PredictedStep, predict_steps
from core.trace.complete import completed_steps
from tests.core.helpers import Engine

pytest.importorskip("torch")

ROUNDS = 5
STEPS = 10
WIDE = ModelSettings("mlp", width=1024, depth=8)
NARROW = ModelSettings("mlp", width=512, depth=8)


def run(strategy: str, model: ModelSettings, batch: int, **options: object) -> Specification:
    return Specification(
        strategy, model, "2xcpu", batch=batch, steps=STEPS, cores_per_lane=1, **options
    )


def pipeline(
    schedule: str, model: ModelSettings, batch: int, microbatches: int, **options: object
) -> Specification:
    return run("pipeline", model, batch, schedule=schedule, microbatches=microbatches, **options)


RUNS = {
    "dp 1024, 256 rows": run("dp", WIDE, 256),
    "mp 1024, 256 rows": run("mp", WIDE, 256),
    "gpipe 1024, 256 rows in 4": pipeline("gpipe", WIDE, 256, 4),
    "1f1b 1024, 256 rows in 8": pipeline("1f1b", WIDE, 256, 8),
    "zb-h1 1024, 256 rows in 8": pipeline("zb-h1", WIDE, 256, 8),
    "interleaved 1024, 256 rows in 4": pipeline("interleaved", WIDE, 256, 4, chunks=2),
    "split 1024, 256 rows in 4": pipeline("split", WIDE, 256, 4),
    "dp 512, 1024 rows": run("dp", NARROW, 1024),
    "mp 512, 1024 rows": run("mp", NARROW, 1024),
    "1f1b 512, 1024 rows in 4": pipeline("1f1b", NARROW, 1024, 4),
    "1f1b 512, 1024 rows in 16": pipeline("1f1b", NARROW, 1024, 16),
    "zb-h1 512, 1024 rows in 8": pipeline("zb-h1", NARROW, 1024, 8),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One run, done a few times: medians of all its measured steps, in ms."""

    name: str
    model: ModelSettings
    steps: list[PredictedStep]

    @property
    def measured(self) -> float:
        return statistics.median(step.makespan_ns for step in self.steps) / 1e6

    @property
    def predicted(self) -> float:
        return statistics.median(step.predicted_ns for step in self.steps) / 1e6

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1

    def lane_error(self, index: int) -> float:
        lanes = [step.lanes[index] for step in self.steps]
        busy = statistics.median(lane.busy_ns for lane in lanes)
        return statistics.median(lane.predicted_busy_ns for lane in lanes) / busy - 1

    def __str__(self) -> str:
        lanes = "  ".join(f"{self.lane_error(lane):+7.1%}" for lane in (0, 1))
        times = f"{self.measured:9.1f} {self.predicted:10.1f}"
        return f"{self.name:34} {times} {self.error:+8.1%}  {lanes}"


def steps_of(engine: Engine, specification: Specification) -> list[PredictedStep]:
    trace = engine.finish(specification)
    comparison = predict_steps(trace)
    assert comparison is not None and len(comparison.steps) == len(completed_steps(trace)) > 0
    return list(comparison.steps)


def apart(a: Row, b: Row, draws: int = 4000) -> tuple[float, float]:
    """The 95 % bootstrap interval of `a`'s measured step over `b`'s, less 1."""
    generator = np.random.default_rng(0)
    medians = []
    for row in (a, b):
        times = np.array([step.makespan_ns for step in row.steps])
        picked = generator.integers(0, len(times), (draws, len(times)))
        medians.append(np.median(times[picked], axis=1))
    low, high = np.percentile(medians[0] / medians[1] - 1, [2.5, 97.5])
    return float(low), float(high)


def swapped(rows: list[Row]) -> list[str]:
    """Pairs of runs of one model whose predicted order is not the measured one."""
    found = []
    for a, b in combinations(rows, 2):
        if a.model == b.model and (a.measured < b.measured) != (a.predicted < b.predicted):
            low, high = apart(a, b)
            what = "a tie as measured" if low <= 0 <= high else "order not kept"
            found.append(f"{what}: {a.name} over {b.name} is {low:+.1%} to {high:+.1%}")
    return found


def table(rows: list[Row]) -> str:
    errors = [abs(row.error) for row in rows]
    lines = [
        f"{'run':34} {'step ms':>9} {'predicted':>10} {'error':>8}  busy time of each lane",
        *map(str, rows),
        f"mean error {statistics.fmean(errors):.1%}, largest {max(errors):.1%}",
        *(swapped(rows) or ["the order of all runs of a model is kept"]),
    ]
    return "\n".join(lines)


def test_steps_are_predicted_to_a_tenth_on_two_lanes():
    steps: dict[str, list[PredictedStep]] = {name: [] for name in RUNS}
    engine = Engine(pause=0.25)
    try:
        for _ in range(ROUNDS):
            for name, specification in RUNS.items():
                steps[name] += steps_of(engine, specification)
    finally:
        engine.client.close()
    rows = [Row(name, RUNS[name].model, found) for name, found in steps.items()]
    print("\n" + table(rows))
    assert statistics.fmean(abs(row.error) for row in rows) <= 0.10
