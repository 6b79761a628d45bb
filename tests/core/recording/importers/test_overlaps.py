"""Events that overlap by a moment, as clocks make them: the work stays on its lane."""

import json

import numpy as np
import pytest

from core.explain.ranks import rank_times
from core.plan.plan import Role
from core.recording.importers.overlaps import cut_slight_overlaps
from core.recording.recording import open_recording
from core.trace.import_issue import ImportIssue
from tests.core.recording.importers.kineto_files import kineto_file


@pytest.fixture
def opened(tmp_path):
    def write(*events):
        path = tmp_path / "trace.json"
        path.write_text(json.dumps(kineto_file(0, events)))
        return open_recording(path).trace

    return write


def kernel(name, ts, dur, stream=7):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts,
            "dur": dur, "args": {}}  # fmt: skip


def lanes_of(trace):
    """Start and end in ns of the spans of each lane."""
    return {
        lane.name: [(span.start, span.end) for span in trace if span.lane == lane.index]
        for lane in trace.header.lanes
    }


def test_kernels_that_overlap_by_a_moment_stay_on_their_stream(opened):
    trace = opened(*(kernel(f"gemm{n}", 100 * n, 100.9) for n in range(5)))
    expected = [(100_000 * n, 100_000 * (n + 1)) for n in range(4)] + [(400_000, 500_900)]
    assert lanes_of(trace) == {"stream 7": expected}
    assert trace.imported.issues == {ImportIssue.CUT_OVERLAP: 4}
    [time] = rank_times(trace)
    assert (time.compute_ns, time.idle_ns) == (500_900, 0)


def test_an_overlap_of_one_per_cent_of_the_shorter_event_is_none_of_the_clock(opened):
    for length, is_cut in ((100.0, False), (100.1, True)):
        trace = opened(kernel("long", 0, 1000), kernel("short", 999, length))
        assert (trace.imported.issues == {ImportIssue.CUT_OVERLAP: 1}) == is_cut
        assert (trace.imported.issues == {ImportIssue.NOT_NESTED: 1}) == (not is_cut)
        assert len(trace.header.lanes) == (1 if is_cut else 2)


def test_calls_inside_of_a_call_that_is_cut_end_with_it(opened):
    def call(name, ts, dur):
        return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 9, "tid": 1, "ts": ts, "dur": dur}

    trace = opened(call("outer", 0, 1001), call("inner", 400, 600.5), call("next", 1000, 500))
    assert lanes_of(trace) == {
        "thread 1": [(0, 1_000_000), (1_000_000, 1_500_000)],
        "thread 1 depth 1": [(400_000, 1_000_000)],
    }
    assert trace.imported.issues == {ImportIssue.CUT_OVERLAP: 2}


def test_calls_that_are_part_of_another_one_are_left_as_they_are(opened):
    trace = opened(kernel("graph", 0, 1000), kernel("first", 0, 10), kernel("last", 990, 10))
    assert trace.imported.issues == {}
    assert [lane.role for lane in trace.header.lanes] == [Role.COMPUTE, Role.NESTED]


def test_nothing_but_slight_overlaps_is_cut_whatever_the_events():
    random = np.random.default_rng(5)
    for _ in range(300):
        count = int(random.integers(2, 30))
        start = random.integers(0, 3000, count)
        end = start + random.integers(0, 600, count)
        order = np.lexsort((-end, start))
        start, end = start[order], end[order]
        cut = cut_slight_overlaps(start, end)
        lost = end - cut
        assert (lost >= 0).all() and (lost < (end - start) / 100 + (lost == 0)).all()
        # Whatever is cut ends where another event begins.
        assert np.isin(cut[lost > 0], start).all()
        assert slight_pairs(start, cut) == []


def slight_pairs(start, end):
    """Neighbours of the outermost row that overlap by less than 1 % of the shorter one."""
    found = []
    for later in range(1, len(start)):
        earlier = int(np.argmax(end[:later]))
        overlap = end[earlier] - start[later]
        shorter = min(end[earlier] - start[earlier], end[later] - start[later])
        if end[later] > end[earlier] and 0 < overlap < shorter / 100:
            found.append((earlier, later))
    return found
