"""Navigation from a task to the same task of another step."""

import json

from core.recording.recording import open_recording
from gui.timeline.state.navigation import same_in
from tests.core.recording.importers.kineto_files import kineto_file


def test_navigation_finds_the_kth_kernel_of_a_name_in_another_step(tmp_path):
    events = []
    for step in range(2):
        own = {"ph": "X", "args": {}}
        events.append({**own, "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 9,
                       "tid": 9, "ts": 1000 * step, "dur": 1000})  # fmt: skip
        for turn in range(3):
            events.append({**own, "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
                           "ts": 1000 * step + 100 * turn, "dur": 50})  # fmt: skip
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(kineto_file(0, events)))
    trace = open_recording(path).trace
    for turn in range(3):
        there = same_in(trace, trace.span(0, turn), 1)
        assert there is not None and (there.step, there.index) == (1, 3 + turn)
        assert same_in(trace, there, 0) == trace.span(0, turn)
