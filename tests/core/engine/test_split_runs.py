"""Schedules of the test's own, with split backwards and overlaps, on models of all sorts."""

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.catalogue import ModelSettings
from core.plan.schedules import SCHEDULES
from core.plan.schedules.one_f_one_b import order as one_f_one_b
from core.plan.schedules.schedule import (
    SPLIT_BACKWARD,
    Schedule,
    backward,
    backward_input,
    backward_weight,
    forward,
    overlap,
)
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.summary import summarise
from tests.core.helpers import run_here

pytest.importorskip("torch")

HEAD = """
import torch
from torch import nn
def batch(rows, generator):
    return torch.randn(rows, 8, generator=generator), torch.zeros(rows, 8)
"""
# The second of two stages begins behind the first linear layer.
MODELS = {
    "frozen": """
def build():
    frozen = nn.Linear(8, 8)
    for parameter in frozen.parameters():
        parameter.requires_grad_(False)
    return [nn.Linear(8, 8), frozen, nn.Tanh(), nn.Linear(8, 8)]
""",
    "all frozen behind": """
def build():
    blocks = [nn.Linear(8, 8), nn.Linear(8, 8), nn.Tanh()]
    for parameter in blocks[1].parameters():
        parameter.requires_grad_(False)
    return blocks
""",
    "tied": """
def build():
    a, b = nn.Linear(8, 8), nn.Linear(8, 8)
    b.weight = a.weight
    return [nn.Linear(8, 8), a, nn.Tanh(), b]
""",
    "twice": """
def build():
    a = nn.Linear(8, 8)
    return [nn.Linear(8, 8), a, nn.Tanh(), a]
""",
    "whole numbers": """
class Round(nn.Module):
    def forward(self, x):
        return (x * 10).long().clamp(0, 9)
def build():
    embedding = nn.Sequential(nn.Embedding(10, 1), nn.Flatten())
    return [nn.Flatten(), Round(), embedding, nn.Linear(8, 8)]
""",
    "unused": """
class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(8, 8), nn.Linear(8, 8)
    def forward(self, x):
        return self.used(x)
def build():
    return [nn.Linear(8, 8), Unused(), nn.Tanh()]
""",
}


def at_once(rank, ranks, microbatches, chunks):
    """1F1B with every backward in its two parts, one behind the other."""
    return list(chain.from_iterable(
        [backward_input(rank, a.microbatch), backward_weight(rank, a.microbatch)]
        if a.kind is Kind.BACKWARD else [a]
        for a in one_f_one_b(rank, ranks, microbatches, chunks)
    ))  # fmt: skip


def at_the_end(rank, ranks, microbatches, chunks):
    """1F1B of forwards and backward-inputs, then all backward-weights, the last one first."""
    actions = [
        backward_input(rank, a.microbatch) if a.kind is Kind.BACKWARD else a
        for a in one_f_one_b(rank, ranks, microbatches, chunks)
    ]
    return actions + [backward_weight(rank, m) for m in reversed(range(microbatches))]


def overlapped(rank, ranks, microbatches, chunks):
    """1F1B in which each forward but the first ones comes with the backward before it."""
    behind = ranks - rank
    first = [forward(rank, m) for m in range(min(behind, microbatches))]
    pairs = [
        overlap(forward(rank, m), backward(rank, m - behind)) for m in range(behind, microbatches)
    ]
    last = range(max(0, microbatches - behind), microbatches)
    return first + pairs + [backward(rank, m) for m in last]


OWN = {
    "at once": Schedule("at once", "", "", at_once, uses=SPLIT_BACKWARD),
    "at the end": Schedule("at the end", "", "", at_the_end, uses=SPLIT_BACKWARD),
    "overlapped": Schedule(
        "overlapped", "", "", overlapped,
        uses=frozenset({Kind.FORWARD, Kind.BACKWARD, Kind.OVERLAP}),
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_schedules(monkeypatch):
    for name, schedule in OWN.items():
        monkeypatch.setitem(SCHEDULES, name, schedule)


def run(schedule, model, **settings):
    common = {"devices": "2xcpu", "batch": 7, "steps": 2, "warmup": 1, "verify": True}
    return run_here(Specification("pipeline", model, schedule=schedule, **{**common, **settings}))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("schedule", OWN)
def test_an_unusual_model_gives_the_whole_batchs_gradients(tmp_path, name, schedule):
    path = tmp_path / "mine.py"
    path.write_text(HEAD + MODELS[name])
    summary = summarise(run(schedule, ModelSettings(str(path)), microbatches=4, stages=2))
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5


@pytest.mark.parametrize("schedule", OWN)
@settings(max_examples=10)
@given(st.integers(1, 4), st.integers(1, 6), st.sampled_from(["mlp", "gpt"]))
def test_own_orders_give_the_whole_batchs_gradients(schedule, lanes, microbatches, model):
    sizes = {"gpt": {"heads": 2, "sequence": 5}}.get(model, {})
    model = ModelSettings(model, width=8, depth=4, **sizes)
    trace = run(schedule, model, devices=f"{lanes}xcpu", microbatches=microbatches)
    summary = summarise(trace)
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5


def test_an_overlap_is_one_span_with_the_sizes_and_results_of_its_forward():
    trace = run("overlapped", ModelSettings("mlp", width=8, depth=4), microbatches=7, warmup=0)
    overlaps = [span for span in trace if span.kind is Kind.OVERLAP and span.step == 0]
    assert len(overlaps) == 5 + 6  # lane 0 is two micro-batches ahead, lane 1 one
    sizes = [row.text for row in trace.logs if row.level == "size" and "stage" in row.text]
    assert len(sizes) == 2 * 2 * 7
    assert set(sizes) == {
        f"In Model stage {stage}: input size [1, 8] output size [1, 8]" for stage in range(2)
    }


@pytest.mark.parametrize("schedule", [*sorted(SCHEDULES), *OWN])
def test_at_a_steps_end_the_batch_is_all_that_is_held(schedule):
    # On one lane, since what another lane has yet to fetch is counted too.
    known = {**SCHEDULES, **OWN}[schedule]
    stages = known.stage_count(2, known.chunks)
    model = ModelSettings("mlp", width=8, depth=4)
    trace = run(schedule, model, devices="1xcpu", stages=stages, batch=16, microbatches=8)
    counter = trace.counter("activations", 0)
    for step in range(3):
        assert counter.values[counter.steps == step][-1] == 16 * 8 * 4


def test_tensors_of_the_weight_pass_are_counted_until_it_ends():
    rows, width = 5, 8
    model = ModelSettings("mlp", width=width, depth=4)
    trace = run("at the end", model, batch=rows, microbatches=1)
    (place,) = {s.task for s in trace if (s.lane, s.kind) == (1, Kind.BACKWARD_INPUT)}
    counter = trace.counter("activations", 1)
    for step in set(counter.steps.tolist()):
        end = trace.find(step, place).end
        held = {value for value, time, own in
                zip(counter.values, counter.times, counter.steps, strict=True)
                if own == step and time == end}  # fmt: skip
        # The input of both linear layers, the gradient of both their outputs, and that of the
        # stage's input, which lane 0 has not yet fetched.
        assert held == {5 * rows * width * 4}
