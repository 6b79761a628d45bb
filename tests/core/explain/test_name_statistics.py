"""Names of spans with their durations, and outliers, against counting them one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from core.explain import name_statistics as module
from core.explain.name_statistics import FEWEST, name_statistics
from core.plan.task import Kind
from core.recording.recording import open_recording
from core.trace.trace import Trace
from tests.core.explain.ranges import Drawn, Piece, drawn, range_statistics, trace_of_spans
from tests.make_believe import specification, trace_of


@settings(max_examples=40)
@given(drawn())
def test_every_span_of_a_range_counts_under_its_label(case: Drawn) -> None:
    counted = range_statistics(case.trace, case.start, case.end)
    found = name_statistics(case.trace, counted)
    assert found is not None and found.name_count == len(found.names)
    for name in found.names:
        lengths, inside = [], 0
        for span in case.trace:
            if span.end > case.start and span.start < case.end and span.label == name.label:
                lengths.append(span.end - span.start)
                inside += min(span.end, case.end) - max(span.start, case.start)
        lengths.sort()
        own = (name.count, name.inside, name.longest, name.p50)
        middle = lengths[(len(lengths) + 1) // 2 - 1]
        assert own == (len(lengths), inside, lengths[-1], middle)
        assert name.mean == pytest.approx(sum(lengths) / len(lengths))
        longest = case.trace.span(*name.place)
        assert (longest.label, longest.end - longest.start) == (name.label, name.longest)
    assert sum(name.count for name in found.names) == counted.any_lane.spans
    assert [name.inside for name in found.names] == sorted(
        (name.inside for name in found.names), reverse=True
    )


def test_the_same_micro_batch_of_several_stages_and_steps_is_one_name() -> None:
    trace = trace_of(specification(steps=3, warmup=0))
    names = {name.label: name.count for name in name_statistics(trace, whole(trace)).names}
    assert names["F0"] == 6 and names["B0"] == 6  # two lanes, three steps


def test_a_span_is_an_outlier_only_among_enough_of_its_like() -> None:
    def lane(lengths: list[int]) -> list[Piece]:
        starts = range(0, 1000 * len(lengths), 1000)
        return [(at, at + n, Kind.FORWARD) for at, n in zip(starts, lengths, strict=True)]

    usual = [100, 102, 101, 99, 100]
    trace = trace_of_spans([lane([*usual, 180]), lane([300] * FEWEST), lane([*usual[:3], 900])])
    found = name_statistics(trace, whole(trace))
    assert [(one.lane, one.index, one.usual) for one in found.outliers] == [(0, 5, 100)]
    assert found.outliers[0].duration == 180 and found.outliers[0].kind is Kind.FORWARD


def test_a_range_of_too_many_spans_is_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(specification(steps=2))
    monkeypatch.setattr(module, "MOST_SPANS", 5)
    assert name_statistics(trace, whole(trace)) is None
    nothing = range_statistics(trace, 0, 0)
    assert name_statistics(trace, nothing).names == ()


def whole(trace: Trace) -> object:
    return range_statistics(trace, *trace.bounds)


def test_names_that_differ_in_template_arguments_are_counted_apart_under_all_of_it(
    tmp_path: Path,
) -> None:
    names = ("void at::add<float>(float*)", "void at::add<int>(int*)")
    events = [{"ph": "X", "ts": n, "dur": 1, "name": name} for n, name in enumerate(names)]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))
    trace = open_recording(path).trace
    found = name_statistics(trace, range_statistics(trace, *trace.bounds))
    assert found is not None and [name.label for name in found.names] == list(names)
