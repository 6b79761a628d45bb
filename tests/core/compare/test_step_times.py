"""How much step times differ by chance, with independent steps and with steps that follow on."""

import numpy as np
import pytest

from core.compare.step_times import CHANCE, noise_ns, step_times, student_quantile
from core.trace.median_step import whole_steps
from core.trace.trace import Trace
from tests.core.compare.gated import Machine, pipeline, run_of
from tests.make_believe import specification, trace_of

PAIRS = 100


def times_of(trace: Trace):
    return step_times(trace, whole_steps(trace))


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(2, 22.327), (3, 10.215), (4, 7.173), (6, 5.208), (10, 4.144)]
)
def test_quantiles_of_student_are_those_of_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom, 0.001) == pytest.approx(quantile, abs=0.001)


def test_the_mean_is_that_of_the_middle_half() -> None:
    trace = trace_of(specification(steps=8, warmup=0), scale=[1, 9, 1.1, 1.2, 1.3, 1.4, 0.1, 1.5])
    found = times_of(trace)
    lengths = [trace.step_bounds(step)[1] - trace.step_bounds(step)[0] for step in trace.steps]
    assert found.steps == tuple(trace.steps) and found.middle == (2, 3, 4, 5)
    assert found.mean_ns == pytest.approx(np.mean(lengths[2:6]))


def test_steps_that_are_all_the_same_have_no_noise() -> None:
    found = times_of(trace_of(specification(steps=5)))
    assert found.variance == 0 and noise_ns(found, found) == 0


def test_too_few_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="4 steps are too few; 5 are needed"):
        times_of(trace_of(specification(steps=4)))


def test_steps_of_another_plan_do_not_count() -> None:
    # The last batch of the epoch has 4 rows instead of 32.
    trace = trace_of(specification(warmup=0, data=6 * 32 + 4, batch=32))
    assert len(trace.steps) == 7 and times_of(trace).steps == tuple(trace.steps[:6])


@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_runs_without_a_change_differ_by_less_than_the_noise(correlation: float) -> None:
    machine = Machine(correlation=correlation, jitter=0.0)
    run = pipeline(10, lanes=2, microbatches=2)
    beyond = 0
    for seed in range(PAIRS):
        a, b = (times_of(run_of(run, machine, 2 * seed + side)) for side in (0, 1))
        beyond += abs(a.mean_ns - b.mean_ns) > noise_ns(a, b)
    # Twice the chance of one direction, with room for what correlation adds.
    assert beyond <= 10 * CHANCE * PAIRS


def test_correlated_steps_have_more_noise_than_independent_ones() -> None:
    run = pipeline(20, lanes=2, microbatches=2)

    def usual(correlation: float) -> float:
        machine = Machine(correlation=correlation, jitter=0.0)
        found = [times_of(run_of(run, machine, seed)) for seed in range(20)]
        return float(np.median([one.variance for one in found]))

    assert usual(0.8) > 2 * usual(0.0)
