"""What ranks say, whatever torch does in them."""

import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.strategy import Collective
from core.plan.task import Kind, Payload
from tests.core.engine.test_own_models import own
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
    ],
    ids=["unused", "normalised"],
)
def test_what_torch_cannot_do_is_said_in_one_line_with_a_remedy(
    engine, tmp_path, code, batch, said
):
    model = own(tmp_path, code)
    engine.run(Specification("ddp", model, "2xcpu", batch=batch, steps=1, warmup=0))
    engine.wait("ended")
    assert engine.ended.outcome == "failed"
    assert said in engine.ended.text and "\n" not in engine.ended.text


def timer():
    from core.engine.lanes import open_lanes
    from core.engine.rank_timer import RankTimer
    from core.plan.task import Lane

    return RankTimer(open_lanes((Lane(0, "cpu:0", "cpu", cores=1),))[0], lambda name, value: None)


def test_the_first_collective_that_was_launched_and_has_not_ended_is_under_way():
    watch = timer()
    first, second = (
        watch.ask(Kind.ALL_REDUCE, Payload.PARAMETER_GRADIENTS, number, ("0.weight",))
        for number in range(2)
    )
    assert watch.open_collective() is None
    first.launched = second.launched = first.start + 10
    assert watch.open_collective() == (first, [])
    first.end = first.start + 20
    assert watch.open_collective() == (second, [first])
    second.end = first.start + 30
    assert watch.open_collective() is None


def expectations(specification, rank=0):
    from core.engine.hardware import find_hardware
    from core.engine.prepare import prepare
    from core.engine.rank_expectation import Expectations

    return Expectations(prepare(specification, find_hardware()), rank)


def buckets(*groups):
    return tuple(
        Collective(Kind.ALL_REDUCE, Payload.PARAMETER_GRADIENTS, names) for names in groups
    )


def test_tasks_whose_numbers_may_change_are_not_announced():
    expected = expectations(Specification("ddp", ModelSettings("toymodel"), "2xcpu", batch=4))
    first = expected.begin(0)
    # Passes come before any collective, so that buckets do not move them; the step does not.
    assert first.own[Kind.BACKWARD, 0, Payload.NONE].index < first.sure
    assert first.own[Kind.STEP, -1, Payload.NONE].index >= first.sure
    split = buckets(("1.bias", "1.weight"), ("0.0.bias", "0.0.weight"))
    assert expected.learn(split)
    assert len(expected.now.plan.tasks) > len(first.plan.tasks)
    assert expected.begin(1).sure == first.sure
    assert not expected.learn(split)
    assert expected.begin(2).sure == len(expected.now.plan.tasks)


def test_a_report_survives_its_way_to_the_engine():
    from core.engine.rank_expectation import from_text, to_text

    report = (Collective(Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN, ("3.weight", "3.bias")),)
    assert from_text(to_text(report)) == report
