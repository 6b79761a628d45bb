"""Runs of ranks with random models, ranks and rows compute the same as a plain training step."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("torch")

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from tests.core.engine.test_gradients import check_ranks
from tests.core.helpers import Engine

MODELS = (
    ModelSettings("mlp", width=24, depth=6),
    ModelSettings("gpt", width=16, depth=3, heads=2, sequence=6),
    ModelSettings("toymodel"),
    ModelSettings("tutorial"),
)


def test_ranks_compute_the_gradients_of_the_whole_batch(stress_runs: int) -> None:
    if stress_runs == 1:
        pytest.skip("tests/core/engine/test_gradients.py has a run of each strategy")
    chance = random.Random(1)
    engine = Engine()
    try:
        for number in range(stress_runs):
            strategy = ("ddp", "fsdp")[number % 2]
            specification = Specification(
                strategy, chance.choice(MODELS), f"{chance.randint(1, 4)}xcpu",
                batch=chance.randint(1, 30), steps=chance.choice([2, 3]), warmup=0, verify=True,
                bucket_mb=chance.choice([0.0005, 25]) if strategy == "ddp" else None,
            )  # fmt: skip
            print(specification)
            check_ranks(engine, specification)
    finally:
        engine.client.close()
