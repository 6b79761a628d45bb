"""The spans of a lane, to which later ones are added."""

import numpy as np
import pytest

from core.trace.spans import Spans, TaskTable, blank_rows


def table():
    made = TaskTable()
    made.add(blank_rows(3), np.empty(0, np.int32))
    return made


def spans(of, starts, step=0, launched=None):
    start = np.array(starts, np.int64)
    return Spans(
        of, start, start + 5, np.full(len(start), step, np.int32),
        np.arange(len(start), dtype=np.int32) % 3,
        launched=None if launched is None else np.array(launched, np.int64),
    )  # fmt: skip


def test_what_was_there_stays_as_it_was_when_later_spans_are_added():
    of, left = table(), []
    lane = Spans.empty(of)
    for step in range(200):
        lane = lane.with_later(spans(of, [20 * step, 20 * step + 10], step))
        left.append(lane)
    assert lane.start.tolist() == list(range(0, 4000, 10))
    for step, earlier in enumerate(left):
        assert earlier.start.tolist() == list(range(0, 20 * (step + 1), 10))
        assert earlier.step[-1] == step and len(earlier["lane"]) == 2 * (step + 1)


def test_two_continuations_of_the_same_spans_do_not_meet():
    of = table()
    begun = Spans.empty(of).with_later(spans(of, [0, 10]))
    first = begun.with_later(spans(of, [20]))
    second = begun.with_later(spans(of, [30, 40]))
    assert first.with_later(spans(of, [50])).start.tolist() == [0, 10, 20, 50]
    assert second.start.tolist() == [0, 10, 30, 40] and begun.start.tolist() == [0, 10]


def test_a_moment_that_only_later_spans_have_is_absent_before():
    of = table()
    lane = Spans.empty(of).with_later(spans(of, [0])).with_later(spans(of, [10], launched=[8]))
    assert lane["launched"].tolist() == [-1, 8] and lane.ready is None


def test_steps_that_go_back_are_refused_and_leave_no_trace():
    of = table()
    lane = Spans.empty(of).with_later(spans(of, [10], 1))
    with pytest.raises(ValueError, match="go back"):
        lane.with_later(spans(of, [20], 0))
    assert lane.with_later(spans(of, [30], 2)).step.tolist() == [1, 2]


def test_a_late_span_leaves_what_was_there_as_it_was():
    of = table()
    lane = Spans.empty(of).with_later(spans(of, [10, 50, 60]))
    later = lane.with_later(spans(of, [20]))
    assert lane.start.tolist() == [10, 50, 60] and later.start.tolist() == [10, 20, 50, 60]
    assert later.with_later(spans(of, [70])).start.tolist() == [10, 20, 50, 60, 70]


def test_a_late_span_that_is_refused_leaves_the_lane_as_it_was():
    of = table()
    lane = Spans.empty(of).with_later(spans(of, [10], 0)).with_later(spans(of, [50, 60], 1))
    with pytest.raises(ValueError, match="go back"):
        lane.with_later(spans(of, [20], 5))
    assert lane.start.tolist() == [10, 50, 60] and lane.step.tolist() == [0, 1, 1]
