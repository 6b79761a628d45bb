import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.report.summary import summarise
from tests.core.helpers import run_here

torch = pytest.importorskip("torch")

LIMIT = 1e-5
MODELS = st.sampled_from(
    [
        ModelSettings("mlp", width=24, depth=6),
        ModelSettings("gpt", width=16, depth=3, heads=2, sequence=6),
        ModelSettings("toymodel"),
        ModelSettings("tutorial"),
    ]
)
SLOW = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def check(specification):
    summary = summarise(run_here(specification))
    assert len(summary.steps) == len(specification.step_rows)
    assert summary.gradient_error is not None and summary.gradient_error <= LIMIT
    assert summary.loss_error is not None and summary.loss_error <= LIMIT


def blocks_of(model):
    return {"mlp": 6, "gpt": 5, "toymodel": 2, "tutorial": 1}[model.name]


@SLOW
@given(MODELS, st.integers(1, 6), st.integers(1, 40), st.integers(1, 45))
def test_data_parallel_gives_the_whole_batchs_gradients(model, lanes, batch, data):
    check(
        Specification(
            "dp", model, f"{lanes}xcpu", batch=batch, data=data, steps=2, warmup=1, verify=True
        )
    )


@SLOW
@given(MODELS, st.integers(1, 4), st.integers(1, 6), st.integers(1, 40))
def test_model_parallel_gives_the_whole_batchs_gradients(model, lanes, stages, batch):
    stages = min(stages, blocks_of(model))
    check(
        Specification(
            "mp", model, f"{lanes}xcpu", batch=batch, stages=stages, steps=2, warmup=0, verify=True
        )
    )


@st.composite
def divisible(draw):
    """A model that can be split, and a number of lanes that divides it.

    A layer norm of few features amplifies rounding: of width 2 a plain step in float32 is 6e-3 from
    the same in float64. So narrow models are in float64.
    """
    lanes, times = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    if draw(st.booleans()):
        return ModelSettings("mlp", width=lanes * times, depth=draw(st.integers(2, 6))), lanes
    heads = lanes * draw(st.integers(1, 2))
    sizes = {"width": heads * times, "heads": heads, "sequence": draw(st.integers(1, 6))}
    dtype = "float64" if heads * times < 8 else "float32"
    return ModelSettings("gpt", depth=draw(st.integers(2, 3)), dtype=dtype, **sizes), lanes


@SLOW
@given(divisible(), st.integers(1, 9), st.sampled_from(["sgd", "momentum", "adamw"]))
def test_tensor_parallel_gives_the_whole_batchs_gradients(chosen, batch, optimizer):
    model, lanes = chosen
    check(
        Specification(
            "tp", model, f"{lanes}xcpu", batch=batch, optimizer=optimizer, steps=3, warmup=0,
            verify=True,
        )
    )  # fmt: skip


@st.composite
def pipelines(draw, schedule, replicas=1):
    """A run of a schedule with numbers of its domain, on as many lanes as ranks or fewer."""
    name, schedule = schedule, SCHEDULES[schedule]
    chunks = draw(st.integers(1, 3)) if schedule.settable_chunks else schedule.chunks
    ranks, pieces = draw(st.sampled_from(domain(schedule, chunks)))
    lanes = replicas * draw(st.integers(1, ranks))
    stages = schedule.stage_count(ranks, chunks)
    size = draw(st.integers(1, 5))
    batch = replicas * pieces * size - draw(st.integers(0, size - 1)) * (replicas == 1)
    division = {"microbatches": pieces}
    if replicas == 1 and draw(st.booleans()):
        division = {"split_size": size}  # the last micro-batch may be smaller
    elif replicas > 1:
        batch += draw(st.integers(0, replicas - 1))  # some replicas have a row more
        division["replicas"] = replicas
    return Specification(
        "pipeline" if replicas == 1 else "dp-pp",
        draw(models_of(stages)),
        f"{lanes}xcpu",
        batch=batch,
        schedule=name,
        stages=stages,
        chunks=chunks if schedule.settable_chunks else None,
        optimizer="adam",
        steps=2,
        warmup=0,
        verify=True,
        **division,
    )


def domain(schedule, chunks):
    """(ranks, micro-batches) that a schedule takes, of which a model of 8 blocks has the stages."""
    return [
        (ranks, microbatches)
        for ranks in range(1, 5)
        if schedule.stage_count(ranks, chunks) <= 8
        for microbatches in range(1, 11)
        if accepts(schedule, ranks, microbatches, chunks)
    ]


def accepts(schedule, *numbers):
    try:
        schedule.check(*numbers)
    except PlanError:
        return False
    return True


