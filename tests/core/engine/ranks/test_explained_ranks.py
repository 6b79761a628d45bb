"""Runs of torch in ranks are explained completely, to the nanosecond."""

import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.predict.compare import predict_steps
from core.report.summary import summarise
from tests.core.helpers import Engine

pytest.importorskip("torch")


@pytest.mark.parametrize("strategy", ["ddp", "fsdp"])
def test_every_nanosecond_of_a_run_of_ranks_has_a_cause(engine: Engine, strategy: str) -> None:
    """The run of which half went round in a circle: two buckets, in any order on the two ranks."""
    model = ModelSettings("mlp", width=256)
    trace = engine.finish(
        Specification(strategy, model, "2xcpu", batch=256, steps=6, warmup=2, calibrate=False)
    )
    steps = summarise(trace).steps
    assert [step.step for step in steps] == list(range(2, 8))
    for step in steps:
        assert sum(step.ladder.values()) == step.makespan_ns
        assert sum(step.critical_path.values()) == step.makespan_ns
        for lane in step.lanes:
            assert sum(lane.idle_by_cause.values()) == lane.idle_ns >= 0
    assert predict_steps(trace) is not None
