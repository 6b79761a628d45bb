"""Tasks of other programs' traces are paired by name, lane, and turn in their step."""

import json

from core.compare.matching import StepTasks, match_steps
from core.recording.recording import open_recording
from tests.core.recording.importers.kineto_files import kineto_file

STEP_US = 1000


def opened(path, swapped=False):
    """Two steps: on streams 7 and 20 kernels of one name by turns, in step 2 in another order."""
    events = []
    for step in range(2):
        at = step * STEP_US
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}",
                       "pid": 9, "tid": 9, "ts": at, "dur": STEP_US, "args": {}})  # fmt: skip
        for turn in range(3):
            for place, stream in enumerate((7, 20)):
                late = 10 * (1 - place if swapped and step else place)
                events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": stream,
                               "ts": at + 100 * turn + late, "dur": 50 + turn + 10 * place,
                               "args": {}})  # fmt: skip
    path.write_text(json.dumps(kineto_file(0, events)))
    return open_recording(path).trace


def test_kernels_of_one_name_are_paired_on_their_streams_in_order(tmp_path):
    trace = opened(tmp_path / "trace.json", swapped=True)
    a, b = (StepTasks.of(trace, step) for step in trace.steps)
    matches = match_steps(a, b)
    assert len(matches) == 6
    assert (a.lane[matches.of_a] == b.lane[matches.of_b]).all()
    lasts = [(one.end - one.start)[of] for one, of in ((a, matches.of_a), (b, matches.of_b))]
    assert lasts[0].tolist() == lasts[1].tolist()


def test_streams_of_other_numbers_are_paired_all_the_same(tmp_path):
    a = StepTasks.of(opened(tmp_path / "a.json"), 0)
    other = kineto_file(0, json.loads((tmp_path / "a.json").read_text())["traceEvents"])
    for event in other["traceEvents"]:
        event["tid"] = {7: 8, 20: 21}.get(event["tid"], event["tid"])
    (tmp_path / "b.json").write_text(json.dumps(other))
    b = StepTasks.of(open_recording(tmp_path / "b.json").trace, 0)
    assert len(match_steps(a, b)) == 6
