from contextlib import ExitStack
from dataclasses import replace

import pytest

from core.models.catalogue import ModelSettings
from core.plan.division import Placement, Stage
from core.plan.specification import Specification
from core.report.summary import summarise
from tests.core.helpers import run_here

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from core.engine.hardware import find_hardware  # noqa: E402
from core.engine.lanes.devices import open_lanes  # noqa: E402
from core.engine.models.stage_module import StageModule, sum_of_copies  # noqa: E402
from core.engine.prepare import prepare  # noqa: E402
from core.engine.tasks.executor import Executor  # noqa: E402
from core.engine.tasks.operations import Operations  # noqa: E402

MLP = ModelSettings("mlp", width=16, depth=6)
GPT = ModelSettings("gpt", width=16, depth=4, heads=2, sequence=6)
COMMON = {"optimizer": "adam", "lr": 0.05, "steps": 5, "warmup": 0}
RUNS = {
    "chimera": Specification(
        "pipeline", MLP, "2xcpu", batch=13, schedule="chimera", microbatches=4, **COMMON
    ),
    "three pipelines": Specification(
        "dp-pp", GPT, "6xcpu", batch=13, replicas=3, microbatches=2, **COMMON
    ),
    "zb-h1 twice": Specification(
        "dp-pp", MLP, "4xcpu", batch=13, schedule="zb-h1", microbatches=3, **COMMON
    ),
    "chimera twice": Specification(
        "dp-pp", MLP, "4xcpu", batch=13, schedule="chimera", microbatches=2, **COMMON
    ),
}


def parameters_after(specification):
    """Run without recording; the parameters of every replica that is stepped."""
    prepared = prepare(specification, find_hardware())
    operations = Operations(prepared)
    plan = prepared.plan_list[0]
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.header.lanes)]
        executor = Executor(lanes, operations, None)
        for index, batch in enumerate(prepared.workload.batches(prepared.specification)):
            executor.run(index, plan, 0, batch)
    return operations.model.parameters()


@pytest.mark.parametrize("name", RUNS)
def test_all_replicas_have_the_same_bits_after_five_steps_of_adam(name):
    first, *others = parameters_after(RUNS[name])
    assert others
    for copy in others:
        assert copy.keys() == first.keys()
        assert all(torch.equal(copy[key], first[key]) for key in first)


@pytest.mark.parametrize("name", ["chimera", "three pipelines"])
def test_replicas_step_as_the_whole_model_does(name):
    # Not adam, whose first steps are as long for a gradient that is a rounding error.
    specification = replace(RUNS[name], optimizer="momentum")
    single = replace(
        specification, strategy="single", schedule=None, microbatches=None, replicas=None
    )
    (wanted,) = parameters_after(single)
    found = parameters_after(specification)[0]
    for key, parameter in wanted.items():
        torch.testing.assert_close(found[key], parameter, rtol=1e-4, atol=1e-6)


def test_a_replica_that_steps_with_other_gradients_fails_the_verification(monkeypatch):
    real = StageModule.take_sums

    def without_the_others(module):
        if module.lane == 3:
            module.sums = module.gradients()
        return real(module)

    monkeypatch.setattr(StageModule, "take_sums", without_the_others)
    specification = Specification("dp-pp", MLP, "4xcpu", batch=8, steps=1, warmup=0, verify=True)
    assert summarise(run_here(specification)).gradient_error > 0.01


def stage_with(gradients):
    specification = Specification(model=MLP)
    blocks = [nn.Linear(1, len(gradients))]
    module = StageModule(Placement(0, 0, 0), Stage(0, 0, 1), blocks, specification)
    module.parameters["0.bias"].grad = torch.tensor(gradients)
    return module


def test_a_sum_is_added_up_in_the_order_of_the_copies_and_leaves_them_as_they_are():
    # In float32 1e8 + 1 is 1e8: only in this order is the first sum 1 and the second 0.
    values = [[1e8, 1.0], [-1e8, 1e8], [1.0, -1e8]]
    copies = [stage_with(gradients) for gradients in values]
    sums = sum_of_copies(copies, torch.device("cpu"))
    assert sums.keys() == {"0.bias"}  # of what has no gradient there is no sum
    assert sums["0.bias"].tolist() == [1.0, 0.0]
    assert [module.parameters["0.bias"].grad.tolist() for module in copies] == values


def test_sums_are_held_in_addition_to_the_gradients_until_the_step():
    specification = Specification(
        "pipeline", MLP, "2xcpu", batch=8, schedule="chimera", microbatches=2, steps=1, warmup=0
    )
    trace = run_here(specification)
    stage = trace.header.model.parameter_bytes / 2  # a lane has both: one of each replica
    for lane in range(2):
        values = trace.counter("gradients", lane).values.tolist()
        # Two backwards, then an all-reduce and a step of the one stage, and of the other.
        assert values == [0, stage, 2 * stage, 3 * stage, 2 * stage, 3 * stage, 2 * stage]
