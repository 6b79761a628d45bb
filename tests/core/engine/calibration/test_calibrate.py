"""Costs are measured for every task of a plan, and measuring changes nothing of the run."""

import resource
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from core.costs.cost_values import values_of  # noqa: E402
from core.costs.costs import MOST_PASSES  # noqa: E402
from core.costs.costs_file import costs_of  # noqa: E402
from core.costs.durations import durations  # noqa: E402
from core.engine.calibration import calibrate as calibrate_module  # noqa: E402
from core.engine.calibration.calibrate import cost_key, costs_from, measure_task_costs  # noqa: E402
from core.engine.failures import RunStopped  # noqa: E402
from core.engine.hardware import find_hardware  # noqa: E402
from core.engine.lanes.devices import open_lanes  # noqa: E402
from core.engine.prepare import prepare  # noqa: E402
from core.models.catalogue import ModelSettings  # noqa: E402
from core.plan.plan import Lane, Role  # noqa: E402
from core.plan.schedules import SCHEDULES  # noqa: E402
from core.plan.specification import Specification  # noqa: E402
from core.plan.task import Kind  # noqa: E402
from core.trace.step import StepColumns  # noqa: E402
from tests.core.helpers import SMALL, plan_of, run_here  # noqa: E402

DEEP = ModelSettings("mlp", width=16, depth=8)
OWN_MODEL = """
import torch
from torch import nn

def build():
    return nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Dropout(0.5), nn.Linear(6, 3))

def batch(rows, generator):
    return torch.randn(rows, 6, generator=generator), torch.randn(rows, 3, generator=generator)
"""


def measured(specification, stop=None):
    prepared = prepare(specification, find_hardware())
    batch = prepared.workload.batches(prepared.specification)[0]
    plan = prepared.plan_list[0]
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(plan.lanes)]
        return plan, measure_task_costs(prepared, batch, lanes, stop or threading.Event(), print)


@pytest.mark.parametrize("strategy", ["single", "dp", "mp", "tp", "dp-pp"])
def test_every_task_of_a_strategy_has_a_cost_that_was_measured(strategy):
    plan, costs = measured(Specification(strategy, SMALL, "2xcpu", batch=14))
    times = durations(StepColumns.of_plan(plan), replace(costs, link=None))
    assert (times > 0).all()
    again = durations(StepColumns.of_plan(plan), costs_of(values_of(costs)))
    assert abs(again - durations(StepColumns.of_plan(plan), costs)).max() <= 1


def test_the_slowest_shard_is_the_cost_of_a_divided_stage():
    """The first shard alone adds biases, and the others wait for it."""
    plan = plan_of(Specification("tp", SMALL, "4xvirtual", batch=8))
    times = {
        cost_key(task): [1e6, (3e6 if task.shard == 0 else 1e6), 9e6]
        for task in plan.tasks if task.kind in (Kind.FORWARD, Kind.BACKWARD, Kind.LOSS, Kind.STEP)
    }  # fmt: skip
    costs = costs_from(times, len(plan.stages), None)
    assert {curve[0][1] for curve in costs.passes[Kind.FORWARD]} == {3e6}


@pytest.mark.parametrize("strategy", ["ddp", "fsdp"])
def test_ranks_without_rows_do_not_change_the_cost_of_one_row(strategy):
    plan = plan_of(Specification(strategy, SMALL, "4xvirtual", batch=2))
    assert [part.rows for part in plan.parts] == [1, 1, 0, 0]
    times = {}
    for task in plan.tasks:
        if not task.kind.is_communication:
            taken = 5e6 if task.kind is Kind.STEP else 1e6 if task.rows else 1e3
            times[cost_key(task)] = [taken, taken]
    costs = costs_from(times, 6, None, by_block=True)
    for kind in (Kind.FORWARD, Kind.LOSS, Kind.BACKWARD):
        assert {curve for curve in costs.passes[kind]} == {((1, 1e6),)}
    assert sum(ns for ((_, ns),) in costs.passes[Kind.STEP]) == pytest.approx(5e6)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_task_of_a_schedule_has_a_cost_that_was_measured(schedule):
    specification = Specification(
        "pipeline", DEEP, "2xcpu", batch=10, schedule=schedule, microbatches=4
    )
    plan, costs = measured(specification)
    times = durations(StepColumns.of_plan(plan), replace(costs, link=None))
    assert (times > 0).all()
    kinds = {task.kind for task in plan.tasks} - {Kind.OVERLAP}
    assert kinds <= {*costs.passes, *costs.transfers}


def test_micro_batches_of_two_sizes_are_both_measured():
    _, costs = measured(Specification("pipeline", SMALL, "2xcpu", batch=15, microbatches=4))
    for curve in costs.passes[Kind.FORWARD]:
        assert [size for size, _ in curve] == [3, 4]


def test_a_run_is_the_same_with_and_without_measuring_before_it(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN_MODEL)
    specification = Specification(
        "single", ModelSettings(str(path)), "cpu", batch=8, steps=3, optimizer="momentum"
    )
    traces = [run_here(specification, calibrate=yes) for yes in (True, False)]
    losses = [trace.counter("loss").values.tolist() for trace in traces]
    assert losses[0] == losses[1] and len(set(losses[0])) == 5


def test_the_costs_are_kept_with_the_recording_and_are_no_line_of_its_log():
    trace = run_here(Specification("pipeline", SMALL, "2xcpu", batch=8, steps=1), calibrate=True)
    assert trace.costs is not None and '"forward_ms"' in trace.costs
    assert "costs" not in {row.level for row in trace.logs}
    assert run_here(Specification("mp", SMALL, "2xcpu", batch=8)).costs is None


