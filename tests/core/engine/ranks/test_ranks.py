"""Messages of ranks, whatever torch does in them."""

import itertools

import pytest

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.devices import Accelerator, Hardware
from core.plan.division import Collective
from core.plan.specification import Specification
from core.plan.task import Kind, Payload
from core.report.summary import summarise
from tests.core.engine.models.test_own_models import own
from tests.core.helpers import Engine

pytest.importorskip("torch")

UNUSED = """
class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(8, 8), nn.Linear(8, 8)
    def forward(self, x):
        return self.used(x)
def build():
    return [Unused(), nn.Linear(8, 8)]
"""
NORMALISED = """
def build():
    return [nn.Linear(8, 8), nn.BatchNorm1d(8)]
"""


# Blocks that give their input on, write into it, or have no parameters.
UNUSUAL = """
def build():
    return [nn.Flatten(), nn.Linear(8, 8), nn.Identity(), nn.ReLU(inplace=True), nn.Linear(8, 8),
            nn.Dropout(0.0), nn.Identity()]
"""

# A model whose file makes the recorder fail in each rank.
BREAKS_RECORDER = """
from core.recorder.collectives import CollectiveHooks
def fail(*_):
    raise KeyError("no such bucket")
CollectiveHooks._begin_bucket = fail
def build():
    return [nn.Linear(8, 8), nn.Linear(8, 8)]
"""


@pytest.fixture(scope="module")
def engine():
    engine = Engine()
    yield engine
    engine.client.close()


@pytest.mark.parametrize(
    ("code", "batch", "said"),
    [
        (UNUSED, 8, "no gradient for 0.unused.weight, 0.unused.bias: ddp waits for"),
        (NORMALISED, 3, "batch normalisation needs more than one value per channel on every lane"),
        (BREAKS_RECORDER, 8, "a rank's recording has ended: KeyError: 'no such bucket'"),
    ],
    ids=["unused", "normalised", "recorder"],
)
def test_a_limit_of_torch_is_one_line_with_a_remedy(engine, tmp_path, code, batch, said):
    model = own(tmp_path, code)
    engine.run(Specification("ddp", model, "2xcpu", batch=batch, steps=1, warmup=0))
    engine.wait("ended")
    assert engine.ended.outcome == "failed"
    assert said in str(engine.ended.text) and "\n" not in str(engine.ended.text)


@pytest.mark.parametrize("strategy", ["ddp", "fsdp"])
def test_every_block_has_both_passes_in_order_whatever_it_does(engine, tmp_path, strategy):
    specification = Specification(strategy, own(tmp_path, UNUSUAL), "2xcpu", batch=8, verify=True)
    trace = engine.finish(specification)
    assert summarise(trace).gradient_error <= 1e-5
    assert trace.open_tasks == []
    # Nothing flows back into the first block, so it has no backward pass.
    passes = [("forward", block) for block in range(7)] + [("loss", None)]
    passes += [("backward", block) for block in range(6, 0, -1)] + [("step", None)]
    for step in trace.steps:
        for lane in (0, 1):
            spans = sorted((s for s in trace if s.step == step and s.lane == lane), key=_times)
            assert [(str(s.kind), s.block) for s in spans] == passes
            assert all(one.end <= other.start for one, other in itertools.pairwise(spans))


def _times(span):
    return span.start, span.end


@pytest.mark.parametrize(("asked", "devices"), [("2xmps", "mps, mps"), ("2xxpu:0", "xpu:0, xpu:0")])
def test_ranks_that_have_no_process_group_to_meet_in_are_refused_beforehand(asked, devices):
    from core.engine.prepare import prepare

    hardware = Hardware(8, 8 << 30, (Accelerator(asked.removeprefix("2x"), "A", 0),))
    with pytest.raises(
        PlanError, match=f"ranks cannot communicate on {devices}: torch has no process"
    ):
        prepare(Specification("ddp", devices=asked), hardware)


def expectations(specification, rank=0):
    from core.engine.hardware import find_hardware
    from core.engine.prepare import prepare
    from core.engine.ranks.expectation import StepExpectations

    numbers = itertools.count()
    prepared = prepare(specification, find_hardware())
    return StepExpectations(prepared, rank, lambda tasks: next(numbers))


def buckets(*groups):
    return tuple(
        Collective(Kind.ALL_REDUCE, Payload.PARAMETER_GRADIENTS, names) for names in groups
    )


def test_tasks_whose_numbers_may_change_are_not_announced():
    expected = expectations(Specification("ddp", ModelSettings("toymodel"), "2xcpu", batch=4))
    first = expected.begin(0)
    # Passes come before any collective, so that buckets do not move them; the step does not.
    assert first.own[Kind.BACKWARD, 0, Payload.NONE].index < first.settled
    assert first.own[Kind.STEP, -1, Payload.NONE].index >= first.settled
    split = buckets(("1.bias", "1.weight"), ("0.0.bias", "0.0.weight"))
    expected.learn(split)
    assert len(expected.current.plan.tasks) > len(first.plan.tasks)
    assert expected.current.number != first.number
    assert (
        expected.begin(1).settled == first.settled and expected.current.number == first.number + 1
    )
    expected.learn(split)
    assert expected.begin(2).settled == len(expected.current.plan.tasks)
