"""Lanes on an accelerator, whichever torch reports: what only such a device can show."""

import functools
import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.devices import device_kind
from core.plan.plan import Role
from core.plan.planning import lanes_of
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.summary import summarise
from core.trace.event_rows import clock_uncertainty
from tests.core.helpers import Engine, run_here

pytestmark = pytest.mark.accelerator

MODEL = ModelSettings("mlp", width=512, depth=8)
SECONDS = 100  # a run takes at most; ranks on a simulated device need most of it on a busy host
STEPS = 2  # measured; every operator of a simulated device takes much longer than on a real one


def job(strategy, lanes=2, batch=255, **settings):
    """On so many lanes of the first device; `at` puts them on it."""
    given = {"steps": STEPS, "warmup": 1, "verify": True, "calibrate": False, **settings}
    return Specification(strategy, MODEL, str(lanes), batch=batch, **given)


def pipeline(schedule):
    return job("pipeline", schedule=schedule)


RUNS = [
    job("single", batch=256),
    job("dp"),
    job("ddp"),
    job("mp", batch=256),
    job("tp"),
    *map(pipeline, ["1f1b", "gpipe", "split", "zb-h1", "dualpipe-v", "chimera"]),
    job("dp-pp", lanes=4),
    job("mp", batch=256, blocks=True),
]
DISTINCT = [
    job("dp"),
    job("ddp", steps=1),
    job("fsdp", steps=1),
    job("mp"),
    pipeline("1f1b"),
]


def name(specification):
    return specification.schedule or specification.strategy


@functools.cache
def machine():
    from core.engine.hardware import find_hardware

    return find_hardware()


class Runs:
    """Runs each specification once, on an engine of its own."""

    def __init__(self):
        self._engine = Engine()
        self._traces = {}

    def shared(self, specification):
        """The trace of a run on lanes of the first device."""
        device = machine().devices[1]
        return self._run(replace(specification, devices=f"{specification.devices}x{device}"))

    def distinct(self, specification):
        """The trace of a run on two devices."""
        first, second = machine().devices[1:3]
        return self._run(replace(specification, devices=f"{first},{second}"))

    def _run(self, specification):
        from core.engine.hardware import rank_backend

        if specification.strategy in ("ddp", "fsdp"):
            try:
                rank_backend(lanes_of(specification, machine()))
            except PlanError as error:
                pytest.skip(str(error))
        if specification not in self._traces:
            try:
                self._traces[specification] = self._engine.finish(specification, SECONDS)
            except AssertionError:
                # A run that has not ended would make all later ones fail too.
                self.close()
                self._engine = Engine()
                raise
        return self._traces[specification]

    def close(self):
        self._engine.client.close()


@pytest.fixture(scope="module")
def runs():
    runs = Runs()
    yield runs
    runs.close()


@pytest.fixture
def streams():
    """Skips where the accelerator has no streams."""
    device = machine().devices[1]
    if not device_kind(device).streams:
        pytest.skip(f"{device} has no streams")


@pytest.fixture
def two_devices():
    if len(machine().accelerators) < 2:
        pytest.skip("there is one accelerator")


def assert_whole_batch(trace):
    summary = summarise(trace)
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5


def assert_in_order(trace):
    """Spans of a lane do not overlap, nor what waits with what it waits for."""
    from core.engine.machine_check.runs import span_order

    uncertain = clock_uncertainty(trace.clocks)
    assert 0 < uncertain < 1e6
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        assert (spans["start"][1:] >= spans["end"][:-1]).all()
    assert span_order(trace, "").early <= 2 * uncertain


@pytest.mark.parametrize("specification", RUNS, ids=name)
def test_lanes_of_an_accelerator_compute_the_whole_batch_and_keep_their_order(runs, specification):
    trace = runs.shared(specification)
    assert_whole_batch(trace)
    assert_in_order(trace)


@pytest.mark.parametrize("specification", DISTINCT, ids=name)
def test_two_devices_compute_the_whole_batch_on_one_time_axis(runs, two_devices, specification):
    trace = runs.distinct(specification)
    assert_whole_batch(trace)
    assert_in_order(trace)


def test_blocks_lie_within_their_tasks(runs):
    trace = runs.shared(RUNS[-1])
    nested = [lane for lane in trace.header.lanes if lane.role is Role.NESTED]
    assert len(nested) == 2
    for lane in nested:
        spans, parent = trace.spans(lane.index), trace.spans(lane.serves)
        assert len(spans) == 2 * 4 * len(trace.steps)  # both passes of half of the blocks
        inside = np.searchsorted(parent.start, spans.start, "right") - 1
        assert (spans.end <= parent.end[inside]).all()


def test_copies_run_on_copy_lanes(runs, streams):
    trace = runs.shared(pipeline("1f1b"))
    copies = [span for span in trace if span.kind is Kind.COPY]
    assert copies
    assert all(trace.header.lanes[span.lane].role is Role.COPY for span in copies)


def test_the_allocator_is_counted(runs):
    from core.engine.lanes.devices import allocator_bytes

    device = machine().devices[1]
    if allocator_bytes(device) is None:
        pytest.skip(f"torch does not tell what is allocated on {device}")
    trace = runs.shared(pipeline("1f1b"))
    assert max(trace.counter(f"allocator {device}").values) > trace.header.model.parameter_bytes


def test_two_lanes_of_one_device_overlap_in_a_pipeline(runs, streams):
    trace = runs.shared(pipeline("gpipe"))
    first, second = trace.spans(0), trace.spans(1)
    overlapping = sum(
        bool(((second["start"] < span["end"]) & (second["end"] > span["start"])).any())
        for span in first
    )
    assert overlapping > 0


def test_costs_of_tasks_are_measured_on_an_accelerator(runs):
    trace = runs.shared(replace(pipeline("1f1b"), calibrate=True, steps=1))
    assert trace.costs is not None
    assert {"forward_ms", "backward_ms", "link_latency_us"} <= set(json.loads(trace.costs))


def test_lanes_accumulate_gradients_on_their_own_streams_after_costs_were_measured(streams):
    # torch warns, which is an error here, of a parameter whose gradient another stream accumulates.
    device = machine().devices[1]
    measured = replace(
        # Costs are measured before short steps only.
        job("pipeline", batch=64, schedule="zb-h1", steps=1),
        model=ModelSettings("mlp", width=64, depth=8),
        devices=f"2x{device}",
    )
    trace = run_here(measured, calibrate=True)
    assert trace.costs is not None
    assert_whole_batch(trace)


def test_virtual_lanes_run_on_an_accelerator(runs):
    device = f"virtual:{machine().devices[1]}"
    trace = runs._run(replace(pipeline("1f1b"), devices=f"4x{device}"))
    assert_whole_batch(trace)
    assert_in_order(trace)


@pytest.mark.filterwarnings("ignore")  # the backend's own
def test_a_device_whose_events_fail_is_timed_by_the_host(monkeypatch):
    from core.engine.lanes import devices

    monkeypatch.setattr(devices, "has_timed_events", lambda device: False)
    device = machine().devices[1]
    trace = run_here(replace(pipeline("1f1b"), devices=f"2x{device}"))
    assert_whole_batch(trace)
    assert_in_order(trace)
    said = f"{device} has no timed events: its spans have host times, and its lanes take turns"
    assert said in [row.text for row in trace.logs]
