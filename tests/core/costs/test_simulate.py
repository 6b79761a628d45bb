"""When tasks run: on lanes in one pass, in ranks with collectives that meet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.costs.meetings import meeting
from core.costs.simulate import in_time_order, simulate
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.division import Part
from core.plan.plan import Lane, Plan
from core.plan.specification import Specification
from core.plan.task import Kind, Task, TaskColumns, add_task
from core.trace.step import StepColumns
from tests.core.helpers import plan_of, trace_of

DDP = Specification("ddp", ModelSettings("mlp", width=512, depth=4), "3xcpu", batch=6)
STRATEGIES = [
    Specification("single", ModelSettings("mlp"), "cpu", batch=4),
    Specification("dp", ModelSettings("mlp"), "3xcpu", batch=7),
    Specification("mp", ModelSettings("mlp"), "2xcpu", batch=4),
    Specification("pipeline", ModelSettings("mlp"), "3xcpu", batch=9, microbatches=4),
    Specification("dp-pp", ModelSettings("mlp"), "4xcpu", batch=9, microbatches=2),
    Specification("tp", ModelSettings("mlp"), "4xcpu", batch=9),
]


def plan_with(tasks: list[Task], lanes: int) -> Plan:
    names = tuple(Lane(i, f"cpu:{i}", "cpu", serves=i % 2) for i in range(lanes))
    parts = (Part(0, 0, 0, 1),)
    return Plan(names, (), (), parts, TaskColumns.of(tasks), replicas=lanes)


def of(tasks: list[Task], durations: list[int], collectives: bool = True) -> StepColumns:
    plan = plan_with(tasks, 4)
    columns = StepColumns.of_plan(plan)
    meets = meeting(columns, plan.lanes) if collectives else None
    return simulate(columns, np.array(durations), meets)


@pytest.mark.parametrize("specification", STRATEGIES, ids=lambda s: s.strategy)
@given(data=st.data())
def test_a_task_starts_when_its_lane_is_free_and_all_that_it_waits_for_has_ended(
    specification, data
):
    plan = plan_of(specification)
    one = st.integers(0, 10**9)
    durations = data.draw(st.lists(one, min_size=len(plan.tasks), max_size=len(plan.tasks)))
    columns = simulate(StepColumns.of_plan(plan), np.array(durations))
    assert columns.duration.tolist() == durations
    free, ends = [0] * len(plan.lanes), columns.end.tolist()
    for task, start, end in zip(plan.tasks, columns.start.tolist(), ends, strict=True):
        assert start == max([free[task.lane], *(ends[other] for other in task.after)])
        free[task.lane] = end


def test_a_measured_step_simulated_with_its_own_durations_forgets_when_it_was_launched():
    specification = STRATEGIES[3]
    plan = plan_of(specification)
    trace = trace_of(plan, list(range(1, len(plan.tasks) + 1)), specification)
    measured = StepColumns.of_trace(trace, 0)
    again = simulate(measured, measured.duration)
    assert again.start.tolist() == measured.start.tolist()
    assert again.end.tolist() == measured.end.tolist()
    assert set(again.launched.tolist()) == {-1}


def test_a_plan_without_tasks_has_no_times():
    for collectives in (False, True):
        assert len(of([], [], collectives)) == 0


def test_a_collective_begins_on_each_rank_when_it_is_ready_and_ends_after_the_last_has_begun():
    tasks: list[Task] = []
    first = add_task(tasks, Kind.BACKWARD, 0, block=0)
    second = add_task(tasks, Kind.BACKWARD, 1, block=0)
    add_task(tasks, Kind.ALL_REDUCE, 2, [first], bucket=0, replica=0)
    add_task(tasks, Kind.ALL_REDUCE, 3, [second], bucket=0, replica=1)
    columns = of(tasks, [10, 30, 5, 7])
    assert columns.start.tolist() == [0, 0, 10, 30]
    assert columns.end.tolist() == [10, 30, 35, 37]


def test_lanes_meet_in_a_collective_though_one_rank_is_planned_wholly_before_the_other():
    tasks: list[Task] = []
    for rank, blocks in ((0, (0, 1)), (1, (0, 1))):
        for block in blocks:
            gather = add_task(tasks, Kind.ALL_GATHER, 2 + rank, block=block, replica=rank)
            add_task(tasks, Kind.FORWARD, rank, [gather], block=block, replica=rank)
    columns = of(tasks, [1, 10, 1, 10, 4, 20, 4, 20])
    assert columns.end.tolist() == [1, 11, 5, 21, 4, 24, 8, 44]


def test_the_kth_collective_of_a_block_meets_the_kth_of_the_other_ranks():
    tasks: list[Task] = []
    for rank in (0, 1):
        for _ in range(2):
            add_task(tasks, Kind.ALL_GATHER, rank, block=0, replica=rank)
    columns = of(tasks, [3, 5, 10, 1])
    assert columns.start.tolist() == [0, 3, 0, 10]
    assert columns.end.tolist() == [3, 15, 10, 11]


def test_collectives_in_orders_that_do_not_match_are_refused():
    tasks: list[Task] = []
    for rank, buckets in ((0, (0, 1)), (1, (1, 0))):
        for bucket in buckets:
            add_task(tasks, Kind.ALL_REDUCE, rank, bucket=bucket, replica=rank)
    with pytest.raises(PlanError, match="collectives deadlock: task 0 never ends"):
        of(tasks, [1] * 4)


def test_without_meeting_collectives_ddp_ends_as_its_slowest_rank_does():
    plan = plan_of(DDP)
    slow = [5 if task.lane == 1 else 1 for task in plan.tasks]
    columns = StepColumns.of_plan(plan)
    alone = simulate(columns, np.array(slow))
    met = simulate(columns, np.array(slow), meeting(columns, plan.lanes))
    steps = [task.index for task in plan.tasks if task.kind is Kind.STEP]
    assert len(set(alone.end[steps].tolist())) == 2
    # Rank 1's own step takes 5 where the others take 1; all begin it after the same collective.
    assert len(set(met.start[steps].tolist()) - {met.start[steps[1]]}) <= 1
    assert met.start[steps[0]] > alone.start[steps[0]]


@pytest.mark.parametrize("first", range(3))
def test_if_several_lanes_could_begin_the_lane_whose_turn_it_is_goes_first(first):
    columns = StepColumns.of_plan(plan_of(DDP))
    meets = meeting(columns, plan_of(DDP).lanes).tolist()
    lanes = int(columns.lane.max()) + 1
    turn = [(lane - first) % lanes for lane in range(lanes)]
    begun: dict[int, list[int]] = {}

    def lasts(task: int, start: int, at: int) -> int:
        begun.setdefault(at, []).append(int(columns.lane[task]))
        return 0 if meets[task] >= 0 else 1 + len(begun)

    in_time_order(columns, meets, lasts, turn)
    # The lanes of the three ranks all begin at 0.
    assert begun[0][:3] == [first, (first + 1) % 3, (first + 2) % 3]
