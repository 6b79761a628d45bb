"""Two runs that differ by no more than their steps scatter are not told apart."""

from itertools import pairwise

import pytest

from core.compare.runs import compare_runs
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.trace.trace import Trace
from tests.core.compare.gated import Machine, pipeline, run_of
from tests.core.helpers import run_here

pytest.importorskip("torch")

PAIRS = 10
MOST_DIFFERENT = PAIRS // 5
MODEL = ModelSettings("mlp", width=256, depth=4)


def run_with(seed: int, slow_kind: str | None = None) -> Trace:
    """A run on equal lanes whose times scatter."""
    return run_here(
        Specification(
            "ddp", MODEL, "2xvirtual", batch=128, steps=7, warmup=2, jitter=0.2, seed=seed,
            slow_kind=slow_kind,
        )
    )  # fmt: skip


@pytest.mark.alone
def test_runs_of_the_same_settings_seldom_differ() -> None:
    different = different_pairs()
    for _ in range(2):
        if len(different) > MOST_DIFFERENT:  # other programs may slow a whole run down
            different = different_pairs()
    assert len(different) <= MOST_DIFFERENT, different


def different_pairs() -> list[str]:
    """Run `PAIRS` + 1 times, and return what is said of neighbours that are told apart."""
    return told_apart([run_with(seed) for seed in range(PAIRS + 1)])


def told_apart(runs: list[Trace]) -> list[str]:
    """Return the sentences of neighbouring runs of which one is said to be slower."""
    told = [str(compare_runs(one, other).sentence()) for one, other in pairwise(runs)]
    return [text for text in told if " slower (" in text or " faster (" in text]


@pytest.mark.alone
def test_a_run_whose_passes_take_three_times_as_long_is_longer() -> None:
    two = compare_runs(run_with(1), run_with(2, "forward:3 backward:3"))
    assert two.noise_ns > 0 and " slower (" in str(two.sentence())


def test_steps_that_are_chosen_are_compared_as_they_are() -> None:
    a, b = run_with(1), run_with(2)
    steps = [a.steps[-1]]
    assert compare_runs(a, b, steps, steps).noise_ns == 0


def test_steps_that_are_disturbed_alike_do_not_tell_equal_runs_apart() -> None:
    run, machine = pipeline(15), Machine(correlation=0.8)
    runs = [run_of(run, machine, seed) for seed in range(2 * PAIRS + 1)]
    assert len(told_apart(runs)) <= MOST_DIFFERENT
