"""Rates at which the gate fails without a change, and finds slow-downs with their reason.

On runs that are made up: of several strategies, 5 to 30 steps a side, on machines whose step times
are independent, depend on the step before, or have hiccups. Takes some minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bubblescope.cli.report import table
from core.compare.gate import Gate, judge
from core.compare.step_times import step_times
from core.plan.specification import Specification
from core.trace.median_step import whole_steps
from core.trace.trace import Trace
from tests.core.compare.gated import MODEL, Machine, Slowdown, pipeline, run_of, slowed_by

UNCHANGED, SLOWER = 200, 100
MOST_FAILING, LEAST_FAILING = 2, 95
STEPS = (5, 8, 10, 15, 20, 30)
MACHINES = {
    "independent steps": Machine(),
    "correlation 0.3": Machine(correlation=0.3),
    "correlation 0.6": Machine(correlation=0.6),
    "correlation 0.8": Machine(correlation=0.8),
    "hiccups in a tenth": Machine(hiccups=0.1),
    "hiccups, correlation 0.5": Machine(correlation=0.5, hiccups=0.1),
}
SCHEDULES = ("1f1b", "gpipe", "interleaved", "zb-h1")


@dataclass(frozen=True)
class Found:
    """A slow-down and what was found: is the reason right, and its text."""

    slowdown: Slowdown
    gate: Gate
    is_right: bool


def drawn(random: np.random.Generator) -> Specification:
    """Return a run of some strategy and number of steps on four lanes."""
    steps = int(random.choice(STEPS))
    if random.random() < 0.7:
        return pipeline(steps, schedule=str(random.choice(SCHEDULES)))
    strategy = str(random.choice(["ddp", "dp"]))
    return Specification(strategy, MODEL, "4xvirtual:cpu", batch=64, steps=steps, warmup=1)


def mean_ns(trace: Trace) -> float:
    """Return the mean of the middle half of a run's steps in ns."""
    return step_times(trace, whole_steps(trace)).mean_ns


def machine_with_scatter(random: np.random.Generator, machine: Machine) -> Machine:
    """Return the machine with a scatter between 0.5 and 5 % (log-uniform)."""
    scatter = float(np.exp(random.uniform(np.log(0.005), np.log(0.05))))
    return replace(machine, scatter=scatter)


def test_pairs_without_a_change_seldom_fail() -> None:
    rows, counts = [], []
    for number, (name, machine) in enumerate(MACHINES.items()):
        random = np.random.default_rng(number)
        noises, failed = [], 0
        for _ in range(UNCHANGED):
            run, disturbed = drawn(random), machine_with_scatter(random, machine)
            first, second = random.integers(2**31, size=2).tolist()
            gate = judge(run_of(run, disturbed, first), run_of(run, disturbed, second))
            failed += not gate.passes
            noises.append(gate.noise)
        rows.append((name, UNCHANGED, failed, f"{100 * np.median(noises):.1f} %"))
        counts.append(failed)
    print("\n" + table(("machine", "pairs", "fail", "median noise"), rows))
    assert max(counts) <= MOST_FAILING


def test_slow_downs_of_twice_the_noise_fail_with_their_reason() -> None:
    rows, right, failing = [], [], []
    for number, (name, machine) in enumerate(MACHINES.items()):
        found = [found_in(np.random.default_rng([number, n]), machine) for n in range(SLOWER)]
        failed = [one for one in found if not one.gate.passes]
        correct = sum(one.is_right for one in failed)
        rows.append((name, len(found), len(failed), correct))
        failing.append(len(failed))
        right.append(correct / len(failed))
        for one in failed:
            if not one.is_right:
                print(one.slowdown.words, one.gate.sentence)
    print("\n" + table(("machine", "pairs", "fail", "right reason"), rows))
    assert min(failing) >= LEAST_FAILING
    assert min(right) >= LEAST_FAILING / SLOWER


def found_in(random: np.random.Generator, machine: Machine) -> Found:
    """Return what the gate finds in a pair of runs with a slow-down of twice its noise."""
    run, disturbed = drawn(random), machine_with_scatter(random, machine)
    first, second = random.integers(2**31, size=2).tolist()
    before = run_of(run, disturbed, first)
    unchanged = judge(before, run_of(run, disturbed, second))
    slowdown = slowdowns(int(random.integers(4)))[int(random.integers(4))]
    wanted = 2 * unchanged.noise * unchanged.baseline.mean_ns
    after = slowed_by(wanted, run, disturbed, second, slowdown, mean_ns)
    gate = judge(before, after)
    sentence = str(gate.sentence)
    has_words = all(word in sentence for word in slowdown.words)
    names_lane = "on virtual" in sentence
    return Found(slowdown, gate, has_words and names_lane == (slowdown.lane is not None))


def slowdowns(lane: int) -> Sequence[Slowdown]:
    """Return slow-downs of each sort."""
    return (
        Slowdown(("computing", f"on virtual:{lane} costs"), lane=lane),
        Slowdown(("computing",)),
        Slowdown(("moving data",), moves=True),
        Slowdown(("waiting for the host",), late=0.1),
    )
