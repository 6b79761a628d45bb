"""Plans' tasks are told once, and spans find them by plan and number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.trace.spans import TaskTable, blank_rows
from core.trace.step_bounds import StepBounds

PLANS = st.lists(
    st.lists(st.tuples(st.integers(-1, 2), st.lists(st.integers(0, 4), max_size=3)), max_size=9),
    min_size=1, max_size=5,
)  # fmt: skip


def table_of(plans):
    table = TaskTable()
    for tasks in plans:
        rows = blank_rows(len(tasks))
        rows["stage"] = [stage for stage, _ in tasks]
        rows["after_count"] = [len(after) for _, after in tasks]
        table.add(rows, np.array([entry for _, after in tasks for entry in after], np.int32))
    return table


@given(PLANS)
def test_every_task_of_every_plan_comes_back_as_it_was_told(plans):
    table = table_of(plans)
    for plan, tasks in enumerate(plans):
        places = table.rows_of(np.full(len(tasks), plan, np.int32), np.arange(len(tasks)))
        assert places.tolist() == list(range(len(table))[table.plan(plan)])
        for task, row in enumerate(table.rows[places]):
            first, count = int(row["after"]), int(row["after_count"])
            told = int(row["stage"]), table.after[first : first + count].tolist()
            assert told == tasks[task] and (row["plan"], row["task"]) == (plan, task)


@pytest.mark.parametrize(("plan", "task"), [(-1, 0), (2, 0), (0, -1), (0, 2), (1, 1)])
def test_a_task_that_was_not_told_is_refused(plan, task):
    table = table_of([[(0, []), (0, [])], [(0, [])]])
    with pytest.raises(LookupError, match="a span is of a"):
        table.rows_of(np.array([plan]), np.array([task]))


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=8), max_size=6))
def test_bounds_of_steps_in_any_order(batches):
    table, known = StepBounds(), {}
    for batch in batches:
        steps = np.array([step for step, _ in batch], np.int32)
        starts = np.array([start for _, start in batch], np.int64)
        table.widen(steps, starts, starts + 5)
        for step, start in batch:
            first, last = known.get(step, (start, start + 5))
            known[step] = (min(first, start), max(last, start + 5))
    assert table.numbers.tolist() == sorted(known)
    assert [table.find(step) for step in sorted(known)] == [known[step] for step in sorted(known)]
