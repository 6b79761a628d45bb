"""Two lanes on one GPU: what only a CUDA device can show."""

import numpy as np
import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind, Role
from core.report.summary import summarise
from tests.core.helpers import Engine

pytestmark = pytest.mark.cuda

MODEL = ModelSettings("mlp", width=512, depth=8)
DEVICES = "2xcuda:0"
RUNS = [
    Specification("single", MODEL, DEVICES, batch=256, verify=True),
    Specification("dp", MODEL, DEVICES, batch=255, verify=True),
    Specification("ddp", MODEL, DEVICES, batch=255, verify=True),
    Specification("mp", MODEL, DEVICES, batch=256, verify=True),
    Specification("tp", MODEL, DEVICES, batch=255, verify=True),
    Specification(schedule="1f1b", model=MODEL, devices=DEVICES, batch=255, verify=True),
    Specification(schedule="gpipe", model=MODEL, devices=DEVICES, batch=255, verify=True),
    Specification(schedule="split", model=MODEL, devices=DEVICES, batch=255, verify=True),
    Specification(schedule="zb-h1", model=MODEL, devices=DEVICES, batch=255, verify=True),
    Specification(schedule="dualpipe-v", model=MODEL, devices=DEVICES, batch=255, verify=True),
    Specification(schedule="chimera", model=MODEL, devices=DEVICES, batch=255, verify=True),
    Specification("dp-pp", MODEL, "4xcuda:0", batch=255, verify=True),
    Specification("mp", MODEL, DEVICES, batch=256, verify=True, blocks=True),
]


@pytest.fixture(scope="module")
def traces():
    engine = Engine()
    yield {specification: engine.finish(specification) for specification in RUNS}
    engine.client.close()


@pytest.mark.parametrize("specification", RUNS, ids=lambda s: s.schedule or s.strategy)
def test_gradients_on_a_gpu_are_the_whole_batchs(traces, specification):
    summary = summarise(traces[specification])
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5


@pytest.mark.parametrize("specification", RUNS, ids=lambda s: s.schedule or s.strategy)
def test_spans_on_a_gpu_keep_their_order_within_the_clocks_uncertainty(traces, specification):
    trace = traces[specification]
    uncertain = trace.clock_uncertainty()
    assert 0 < uncertain < 1e6
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        assert (spans["start"][1:] >= spans["end"][:-1]).all()
    if specification.strategy != "ddp":  # whose ranks share the GPU and time themselves
        for span in trace:
            for task in span.after:
                assert span.start >= trace.find(span.step, task).end - 2 * uncertain


def test_blocks_on_a_gpu_lie_within_their_tasks(traces):
    trace = next(t for s, t in traces.items() if s.blocks)
    nested = [lane for lane in trace.header.lanes if lane.role is Role.NESTED]
    assert len(nested) == 2
    for lane in nested:
        spans, parent = trace.spans(lane.index), trace.spans(lane.serves)
        assert len(spans) == 2 * 4 * len(trace.steps)  # both passes of half of the blocks
        inside = np.searchsorted(parent.start, spans.start, "right") - 1
        assert (spans.end <= parent.end[inside]).all()


def test_copies_run_on_copy_lanes_and_the_allocator_is_counted(traces):
    trace = next(t for s, t in traces.items() if s.schedule == "1f1b")
    copies = [span for span in trace if span.kind is Kind.COPY]
    assert copies
    assert all(trace.header.lanes[span.lane].role is Role.COPY for span in copies)
    assert max(trace.counter("allocator cuda:0").values) > trace.header.model.parameter_bytes


def test_two_lanes_of_one_gpu_overlap_in_a_pipeline(traces):
    trace = next(t for s, t in traces.items() if s.schedule == "gpipe")
    first, second = trace.spans(0), trace.spans(1)
    overlapping = sum(
        bool(((second["start"] < span["end"]) & (second["end"] > span["start"])).any())
        for span in first
    )
    assert overlapping > 0
