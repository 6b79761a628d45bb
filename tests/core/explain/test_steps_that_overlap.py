"""Steps of another program's trace may overlap: who works for one is not idle for the next."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.explain.intervals import subtract
from core.explain.run_step import explain_run_step
from core.recording.recording import open_recording

SPANS = st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda s: (s[0], sum(s)))
TWO_RANKS = Path(__file__).parents[2] / "data" / "two-ranks"


def test_no_lane_is_idle_while_it_works_for_another_step():
    trace = open_recording(TWO_RANKS).trace
    told = 0
    for step in trace.steps:
        found = explain_run_step(trace, step)
        for lane in found.lanes:
            spans = trace.spans(lane.index)
            mine = slice(*found.lane_first[lane.index : lane.index + 2].tolist())
            pieces = zip(found.start[mine].tolist(), found.end[mine].tolist(), strict=True)
            for start, end in pieces:
                assert start < end and not ((spans.start < end) & (spans.end > start)).any()
                told += 1
    assert told


@given(st.lists(st.integers(0, 60), max_size=16), st.lists(SPANS, max_size=8))
def test_what_is_cut_out_is_what_the_others_cover(ends, busy):
    ends = sorted(set(ends))[: len(set(ends)) // 2 * 2]
    start, end = (np.array(ends[n::2], np.int64) for n in (0, 1))
    busy = np.array(sorted(busy), np.int64).reshape(-1, 2)
    piece, begins, finishes = subtract(start, end, busy[:, 0], busy[:, 1])
    left = {at for a, b in zip(begins, finishes, strict=True) for at in range(a, b)}
    whole = {at for a, b in zip(start, end, strict=True) for at in range(a, b)}
    assert left == whole - {at for a, b in busy.tolist() for at in range(a, b)}
    assert ((start[piece] <= begins) & (finishes <= end[piece]) & (begins < finishes)).all()
    assert (np.diff(begins) > 0).all()