def models_of(stages):
    """Models with at least as many blocks as there are stages."""
    mlp = st.integers(stages, 8).map(lambda depth: ModelSettings("mlp", width=24, depth=depth))
    gpt = st.integers(max(2, stages - 2), 6).map(
        lambda depth: ModelSettings("gpt", width=16, depth=depth, heads=2, sequence=6)
    )
    return st.one_of(mlp, gpt, *[MODELS] * (stages == 1))


@pytest.mark.parametrize("schedule", sorted(SCHEDULES))
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_every_schedule_gives_the_whole_batchs_gradients(schedule, data):
    check(data.draw(pipelines(schedule)))


@pytest.mark.parametrize("schedule", sorted(SCHEDULES))
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.integers(2, 3))
def test_pipelines_side_by_side_give_the_whole_batchs_gradients(schedule, data, replicas):
    check(data.draw(pipelines(schedule, replicas)))


def check_ranks(engine, specification):
    """Compare a run of processes with the whole batch's step; each rank has a part of the rows."""
    summary = summarise(engine.finish(specification))
    assert len(summary.steps) == specification.steps
    assert summary.gradient_error is not None and summary.gradient_error <= LIMIT
    assert summary.loss_error is not None and summary.loss_error <= LIMIT
    ranks = int(specification.devices.partition("x")[0])
    assert all(len(split) == ranks for split in summary.splits)
    assert all(sum(split) == specification.batch for split in summary.splits)


# One run each, because every rank imports torch. tests/stress/test_gradients.py draws more.
def test_distributed_data_parallel_gives_the_whole_batchs_gradients(engine):
    model = ModelSettings("gpt", width=16, depth=3, heads=2, sequence=6)
    check_ranks(
        engine,
        Specification(
            "ddp", model, "3xcpu", batch=10, bucket_mb=0.0005, steps=3, warmup=0, verify=True
        ),
    )


def test_fully_sharded_data_parallel_gives_the_whole_batchs_gradients(engine):
    # One of the ranks has no row.
    model = ModelSettings("mlp", width=24, depth=6)
    check_ranks(
        engine, Specification("fsdp", model, "2xcpu", batch=1, steps=2, warmup=0, verify=True)
    )


@pytest.mark.parametrize(
    ("strategy", "lanes", "batch", "settings"),
    [
        ("pipeline", 2, 8, {"microbatches": 2}),
        ("pipeline", 2, 12, {"schedule": "zb-h1", "microbatches": 3}),
        ("pipeline", 2, 8, {"schedule": "chimera", "microbatches": 2}),
        ("dp-pp", 4, 16, {"microbatches": 2}),
    ],
)
def test_a_model_that_depends_on_the_split_is_held_against_the_same_split(
    strategy, lanes, batch, settings
):
    model = ModelSettings("resnet50", image_size=32)
    check(
        Specification(
            strategy, model, f"{lanes}xcpu", batch=batch, steps=1, warmup=0, verify=True, **settings
        )
    )


def test_the_kept_gradients_can_be_checked_with_plain_torch(tmp_path):
    path = tmp_path / "last.npz"
    model = ModelSettings("toymodel")
    specification = Specification(
        model=model, devices="2xcpu", batch=9, microbatches=4, steps=3, gradients=str(path)
    )
    run_here(specification)
    kept = np.load(path)
    plain = torch.nn.Sequential(
        torch.nn.Sequential(torch.nn.Linear(10, 10), torch.nn.ReLU()), torch.nn.Linear(10, 5)
    )
    with torch.no_grad():
        for name, parameter in plain.named_parameters():
            parameter.copy_(torch.from_numpy(kept[f"before/{name}"]))
    x, target = torch.from_numpy(kept["input"]), torch.from_numpy(kept["target"])
    torch.nn.functional.mse_loss(plain(x), target).backward()
    for name, parameter in plain.named_parameters():
        np.testing.assert_allclose(parameter.grad, kept[f"gradient/{name}"], rtol=1e-4, atol=1e-7)
    assert list(tmp_path.iterdir()) == [path]


def test_a_wrong_gradient_is_an_error_of_its_size():
    from core.engine.verify import step_errors

    right = {"a": torch.tensor([1.0, -2.0]), "b": torch.tensor([1e-9])}
    wrong = {"a": torch.tensor([1.0, -1.8]), "b": torch.tensor([2e-9])}
    errors = step_errors(1.1, wrong, (1.0, right))
    assert errors.gradient == pytest.approx(0.1)
    assert errors.loss == pytest.approx(0.1)
    lost = {"a": torch.tensor([float("nan"), 0.0]), "b": torch.tensor([0.0])}
    assert step_errors(1.0, lost, (1.0, right)).gradient == float("inf")
