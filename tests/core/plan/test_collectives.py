"""Members of a collective start together, whatever else their lanes have to do."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.costs.simulate import simulate
from core.models.catalogue import ModelSettings
from core.plan.collectives import start_together
from core.plan.specification import Specification
from core.plan.task import Kind, Task, TaskColumns
from core.trace.step import StepColumns
from tests.core.helpers import planned

MODEL = ModelSettings("mlp", width=12, depth=8)
RINGS = [
    Specification("dp-pp", MODEL, "4xcpu", batch=16, schedule="1f1b", microbatches=4),
    Specification("dp-pp", MODEL, "4xcuda:0", batch=16, schedule="interleaved", microbatches=4),
    Specification("dp-pp", MODEL, "8xcpu", batch=16, schedule="zb-v", microbatches=2, replicas=4),
    Specification("dp-pp", MODEL, "8xcuda:0", batch=16, schedule="chimera", microbatches=4),
    Specification("pipeline", MODEL, "4xcpu", batch=16, schedule="chimera", microbatches=4),
    Specification("pipeline", MODEL, "4xcuda:0", batch=16, schedule="chimera", microbatches=4),
    Specification("tp", MODEL, "4xcpu", batch=16),
    Specification("tp", ModelSettings("gpt", width=16, depth=2, heads=4, sequence=6), "4xcpu"),
]


def starts_by_ring(columns: StepColumns) -> list[set[int]]:
    """The starts (ns) of every ring's members, by what they sum and how often their lane has."""
    rings: dict[tuple[int, ...], set[int]] = defaultdict(set)
    seen: dict[tuple[int, ...], int] = defaultdict(int)
    for place, task in enumerate(columns.tasks()):
        if task.kind is not Kind.ALL_REDUCE:
            continue
        ring = (task.payload, task.stage)
        member = (*ring, task.lane, task.replica)
        rings[*ring, seen[member]].add(int(columns.start[place]))
        seen[member] += 1
    return list(rings.values())


@pytest.mark.parametrize("specification", RINGS, ids=lambda s: f"{s.strategy} {s.devices}")
@given(seed=st.integers(0, 2**32 - 1))
def test_members_start_together_though_their_lanes_are_free_at_different_times(
    specification: Specification, seed: int
) -> None:
    columns = StepColumns.of_plan(planned(specification))
    durations = np.random.default_rng(seed).integers(0, 10**6, len(columns))
    rings = starts_by_ring(simulate(columns, durations))
    assert rings and all(len(starts) == 1 for starts in rings)


def test_a_member_waits_for_the_preceding_tasks_of_all_members() -> None:
    tasks = [
        Task(0, Kind.BACKWARD, 0, stage=0, replica=0),
        Task(1, Kind.BACKWARD, 1, stage=0, replica=1),
        Task(2, Kind.BACKWARD, 1, stage=1, replica=1),
        Task(3, Kind.ALL_REDUCE, 0, stage=0, replica=0, after=(0, 1)),
        Task(4, Kind.ALL_REDUCE, 1, stage=0, replica=1, after=(0, 1)),
    ]
    together = start_together(TaskColumns.of(tasks))
    assert [task.after for task in together.tasks()[3:]] == [(0, 1, 2), (0, 1, 2)]
    assert together.tasks()[:3] == tuple(tasks[:3])


def test_replicas_whose_lane_is_one_take_turns_on_it() -> None:
    tasks = [
        Task(0, Kind.BACKWARD, 0, stage=0, replica=0),
        Task(1, Kind.ALL_REDUCE, 0, stage=0, replica=0, after=(0,)),
        Task(2, Kind.ALL_REDUCE, 0, stage=0, replica=1, after=(0,)),
    ]
    assert start_together(TaskColumns.of(tasks)) == TaskColumns.of(tasks)


def test_a_plan_without_collectives_stays_as_it_is() -> None:
    columns = TaskColumns.of([Task(0, Kind.FORWARD, 0), Task(1, Kind.COPY, 1, after=(0,))])
    assert start_together(columns) is columns
