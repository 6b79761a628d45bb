"""Rows that spans share are kept once, and come back as they were."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import core.trace.table as table_module
from core.trace.columns import StepBounds
from core.trace.table import TASK_DTYPE, TaskTable

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-1, 2), st.lists(st.integers(0, 4), max_size=3)),
    max_size=30,
)


def rows_of(told):
    rows = np.zeros(len(told), TASK_DTYPE)
    rows["task"] = [task for task, _, _ in told]
    rows["stage"] = [stage for _, stage, _ in told]
    rows["after_count"] = [len(after) for *_, after in told]
    waits = [entry for *_, after in told for entry in after]
    return rows, np.array(waits, np.int32)


def told_by(table, places):
    found = []
    for row in table.rows[places]:
        first, count = int(row["after"]), int(row["after_count"])
        found.append((row["task"], row["stage"], table.after[first : first + count].tolist()))
    return found


@given(st.lists(ROWS, max_size=5))
def test_what_goes_in_comes_out_whatever_was_in_before(batches):
    table = TaskTable()
    places = [table.places(*rows_of(told)) for told in batches]
    for told, where in zip(batches, places, strict=True):
        assert told_by(table, where) == told
    distinct = {(task, stage, tuple(after)) for told in batches for task, stage, after in told}
    assert len(table) == len(distinct)


@given(st.lists(ROWS, max_size=3))
def test_rows_with_the_same_key_are_not_mistaken_for_each_other(batches):
    before = table_module._mixed
    table_module._mixed = lambda values: values & np.uint64(1)
    try:
        table = TaskTable()
        for told in batches:
            told = [(task, stage, []) for task, stage, _ in told]
            assert told_by(table, table.places(*rows_of(told))) == told
    finally:
        table_module._mixed = before


def test_a_step_like_the_one_before_adds_nothing():
    table = TaskTable()
    told = [(n, n % 2, [n - 1] if n else []) for n in range(50)]
    table.places(*rows_of(told))
    table.places(*rows_of(told))
    assert len(table) == 50


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
