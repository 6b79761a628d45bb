"""Another program's trace, or a folder of ranks, saved as a recording and opened again."""

import json
from pathlib import Path

import numpy as np
import pytest

import core.recording.exporters.recording as exported
from core.errors import RecordingError
from core.explain.ranks import rank_times
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.trace.imported import Imported
from core.trace.own_steps import with_range, with_steps
from core.trace.spans import MOMENTS, TASK_DTYPE
from core.trace.trace import Trace
from tests.core.recorder.made import two_ranks, write_rank
from tests.core.recording.importers.foreign_files import (
    MEGASCAN,
    flight_dump,
    nsight_export,
    perfetto_trace,
)

TWO_RANKS = Path(__file__).parents[3] / "data" / "two-ranks"
PAINTED = [
    {"ph": "X", "ts": 7, "dur": 5, "name": "b", "cname": "good", "args": {"n": [1, {"deep": 2}]}},
    {"ph": "X", "ts": 0, "dur": 5, "name": "a\u202e", "tid": 4},
    {"ph": "C", "ts": 3, "name": "held", "args": {"bytes": 12.5}},
    {"ph": "B", "ts": 90},
    {"ph": "X", "ts": 10, "dur": 1, "name": "step 7", "tid": 9},
    {"ph": "X", "ts": 30, "dur": 1, "name": "a\u202e", "tid": 4, "args": {"m": "x" * 9000}},
]


def everything(trace: Trace) -> dict[str, object]:
    """All that a trace tells, as plain values."""
    lanes = [trace.spans(lane.index) for lane in trace.header.lanes]
    table = trace.table
    imported = trace.imported or Imported()
    return {
        "header": trace.header,
        "rows": {n: table.rows[n].tolist() for n in TASK_DTYPE.names if n != "name"},
        "after": table.after.tolist(),
        "names": [table.names[n] if n >= 0 else "" for n in table.rows["name"].tolist()],
        "spans": [
            {name: spans[name].tolist() for name in ("start", "end", "step", "row", *MOMENTS)}
            for spans in lanes
        ],
        "steps": {name: array.tolist() for name, array in trace.step_table.arrays.items()},
        "bounds": trace.bounds,
        "issues": dict(imported.issues),
        "colours": None if imported.colours is None else imported.colours.tolist(),
        "arguments": None if imported.arguments is None else dict(imported.arguments.every()),
        "counters": counted(trace.counters),
        "counter places": dict(imported.counter_places),
        "clocks": counted(trace.clocks),
        "logs": list(trace.logs),
        "costs": trace.costs,
    }  # fmt: skip


def counted(counters) -> dict[object, object]:
    """The values of counters."""
    return {
        key: {name: array.tolist() for name, array in counter.arrays.items()}
        for key, counter in counters.items()
        if len(counter.times)
    }


def saved(trace: Trace, path: Path) -> Path:
    """The trace as a recording."""
    assert list(write_recording(trace, path))[-1] <= 1
    return path


@pytest.fixture(params=["painted", "two ranks", "rank files", "megascan", "flight", "nsight",
                        "perfetto", "marked"])  # fmt: skip
def trace(request, tmp_path) -> Trace:
    path = tmp_path / "file"
    match request.param:
        case "painted" | "marked":
            path.write_text(json.dumps(PAINTED))
        case "two ranks":
            path = TWO_RANKS
        case "rank files":
            path.mkdir()
            two_ranks(path)
        case "megascan":
            path.write_text(json.dumps(MEGASCAN))
        case "flight":
            path.write_bytes(flight_dump())
        case "nsight":
            nsight_export(path)
        case "perfetto":
            path.write_bytes(perfetto_trace())
    opened = open_recording(path).trace
    return with_steps(opened, [(9_000, 9_000)]) if request.param == "marked" else opened


def test_a_saved_trace_opens_as_it_was(trace, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    wanted = everything(trace)
    path = saved(trace, tmp_path / "saved.arrow")
    opened = open_recording(path)
    assert opened.warning == ""
    assert everything(opened.trace) == wanted
    indexed = open_recording(path, indexed_from=1)
    assert indexed.warning == "" and everything(indexed.trace) == wanted
    again = saved(indexed.trace, tmp_path / "again.arrow")
    assert everything(open_recording(again).trace) == wanted


@pytest.mark.parametrize(
    ("ts", "dur"),
    [(2.3e15, 5), (2.305843e15, 900), (-2.305e15, 1), (0, 2.305e15), (2e15, 3.9e15)],
)  # fmt: skip
def test_a_trace_with_times_near_and_beyond_the_last_that_are_kept_opens_saved_as_it_was(
    tmp_path, ts, dur
) -> None:
    """What is beyond is left out of the trace, not of its recording."""
    file = tmp_path / "file.json"
    late = {"ph": "X", "ts": ts, "dur": dur, "name": "late"}
    counted = {"ph": "C", "ts": ts, "name": "held", "args": {"bytes": 1}}
    file.write_text(json.dumps([*PAINTED, late, counted]))
    trace = open_recording(file).trace
    assert everything(open_recording(saved(trace, tmp_path / "s.arrow")).trace) == everything(trace)


def test_a_trace_that_begins_with_a_moment_opens_saved_as_it_was(tmp_path) -> None:
    file = tmp_path / "file.json"
    moments = [{"ph": "X", "ts": ts, "tid": ts, "name": "a"} for ts in (0, 1)]
    file.write_text(json.dumps(moments))
    trace = open_recording(file).trace
    assert trace.bounds == (0, 1000)
    assert everything(open_recording(saved(trace, tmp_path / "s.arrow")).trace) == everything(trace)


@pytest.mark.parametrize("ts", [2.3e15, 3.9e15])
def test_a_trace_that_begins_late_opens_saved_as_it_was(tmp_path, ts) -> None:
    file = tmp_path / "file.json"
    counted = {"ph": "C", "ts": ts + 3, "name": "held", "args": {"bytes": 1}}
    file.write_text(json.dumps([{**PAINTED[0], "ts": ts}, counted]))
    trace = open_recording(file).trace
    assert trace.bounds == (0, 5000)
    assert everything(open_recording(saved(trace, tmp_path / "s.arrow")).trace) == everything(trace)


@pytest.mark.parametrize(
    ("first", "last"), [(-2.3e15, 2.3e15), (0, 2.306e15), (-3.9e15, 3.9e15), (1, 3.99e15)]
)
def test_times_that_lie_too_far_apart_are_refused_when_they_are_opened(
    tmp_path, first, last
) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps([{**PAINTED[0], "ts": ts} for ts in (first, last)]))
    with pytest.raises(RecordingError, match="its times lie more than 73 years apart"):
        open_recording(file)


