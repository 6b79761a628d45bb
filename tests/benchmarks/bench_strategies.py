"""Do strategies gain what they should? Ratios of steps, one core per lane, from one run."""

from statistics import median

from bubblescope.cli.report import table
from core.engine.messages import Outcome
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.summary import summarise
from tests.core.helpers import Engine

MODEL = ModelSettings("mlp", width=768, depth=8)
COMMON = {"model": MODEL, "batch": 2048, "cores_per_lane": 1, "steps": 5, "warmup": 2}
ROUNDS = 3
RUNS = {
    "single": Specification("single", devices="1xcpu", **COMMON),
    "dp": Specification("dp", devices="2xcpu", **COMMON),
    "ddp": Specification("ddp", devices="2xcpu", **COMMON),
    "mp": Specification("mp", devices="2xcpu", **COMMON),
    "1f1b": Specification("pipeline", devices="2xcpu", schedule="1f1b", microbatches=8, **COMMON),
}
LIMITS = [
    ("1f1b", "mp", 0.70, "0.5625"),
    ("dp", "single", 0.75, "0.5"),
    ("ddp", "single", 0.75, "0.5"),
]


def test_parallel_strategies_beat_what_they_are_meant_to_beat():
    steps = {name: [] for name in RUNS}
    engine = Engine(pause=0.25)
    try:
        for _ in range(ROUNDS):
            for name, specification in RUNS.items():
                trace = engine.finish(specification)
                assert engine.ended.outcome is Outcome.FINISHED
                steps[name] += [step.makespan_ns for step in summarise(trace).steps]
    finally:
        engine.client.close()
    print("\n" + table(
        ("strategy", "median ms", "shortest", "longest", "steps"),
        [(name, f"{median(ns) / 1e6:.1f}", f"{min(ns) / 1e6:.1f}", f"{max(ns) / 1e6:.1f}", len(ns))
         for name, ns in steps.items()],
    ))  # fmt: skip
    ratios = [(f"{a} / {b}", median(steps[a]) / median(steps[b]), limit, ideal)
              for a, b, limit, ideal in LIMITS]  # fmt: skip
    print("\n" + table(
        ("ratio", "measured", "limit", "ideal"),
        [(name, f"{ratio:.3f}", limit, ideal) for name, ratio, limit, ideal in ratios],
    ))  # fmt: skip
    for name, ratio, limit, _ in ratios:
        assert ratio <= limit, f"{name}: {ratio:.3f}"
