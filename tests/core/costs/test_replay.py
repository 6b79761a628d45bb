"""Replays of many sets of durations agree with the simulation of one."""

import numpy as np
import pytest

from core.costs.meetings import meeting
from core.costs.replay import Replay
from core.costs.simulate import makespan_ns
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.trace.step import StepColumns
from tests.core.helpers import plan_of

MODEL = ModelSettings("mlp", width=16, depth=8)
RUNS = [
    ("single", {}),
    ("dp", {}),
    ("ddp", {}),
    ("fsdp", {}),
    ("tp", {}),
    ("pipeline", {"schedule": "1f1b", "microbatches": 8}),
    ("pipeline", {"schedule": "interleaved", "microbatches": 8}),
    ("pipeline", {"schedule": "zb-h1", "microbatches": 8}),
    ("dp-pp", {"replicas": 2, "microbatches": 4}),
]


def step_of(strategy: str, options: dict[str, object]) -> tuple[StepColumns, np.ndarray]:
    devices = "1xvirtual:cpu" if strategy == "single" else "4xvirtual:cpu"
    plan = plan_of(Specification(strategy, MODEL, devices, batch=32).having(**options))
    columns = StepColumns.of_plan(plan)
    return columns, meeting(columns, plan.lanes)


@pytest.mark.parametrize(("strategy", "options"), RUNS)
def test_a_replay_is_as_long_as_the_simulation(strategy, options) -> None:
    columns, meets = step_of(strategy, options)
    durations = np.random.default_rng(1).integers(0, 1_000_000, (20, len(columns)))
    found = Replay.of(columns, meets).makespans(durations)
    assert found.tolist() == [makespan_ns(columns, one, meets) for one in durations]


def test_many_sets_are_replayed_in_parts(monkeypatch) -> None:
    columns, meets = step_of(*RUNS[5])
    durations = np.random.default_rng(1).integers(0, 1_000_000, (20, len(columns)))
    replay = Replay.of(columns, meets)
    whole = replay.makespans(durations)
    monkeypatch.setattr("core.costs.replay.MOST_TIMES", 3 * len(columns))
    assert (replay.makespans(durations) == whole).all()


def test_no_sets_have_no_lengths() -> None:
    columns, meets = step_of(*RUNS[0])
    assert Replay.of(columns, meets).makespans(np.empty((0, len(columns)))).shape == (0,)


def test_collectives_in_orders_that_deadlock_are_refused() -> None:
    columns, meets = step_of("fsdp", {})
    members = np.flatnonzero(meets >= 0)
    lanes = columns.lane[members]
    first, second = (members[lanes == lane][:2] for lane in np.unique(lanes)[:2])
    assert len(first) == 2, "the run has two collectives"
    crossed = np.full(len(columns), -1)
    crossed[first], crossed[second] = (0, 1), (1, 0)
    with pytest.raises(PlanError, match="deadlock"):
        Replay.of(columns, crossed)
