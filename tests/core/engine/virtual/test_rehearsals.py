"""On virtual lanes each short task runs once untimed before it is timed."""

from collections import Counter
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from core.models.catalogue import ModelSettings
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind
from core.report.summary import summarise
from core.report.verdict import verdict
from core.trace.complete import completed_steps
from core.trace.step import StepColumns
from tests.core.helpers import SMALL, plan_of, run_here

torch = pytest.importorskip("torch")

from core.engine.lanes.host_memory import page_faults  # noqa: E402
from core.engine.tasks.operations import Operations  # noqa: E402
from core.engine.virtual import rehearsal  # noqa: E402
from core.engine.virtual.executor import turns_of  # noqa: E402

TUTORIAL = Specification(
    "ddp", ModelSettings("tutorial"), "8xvirtual", batch=30, steps=15, warmup=2
)
RANDOM = """
from torch import nn, randn, zeros

def build():
    return [nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Dropout(0.5), nn.Linear(6, 3)]

def batch(rows, generator):
    return randn(rows, 4, generator=generator), zeros(rows, 3)
"""


def usual_ns(trace, kind):
    """The median ns that each lane takes for its tasks of a kind in a measured step, by lane."""
    lengths = {}
    for step in completed_steps(trace):
        columns = StepColumns.of_trace(trace, step)
        for place in np.flatnonzero(columns.kind == KINDS.index(kind)).tolist():
            lengths.setdefault(int(columns.lane[place]), []).append(int(columns.duration[place]))
    return {lane: float(np.median(taken)) for lane, taken in lengths.items()}


@pytest.mark.parametrize("strategy", ["ddp", "fsdp", "dp", "pipeline"])
def test_each_lane_that_computes_has_the_first_turn_equally_often(strategy):
    lanes = plan_of(Specification(strategy, SMALL, "4xvirtual", batch=32)).lanes
    computing = [lane.index for lane in lanes if lane.role is Role.COMPUTE]
    first = []
    for step in range(3 * len(computing)):
        turns = turns_of(lanes, step)
        assert len(turns) == len(lanes)
        first.append(min(computing, key=lambda lane, turns=turns: turns[lane]))
    assert Counter(first) == dict.fromkeys(computing, 3)


@pytest.mark.alone
@pytest.mark.parametrize(
    ("strategy", "kind"), [("ddp", Kind.FORWARD), ("ddp", Kind.STEP), ("dp", Kind.FORWARD)]
)
def test_no_lane_pays_for_caches_that_are_cold_for_all(strategy, kind):
    slow = slow_lanes(strategy, kind)
    for _ in range(2):
        if slow:  # other programs slow any lane down, but cold caches the same one in every run
            slow &= slow_lanes(strategy, kind)
    assert slow == set()


def slow_lanes(strategy, kind):
    """Return the lanes of a run whose tasks of a kind take over 1.5 times as long as usual."""
    lanes = usual_ns(run_here(replace(TUTORIAL, strategy=strategy), calibrate=True), kind)
    assert len(lanes) == 8
    usual = float(np.median(list(lanes.values())))
    return {lane for lane, ns in lanes.items() if ns > 1.5 * usual}


@pytest.mark.alone
def test_ddp_does_not_wait_for_the_lane_that_is_timed_first():
    found = verdict(run_here(TUTORIAL, calibrate=True))
    assert "lane 0" not in str(found.text) and "lane 0" not in found.where


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_a_rehearsal_changes_neither_results_nor_memory(tmp_path, monkeypatch, optimizer):
    path = tmp_path / "random.py"
    path.write_text(RANDOM)
    ran = Specification("mp", ModelSettings(str(path)), "2xvirtual", batch=8, optimizer=optimizer)
    rehearsed = run_here(ran)
    monkeypatch.setattr(rehearsal, "LONG_NS", 0)
    plain = run_here(ran)
    assert [s.loss for s in summarise(rehearsed).steps] == [s.loss for s in summarise(plain).steps]
    assert rehearsed.counters.keys() == plain.counters.keys()
    for place, counter in rehearsed.counters.items():
        assert counter.values.tolist() == plain.counters[place].values.tolist()