@pytest.mark.parametrize("base", [0, 1_700_000_000 * 10**9, 2_300_000_000 * 10**9, 4 * 10**18])
def test_a_folder_of_ranks_that_count_from_far_apart_opens_saved_as_it_was(tmp_path, base) -> None:
    folder = tmp_path / "ranks"
    folder.mkdir()
    for rank, since in ((0, 0), (1, base)):
        event = {"ph": "X", "ts": 2e15 if rank else 10, "dur": 2e14, "name": "a"}
        counted = {**event, "ph": "C", "ts": 2.3e15, "args": {"x": 1}}
        told = {
            "distributedInfo": {"rank": rank},
            "baseTimeNanoseconds": since,
            "traceEvents": [event, counted],
        }
        (folder / f"rank-{rank}.json").write_text(json.dumps(told))
    trace = open_recording(folder).trace
    assert everything(open_recording(saved(trace, tmp_path / "s.arrow")).trace) == everything(trace)


@pytest.mark.parametrize("ahead", [1 << 60, -(1 << 60), (1 << 61) - 1, -(1 << 61)])
def test_ranks_whose_clocks_are_far_apart_open_saved_as_they_were_or_are_refused(
    tmp_path, ahead
) -> None:
    folder = tmp_path / "ranks"
    folder.mkdir()
    write_rank(folder, 0, range(3), [(1000, 0, 0.0)], 1000)
    write_rank(folder, 1, range(3), [(1000, ahead, 40.0), (9000, ahead + 7, 40.0)], 1000)
    is_near = ahead + 10**8 < 1 << 61
    try:
        trace = open_recording(folder).trace
    except RecordingError as error:
        assert not is_near and str(error).endswith("is out of bounds")
        return
    assert is_near
    assert everything(open_recording(saved(trace, tmp_path / "s.arrow")).trace) == everything(trace)


def test_what_is_said_of_a_trace_is_checked(tmp_path, monkeypatch) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(PAINTED))
    trace = open_recording(file).trace
    told = {"steps": [6], "odd": {}, "colours": None, "arguments": False}
    for wrong in ({"steps": [3, 3]}, {"steps": [-1]}, {"odd": {"other": 1}}, {"colours": "0"},
                  {"colours": "~" * len(trace.table)}, {"steps": "x"}):  # fmt: skip
        text = json.dumps({**told, **wrong})
        monkeypatch.setattr(exported, "imported_text", lambda _, text=text: text)
        with pytest.raises(RecordingError, match=r"saved\.arrow is damaged"):
            open_recording(saved(trace, tmp_path / "saved.arrow"))


def test_nothing_is_left_of_a_trace_whose_arguments_are_gone(tmp_path) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(PAINTED))
    trace = open_recording(file).trace
    file.unlink()
    with pytest.raises(RecordingError, match="has changed since it was opened"):
        saved(trace, tmp_path / "saved.arrow")
    assert list(tmp_path.iterdir()) == []
    assert np.array_equal(trace.spans(0).start, np.sort(trace.spans(0).start))


def test_a_saved_lane_whose_spans_overlap_is_refused(tmp_path) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps([{"ph": "X", "ts": n, "dur": 1, "name": "a"} for n in range(4)]))
    trace = open_recording(file).trace
    trace.spans(0).end[1] += 1
    with pytest.raises(RecordingError, match="spans of a lane overlap"):
        open_recording(saved(trace, tmp_path / "saved.arrow"))


def test_a_saved_span_that_comes_late_and_overlaps_is_refused(tmp_path) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps([{"ph": "X", "ts": n, "dur": 1, "name": "a"} for n in range(9)]))
    trace = open_recording(saved(open_recording(file).trace, tmp_path / "saved.arrow")).trace
    late = trace.spans(0)[2:3]
    with pytest.raises(ValueError, match="spans of a lane overlap"):
        trace.add_spans(late, [(0, late)])


def test_a_range_that_is_saved_as_a_recording_keeps_the_figures_of_its_ranks(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    whole = open_recording(TWO_RANKS).trace
    start, end = whole.bounds
    part = with_range(whole, start + (end - start) // 4, start + (end - start) // 2)
    wanted = rank_times(part)
    assert wanted != rank_times(whole)
    path = saved(part, tmp_path / "saved.arrow")
    assert rank_times(open_recording(path).trace) == wanted
    assert rank_times(open_recording(path, indexed_from=1).trace) == wanted
