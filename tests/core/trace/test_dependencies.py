"""Neighbours by columns are those that a look at every span finds."""

import json

import pytest

from core.plan.plan import Lane
from core.plan.task import Kind
from core.recording.recording import open_recording
from core.trace.dependencies import lane_links, neighbours, waited_for
from tests.core.explain.made import columns_of, recorded
from tests.core.recording.importers.kineto_files import kineto_file
from tests.core.trace.invented import overlapped, pipeline
from tests.make_believe import specification, trace_of

TRACES = {
    "pipeline": pipeline,
    "overlapped": overlapped,
    "dp": lambda: trace_of(specification("dp", steps=2, warmup=0)),
}


@pytest.mark.parametrize("name", TRACES)
def test_neighbours_of_every_span_are_those_of_its_step(name):
    trace = TRACES[name]()
    spans = list(trace)
    for span in spans:
        near = neighbours(trace, span, 100)
        mine = [other for other in spans if other.step == span.step]
        assert set(near.needs) == {other for other in mine if other.task in span.after}
        assert set(near.dependents) == {other for other in mine if span.task in other.after}


@pytest.mark.parametrize("name", TRACES)
def test_what_held_a_span_up_comes_first_and_so_does_what_it_held_up(name):
    trace = TRACES[name]()
    for span in trace:
        near = neighbours(trace, span, 100)
        ends = [other.end for other in near.needs]
        assert ends == sorted(ends, reverse=True)
        held = [waited_for(trace, other).end == span.end for other in near.dependents]
        assert held == sorted(held, reverse=True)
        starts = [other.start for other, mine in zip(near.dependents, held, strict=True) if mine]
        assert starts == sorted(starts)


def test_of_many_neighbours_those_that_matter_are_given():
    trace = trace_of(specification("dp", devices="8xcpu", batch=64, steps=1, warmup=0))
    most = max(trace, key=lambda span: len(span.after))
    assert len(most.after) > 2
    near = neighbours(trace, most, 2)
    assert len(near.needs) == 2
    assert near.needs[0] == waited_for(trace, most)


@pytest.mark.parametrize("side", ["needs", "dependents"])
def test_who_steps_along_dependencies_that_go_in_circles_comes_to_an_end(side):
    waits = {0: (2,), 1: (0, 1), 2: (1,)}
    tasks = [
        {"kind": Kind.FORWARD, "lane": 0, "start": 10 * i, "end": 10 * i + 10, "after": needs}
        for i, needs in waits.items()
    ]
    trace = recorded(columns_of(tasks), (Lane(0, "cpu:0", "cpu"),))
    for span in trace:
        seen = []
        while span is not None:
            assert span not in seen
            seen.append(span)
            span = next(iter(getattr(neighbours(trace, span, 9), side)), None)


def test_links_between_lanes_are_those_of_each_task_of_a_trace(tmp_path):
    events = []
    for number in range(1, 7):
        at = 100 * number
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at, "dur": 2, "pid": 9}
        task = {"cat": "kernel", "name": "gemm", "ts": at + 10, "dur": 60, "pid": 0}
        about = {"ph": "X", "args": {"correlation": number, "stream": 7 + number % 2}}
        events += [{**call, **about, "tid": 1}, {**task, **about, "tid": 7 + number % 2}]
    (tmp_path / "trace.json").write_text(json.dumps(kineto_file(0, events)))
    trace = open_recording(tmp_path / "trace.json").trace
    by_task = {span.task: span for span in trace}
    wanted = sorted(
        (by_task[task].lane, by_task[task].end, span.lane, span.start)
        for span in trace
        for task in span.after
        if by_task[task].lane != span.lane
    )
    links = lane_links(trace)
    columns = (links.needed_lane, links.needed_end, links.lane, links.start)
    found = list(zip(*(column.tolist() for column in columns), strict=True))
    assert sorted(found) == wanted and len(wanted) == 6
    assert links.start.tolist() == sorted(links.start.tolist())
