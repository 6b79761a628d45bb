"""No lane is blamed for less than the lanes' times scatter from step to step."""

import numpy as np
import pytest

from core.explain.noise import median_error, significantly_above
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.limits import Limit
from core.report.verdict import verdict
from tests.core.helpers import run_here

RUNS = 10


def lane_times(steps: int, seed: int) -> np.ndarray:
    """Times of four equal lanes in so many steps, in ns, that scatter by 5 %."""
    return 100_000 + 5_000 * np.random.default_rng(seed).normal(size=(steps, 4))


def blamed_lanes(strategy: str, seeds: range) -> list[str]:
    """Verdicts that blame a lane, of runs whose lanes are equal but for random times."""
    model = ModelSettings("mlp", width=256, depth=4)
    blamed = []
    for seed in seeds:
        specification = Specification(
            strategy,
            model,
            "4xvirtual",
            batch=256,
            steps=5,
            warmup=2,
            jitter=0.2,
            link="1:1000",
            seed=seed,
        )
        found = verdict(run_here(specification))
        assert found is not None
        if found.kind is Limit.IMBALANCE or "waiting for lane" in str(found.text):
            blamed.append(str(found.text))
    return blamed


@pytest.mark.parametrize("strategy", ["ddp", "fsdp"])
def test_equal_lanes_whose_times_scatter_are_seldom_blamed(strategy: str) -> None:
    pytest.importorskip("torch")
    blamed = blamed_lanes(strategy, range(RUNS))
    runs = RUNS
    if len(blamed) > runs // 5:
        # One in ten is usual, of which ten runs are a small sample: three times as many decide.
        blamed += blamed_lanes(strategy, range(RUNS, 3 * RUNS))
        runs = 3 * RUNS
    assert len(blamed) <= runs // 5, blamed


@pytest.mark.parametrize(("steps", "most"), [(5, 0.08), (10, 0.03), (30, 0.02)])
def test_of_equal_lanes_hardly_one_is_surely_above_the_others(steps: int, most: float) -> None:
    longest = [
        significantly_above(times)[times[0].argmax()]
        for times in (lane_times(steps, seed) for seed in range(1000))
    ]
    assert np.mean(longest) <= most


def test_a_lane_that_takes_longer_in_every_step_is_found_beside_outliers() -> None:
    found = []
    for seed in range(200):
        times = lane_times(10, seed)
        times[:, 1] += 30_000
        times[seed % 10, seed % 4] += 400_000
        found.append(significantly_above(times).tolist() == [False, True, False, False])
    assert np.mean(found) > 0.95


def test_of_one_or_two_steps_the_scatter_is_not_known() -> None:
    assert median_error(np.array([1.0, 100.0])) == 0
    assert significantly_above(np.array([[10.0, 20.0, 10.0]])).tolist() == [False, True, False]