def rehearsed_tasks(monkeypatch):
    """A list to which every task that is rehearsed will be added."""
    really, tasks = rehearsal.Rehearsal._rehearse, []

    def noted(self, operations, task):
        tasks.append(task)
        really(self, operations, task)

    monkeypatch.setattr(rehearsal.Rehearsal, "_rehearse", noted)
    return tasks


def test_every_task_of_a_measured_step_is_rehearsed_if_tasks_are_short(monkeypatch):
    tasks = rehearsed_tasks(monkeypatch)
    trace = run_here(Specification("mp", SMALL, "4xvirtual", batch=8, steps=3, warmup=2))
    in_a_step = len(StepColumns.of_trace(trace, 2))
    # The step before them too, up to MOST_WARM_UPS times, and the second warm-up step perhaps.
    rounds, rest = divmod(len(tasks), in_a_step)
    assert rest == 0 and 4 <= rounds <= 4 + rehearsal.MOST_WARM_UPS


def test_gradients_of_measured_steps_are_in_memory_that_has_been_used(monkeypatch):
    really, faults = Operations.run, Counter()

    def counted(self, task, stamps):
        before = page_faults()
        try:
            return really(self, task, stamps)
        finally:
            # A rehearsal's steps all have the index 0.
            faults[self.step.index, task.kind] += page_faults() - before

    monkeypatch.setattr(Operations, "run", counted)
    model = ModelSettings("mlp", width=256, depth=12)
    ran = Specification("pipeline", model, "2xvirtual", batch=64, steps=3, warmup=1)
    trace = run_here(ran.having(schedule="chimera", microbatches=2))
    # Both replicas have gradients of 25 MB, 12,000 pages together.
    gradients = {step: faults[step, Kind.BACKWARD] for step in completed_steps(trace)}
    assert max(gradients.values()) < 500, gradients


@pytest.mark.parametrize(
    ("strategy", "kind"),
    [
        ("ddp", Kind.ALL_REDUCE),
        ("fsdp", Kind.ALL_GATHER),
        ("fsdp", Kind.REDUCE_SCATTER),
        ("tp", Kind.ALL_REDUCE),
        ("dp", Kind.REDUCE),
        ("pipeline", Kind.BACKWARD),
    ],
)
def test_a_warm_up_may_end_within_a_step(monkeypatch, strategy, kind):
    model = ModelSettings("mlp", width=64, depth=8)
    ran = Specification(strategy, model, "4xvirtual", batch=32, steps=2, warmup=1)
    tasks = rehearsed_tasks(monkeypatch)
    whole = run_here(ran)
    in_a_step = len(StepColumns.of_trace(whole, 1))
    kinds = [task.kind for task in tasks[:in_a_step]]
    # After the first of the tasks of this kind, which may be members of one collective.
    cut = kinds.index(kind) + 1
    tasks.clear()
    calls = count()
    monkeypatch.setattr(rehearsal, "time", SimpleNamespace(monotonic=lambda: next(calls)))
    monkeypatch.setattr(rehearsal, "WARM_UP_SECONDS", cut)
    trace = run_here(ran)
    assert len(tasks) == cut + 2 * in_a_step
    losses = [[step.loss for step in summarise(ran).steps] for ran in (trace, whole)]
    assert losses[0] == losses[1]


def test_long_tasks_are_not_rehearsed(monkeypatch):
    monkeypatch.setattr(rehearsal, "LONG_NS", 0)
    tasks = rehearsed_tasks(monkeypatch)
    run_here(Specification("mp", SMALL, "4xvirtual", batch=8), calibrate=True)
    assert tasks == []


@pytest.mark.parametrize("where", ["_prepare", "_rehearse"])
def test_a_run_without_memory_for_a_rehearsal_continues_and_logs_it(monkeypatch, where):
    def full(*_):
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(rehearsal.Rehearsal, where, full)
    trace = run_here(Specification("mp", SMALL, "2xvirtual", batch=8, steps=2))
    said = "there is not enough memory for an untimed run of each task before its timed run"
    assert [row.text for row in trace.logs].count(said) == 1
    assert len(completed_steps(trace)) == 2
