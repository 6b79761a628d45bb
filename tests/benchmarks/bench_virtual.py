"""Virtual lanes beside closed forms, predictions, the clock on the wall, and real lanes."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from bubblescope.cli.report import table
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.pipeline.options import SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.predict.compare import predict_steps
from core.report.summary import Summary, summarise
from core.trace.trace import Trace
from tests.benchmarks.bench_predict import RUNS
from tests.core.helpers import Engine, plan_of

pytest.importorskip("torch")

LANES = (2, 4, 8)
FORM, PREDICTED = 0.04, 0.03  # of a step: how far idle shares and predictions may be off
WALL = 1.15
ROUNDS = 3
REAL, ORDER = 0.08, 0.03  # mean error against real lanes; steps closer than this are a tie


@pytest.fixture
def engine():
    made = Engine(pause=0.05)
    yield made
    made.client.close()


def idle_share(summary: Summary) -> float:
    return statistics.median(step.bubble_by_makespan for step in summary.steps)


def makespan(summary: Summary) -> float:
    return statistics.median(step.makespan_ns for step in summary.steps)


def jobs(lanes: int) -> list[Specification]:
    """Each strategy and schedule on equal blocks, of which no stage is much cheaper."""
    model = ModelSettings("mlp", width=512, depth=32)
    made = [
        Specification(name, model, f"{lanes}xvirtual", batch=1024, bucket_mb=bucket, steps=5)
        for name, bucket in (("dp", None), ("ddp", 4.0), ("fsdp", None), ("mp", None), ("tp", None))
    ]
    for name, schedule in [*(("pipeline", name) for name in SCHEDULES), ("dp-pp", "1f1b")]:
        count = SCHEDULES[schedule].microbatches or 2 * lanes
        job = replace(made[0], strategy=name, batch=1024, bucket_mb=None)
        made.append(job.having(schedule=schedule, microbatches=count))
    return [job for job in made if can_be_planned(job)]


def can_be_planned(job: Specification) -> bool:
    try:
        plan_of(job)
    except PlanError:
        return False
    return True


@pytest.mark.parametrize("lanes", LANES)
def test_idle_shares_are_the_textbooks_and_predictions_hold(engine, lanes):
    rows, far = [], []
    for job in jobs(lanes):
        trace = engine.finish(job)
        summary, predicted = summarise(trace), predict_steps(trace)
        assert predicted is not None
        idle, form = idle_share(summary), summary.steps[-1].closed_form
        name = job[SCHEDULE] or job.strategy
        error = predicted.makespan_error
        rows.append((
            job.strategy, name, f"{100 * idle:.1f}", "-" if form is None else f"{100 * form:.1f}",
            f"{makespan(summary) / 1e6:.1f}", f"{100 * error:+.1f}",
        ))  # fmt: skip
        if abs(error) > PREDICTED or (form is not None and abs(idle - form) > FORM):
            far.append(name)
    print(f"\n{lanes} virtual lanes\n" + table(
        ("strategy", "schedule", "idle %", "closed form %", "step ms", "predicted %"), rows
    ))  # fmt: skip
    assert not far


def test_a_step_takes_hardly_longer_than_its_tasks_one_after_the_other(engine):
    """Tasks of 2 ms; what the clock on the wall says of many steps in a row."""
    job = Specification(
        "pipeline", ModelSettings("mlp", width=768, depth=8), "4xvirtual", batch=512,
        microbatches=8, link="measured", steps=40, calibrate=False,
    )  # fmt: skip
    engine.run(job)
    engine.wait("spans")
    first = len(engine.trace.steps)
    began = time.perf_counter()
    engine.wait("ended", seconds=120)
    taken = time.perf_counter() - began
    trace = engine.trace
    lengths = durations(trace, trace.steps[first:])
    ratio = taken * 1e9 / lengths.sum()
    print(f"\nmedian task {np.median(lengths) / 1e6:.2f} ms, wall / tasks {ratio:.3f}")
    assert ratio <= WALL


def durations(trace: Trace, steps: Sequence[int]) -> np.ndarray:
    found = []
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        chosen = spans[np.flatnonzero(np.isin(spans["step"], steps))]
        found.append(chosen["end"] - chosen["start"])
    return np.concatenate(found)


def test_two_virtual_lanes_are_as_two_real_ones_on_two_free_cores(engine):
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in RUNS}
    for _ in range(ROUNDS):
        for name, real in RUNS.items():
            virtual = replace(real, devices="2xvirtual", link="measured")
            pair = tuple(makespan(summarise(engine.finish(each))) / 1e6 for each in (real, virtual))
            measured[name].append(pair)
    medians = {name: np.median(np.array(pairs), axis=0) for name, pairs in measured.items()}
    errors = {name: virtual / real - 1 for name, (real, virtual) in medians.items()}
    print("\n" + table(("run", "real ms", "virtual ms", "error %"), [
        (name, f"{real:.1f}", f"{virtual:.1f}", f"{100 * errors[name]:+.1f}")
        for name, (real, virtual) in medians.items()
    ]))  # fmt: skip
    mean = statistics.fmean(map(abs, errors.values()))
    turned = [
        (a, b)
        for a, b in combinations(RUNS, 2)
        if RUNS[a].model == RUNS[b].model and RUNS[a].batch == RUNS[b].batch
        if abs(medians[a][0] / medians[b][0] - 1) > ORDER
        if (medians[a] < medians[b]).any() and (medians[a] > medians[b]).any()
    ]
    print(f"mean error {100 * mean:.1f} %, pairs in another order: {turned}")
    assert mean <= REAL and not turned
