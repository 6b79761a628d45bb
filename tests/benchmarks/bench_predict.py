"""Predicted against measured: what each step was said to take, and what it took.

Two CPU lanes with a core each. Every run measures its costs before its measured steps, and each
prediction is of the same plan (core.predict.compare). The runs were chosen before any was looked
at. `make bench ARGS=bench_predict.py` prints the table.
"""

import statistics
from dataclasses import dataclass

import pytest

from core.explain.summary import completed_steps
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.predict.compare import Comparison, predict_steps
from tests.core.helpers import Engine

pytest.importorskip("torch")

STEPS = 12
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
    """One run: medians of its measured steps, in ms."""

    name: str
    model: ModelSettings
    measured: float
    predicted: float
    comparison: Comparison

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1

    def __str__(self) -> str:
        lanes = "  ".join(f"{lane['error']:+7.1%}" for lane in self.comparison.to_dict()["lanes"])
        times = f"{self.measured:9.1f} {self.predicted:10.1f}"
        return f"{self.name:34} {times} {self.error:+8.1%}  {lanes}"


def measured(engine: Engine, name: str, specification: Specification) -> Row:
    trace = engine.finish(specification)
    comparison = predict_steps(trace)
    assert comparison is not None and len(comparison.steps) == len(completed_steps(trace)) > 0
    return Row(
        name,
        specification.model,
        statistics.median(step.makespan_ns for step in comparison.steps) / 1e6,
        statistics.median(step.predicted_ns for step in comparison.steps) / 1e6,
        comparison,
    )


def swapped(rows: list[Row]) -> list[tuple[str, str]]:
    """Pairs of runs of one model whose predicted order is not the measured one."""
    return [
        (a.name, b.name)
        for i, a in enumerate(rows)
        for b in rows[i + 1 :]
        if a.model == b.model and (a.measured < b.measured) != (a.predicted < b.predicted)
    ]


def table(rows: list[Row]) -> str:
    errors = [abs(row.error) for row in rows]
    pairs = swapped(rows)
    lines = [
        f"{'run':34} {'step ms':>9} {'predicted':>10} {'error':>8}  busy time of each lane",
        *map(str, rows),
        f"mean error {statistics.fmean(errors):.1%}, largest {max(errors):.1%}",
        "order kept" if not pairs else f"order not kept: {pairs}",
    ]
    return "\n".join(lines)


def test_steps_are_predicted_to_a_tenth_on_two_lanes():
    engine = Engine()
    try:
        rows = [measured(engine, name, specification) for name, specification in RUNS.items()]
    finally:
        engine.client.close()
    print("\n" + table(rows))
    assert statistics.fmean(abs(row.error) for row in rows) <= 0.10