class Bytes:
    """Bytes on a device, which notes each copy that is launched."""

    def __init__(self, events):
        self.events = events

    def clone(self):
        self.events.append("launched")
        return self


def test_no_copy_is_launched_before_the_one_before_it_has_ended(monkeypatch):
    """A stream takes work at once: what is launched within 10 ms may keep it busy for minutes."""
    events = []
    planned = (Lane(0, "0", "cpu", cores=1), Lane(1, "1", "cpu", Role.COPY, cores=1))
    bytes_made = Bytes(events)
    monkeypatch.setattr(calibrate_module.torch, "zeros", lambda *_, **__: bytes_made)
    monkeypatch.setattr(calibrate_module, "copy_to", lambda device, tensor: tensor)
    monkeypatch.setattr(calibrate_module, "wait_until", lambda end: events.append("waited"))
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(planned)]
        calibrate_module.transfer_ns(lanes, 4)
    launched = events.count("launched")
    assert launched > 100
    assert events.count("waited") == launched


def test_measuring_stops_on_request():
    stop = threading.Event()
    stop.set()
    with pytest.raises(RunStopped):
        measured(Specification("pipeline", SMALL, "2xcpu", batch=8), stop)


class Passes(calibrate_module.LaneLoop):
    """Passes of a lane that take so long and do nothing."""

    def __init__(self, lane, seconds):
        self.lane, self.passes = lane, []
        self._seconds = seconds

    def add_times(self, times, clock):
        pass

    def go_once(self, is_halted):
        time.sleep(self._seconds)
        self.passes.append([])


def passes_of(*lanes):
    """Return the numbers of passes that lanes of (role, seconds of a pass) make."""
    planned = tuple(Lane(i, str(i), "cpu", role, cores=1) for i, (role, _) in enumerate(lanes))
    with ExitStack() as stack:
        opened = [stack.enter_context(lane) for lane in open_lanes(planned)]
        loops = [Passes(*each) for each in zip(opened, [s for _, s in lanes], strict=True)]
        told = []
        calibrate_module.measure_passes(loops, 1.0, threading.Event(), {}, told.append)
    passes = [len(loop.passes) for loop in loops]
    assert told == sorted(told) and all(said <= min(passes) for said in told)
    return passes


@pytest.mark.timeout(20)
def test_copy_lanes_that_have_tasks_while_no_lane_computes_are_measured():
    assert min(passes_of((Role.COPY, 0.001), (Role.COPY, 0.0))) >= MOST_PASSES


def test_copy_lanes_copy_no_more_often_than_in_the_steps_that_are_measured():
    lanes = (Role.COMPUTE, 0.002), (Role.COMPUTE, 0.01), (Role.COPY, 0.0)
    fast, slow, copies = passes_of(*lanes)
    assert fast > slow >= MOST_PASSES  # lanes that compute are busy all the time
    assert copies <= fast + 1


def test_an_exception_of_a_task_ends_the_measuring(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN_MODEL.replace("nn.Dropout(0.5)", "Bad()") + BAD)
    with pytest.raises(ValueError, match="no gradient here"):
        measured(Specification("single", ModelSettings(str(path)), "cpu", batch=8))


BAD = """
class Raises(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        raise ValueError("no gradient here")

class Bad(nn.Module):
    def forward(self, x):
        return Raises.apply(x) if torch.is_grad_enabled() else x
"""


def test_before_long_steps_nothing_is_measured_and_the_log_says_so(monkeypatch):
    monkeypatch.setattr("core.engine.tasks.steps.LONGEST_STEP_SECONDS", 0.0)
    trace = run_here(Specification("mp", SMALL, "2xcpu", batch=8, steps=1), calibrate=True)
    assert trace.costs is None
    assert "a step takes 0 s: its costs are not measured beforehand" in [
        row.text for row in trace.logs
    ]


def test_a_run_that_leaves_no_memory_for_measuring_continues_without_it(monkeypatch):
    def full(*_):
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr("core.engine.tasks.steps.measure_task_costs", full)
    trace = run_here(Specification("mp", SMALL, "2xcpu", batch=8, steps=1), calibrate=True)
    assert trace.costs is None and len(trace.steps) == 3
    said = "there is not enough memory to measure costs in addition to the run"
    assert said in [row.text for row in trace.logs]


@pytest.fixture
def memory_for():
    """Limits this process to some more bytes of addresses than it has now, until the test ends."""
    before = resource.getrlimit(resource.RLIMIT_AS)

    def limit(more):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("copies", [1.5, 2.5], ids=["to make the data", "to copy them"])
def test_a_transfer_that_runs_out_of_memory_ends_the_measuring_and_not_the_run(
    monkeypatch, memory_for, copies
):
    size = 256 << 20
    monkeypatch.setattr("core.engine.calibration.calibrate.LINK_BYTES", (1 << 12, size))
    asked_for, transfer = [], calibrate_module.transfer_ns

    def limited(lanes, asked):
        asked_for.append(asked)
        if asked == size:
            memory_for(int(copies * size))
        return transfer(lanes, asked)

    monkeypatch.setattr(calibrate_module, "transfer_ns", limited)
    trace = run_here(Specification("mp", SMALL, "2xcpu", batch=8, steps=1), calibrate=True)
    assert asked_for[-1] == size
    said = "there is not enough memory to measure costs in addition to the run"
    assert said in [row.text for row in trace.logs]
    assert trace.steps[-1] == 2
