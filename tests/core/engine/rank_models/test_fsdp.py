"""Ranks that hold a part of every parameter each: torch's fully_shard, run and timed."""

from dataclasses import replace

import numpy as np
import pytest

from core.models.catalogue import ModelSettings
from core.plan.plan import Role
from core.plan.specification import Specification, describe
from core.plan.task import Kind, Payload
from core.report.summary import summarise
from tests.core.engine.models.test_own_models import MODELS, own
from tests.core.helpers import plan_of

torch = pytest.importorskip("torch")

GPT = ModelSettings("gpt", width=16, depth=2, heads=2, sequence=6)
# 7 rows do not divide by 3, nor do the rows of most parameters.
SPECIFICATION = Specification(
    "fsdp", GPT, "3xcpu", batch=7, steps=3, warmup=1, optimizer="adam", verify=True
)
# Torch gathers what is frozen for the backward pass in vain, and never reduces it.
FROZEN_BEHIND_A_WRITE = """
class Double(nn.Module):
    def forward(self, x):
        return x.mul_(2)
def build():
    frozen = nn.Linear(8, 8).requires_grad_(False)
    return [Double(), frozen, nn.Tanh(), nn.Linear(8, 8), nn.Linear(8, 8)]
"""

SCALED = """
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter({})
    def forward(self, x):
        return x * self.scale.sum()
def build():
    return [nn.Linear(8, 8), Scaled()]
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept") / "last.npz"


@pytest.fixture(scope="module")
def trace(engine, kept):
    return engine.finish(replace(SPECIFICATION, gradients=str(kept)))


def test_every_task_of_the_plan_has_a_span_in_every_step(trace):
    tasks = [task.index for task in plan_of(SPECIFICATION).tasks]
    for step in trace.steps:
        assert sorted(span.task for span in trace if span.step == step) == tasks
    assert trace.open_tasks == []


def test_spans_of_a_lane_never_overlap_and_none_starts_before_its_dependencies_end(trace):
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        assert (spans["start"][1:] >= spans["end"][:-1]).all()
        for step in trace.steps:
            assert (np.diff(spans["task"][spans["step"] == step]) > 0).all()  # as planned
    for span in trace:
        for task in span.after:
            assert span.start >= trace.find(span.step, task).end


def test_collectives_have_the_times_of_their_request_and_launch(trace):
    moved = [span for span in trace if span.kind.is_collective]
    assert {trace.header.lanes[span.lane].role for span in moved} == {Role.COMMUNICATION}
    assert all(span.ready <= span.launched <= span.start for span in moved)
    kinds = [(Kind.ALL_GATHER, Payload.PARAMETERS), (Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN),
             (Kind.REDUCE_SCATTER, Payload.PARAMETER_GRADIENTS)]  # fmt: skip
    for kind, payload in kinds:
        blocks = [s.block for s in moved if (s.kind, s.payload) == (kind, payload)]
        assert sorted(blocks) == sorted([0, 1, 2, 3] * 3 * len(trace.steps))


def test_the_gradients_are_those_of_the_whole_batch(trace):
    summary = summarise(trace)
    assert summary.splits == ((3, 2, 2),) * 3
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5


def test_between_steps_a_rank_holds_a_part_of_parameters_gradients_and_state(trace):
    whole = describe(SPECIFICATION).parameter_bytes
    held = {
        name: [trace.counter(name, rank).values[-1] for rank in range(3)]
        for name in ("parameters", "gradients", "optimizer")
    }
    assert sum(held["parameters"]) == sum(held["gradients"]) == whole
    assert max(held["parameters"]) < 0.5 * whole
    # Two moments for each parameter, and a step count for each of its tensors.
    tensors = sum(len(block.parameters) for block in describe(SPECIFICATION).blocks)
    assert sum(held["optimizer"]) == 2 * whole + 3 * 4 * tensors
    assert [trace.counter("activations", rank).values[-1] for rank in range(3)] == [0, 0, 0]


def test_within_a_step_a_rank_holds_whole_blocks_but_never_the_whole_model(trace):
    whole = describe(SPECIFICATION).parameter_bytes
    for rank in range(3):
        values = trace.counter("parameters", rank).values
        assert values[-1] < max(values) < 1.2 * whole


@pytest.mark.parametrize("code", [FROZEN_BEHIND_A_WRITE, MODELS["whole numbers"]])
def test_an_unusual_model_is_sharded_and_its_spans_are_matched(engine, tmp_path, code):
    model = own(tmp_path, code)
    specification = Specification("fsdp", model, "2xcpu", batch=7, steps=2, warmup=1, verify=True)
    trace = engine.finish(specification)
    assert summarise(trace).gradient_error <= 1e-5
    assert trace.open_tasks == []
    for span in trace:
        ended = [trace.find(span.step, task) for task in span.after]
        assert all(span.start >= other.end for other in ended if other is not None)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (MODELS["tied"], "blocks 0 and 3 share a parameter (3.weight)"),
        (SCALED.format("torch.tensor(2.0)"), "parameter 1.scale has no dimension to divide, which"),
        (
            SCALED.format("torch.ones(8, 8).triu().t()"),
            "parameter 1.scale is not contiguous, which",
        ),
    ],
    ids=["tied", "scalar", "transposed"],
)
def test_a_parameter_that_cannot_be_sharded_is_refused_by_name_before_a_rank_starts(
    engine, tmp_path, code, said
):
    engine.run(Specification("fsdp", own(tmp_path, code), "2xcpu", batch=7))
    engine.wait("ended")
    assert engine.ended.outcome == "refused"
    assert said in str(engine.ended.text)
    assert "\n" not in str(engine.ended.text)


def test_kept_gradients_are_whole_and_can_be_checked_with_plain_torch(trace, kept):
    from core.engine.models.workload import build_workload

    workload = build_workload(SPECIFICATION)
    plain = torch.nn.Sequential(*workload.blocks)
    arrays = np.load(kept)
    with torch.no_grad():
        for name, parameter in plain.named_parameters():
            parameter.copy_(torch.from_numpy(arrays[f"before/{name}"]))
    x, target = torch.from_numpy(arrays["input"]), torch.from_numpy(arrays["target"])
    workload.loss(plain(x), target).backward()
    for name, parameter in plain.named_parameters():
        found = arrays[f"gradient/{name}"]
        np.testing.assert_allclose(parameter.grad, found, rtol=1e-4, atol=1e-6)
