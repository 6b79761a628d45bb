"""Two runs that differ by no more than their steps scatter are not told apart."""

from itertools import pairwise

import pytest

from core.compare.runs import compare_runs
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.trace.trace import Trace
from tests.core.helpers import run_here

pytest.importorskip("torch")

PAIRS = 10
MODEL = ModelSettings("mlp", width=256, depth=4)


def run_with(seed: int, slow_kind: str | None = None) -> Trace:
    """A run on equal lanes whose times scatter."""
    return run_here(
        Specification(
            "ddp", MODEL, "2xvirtual", batch=128, steps=7, warmup=2, jitter=0.2, seed=seed,
            slow_kind=slow_kind,
        )
    )  # fmt: skip


def test_runs_of_the_same_settings_seldom_differ() -> None:
    runs = [run_with(seed) for seed in range(PAIRS + 1)]
    told = [str(compare_runs(one, other).sentence()) for one, other in pairwise(runs)]
    different = [text for text in told if " slower (" in text or " faster (" in text]
    assert len(different) <= PAIRS // 5, different


def test_a_run_whose_passes_take_three_times_as_long_is_longer() -> None:
    two = compare_runs(run_with(1), run_with(2, "forward:3 backward:3"))
    assert two.noise_ns > 0 and " slower (" in str(two.sentence())


def test_steps_that_are_chosen_are_compared_as_they_are() -> None:
    a, b = run_with(1), run_with(2)
    steps = [a.steps[-1]]
    assert compare_runs(a, b, steps, steps).noise_ns == 0
