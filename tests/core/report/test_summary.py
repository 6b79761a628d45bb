"""The explanation in the summary, and as it is printed."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from bubblescope.cli.report import summary_text
from bubblescope.cli.start import run_arguments
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind
from core.recording.exporters.recording import write_recording
from core.report.summary import rows_by_replica, summarise
from tests.core.explain.drawn import specifications
from tests.core.helpers import planned, trace_of
from tests.core.report.verdicts import made
from tests.make_believe import specification
from tests.make_believe import trace_of as run_of


@given(specifications())
def test_what_the_summary_says_of_a_step_adds_up_to_its_makespan(spec) -> None:
    plan = planned(spec)
    durations = np.random.default_rng(len(plan.tasks)).integers(0, 10**6, len(plan.tasks))
    values = json.loads(summarise(trace_of(plan, durations.tolist(), spec)).to_json())
    for step in values["steps"]:
        for lane in step["lanes"]:
            assert sum(lane["idle_by_cause"].values()) == lane["idle_ns"]
            assert all(ns > 0 for ns in lane["idle_by_cause"].values())
        assert sum(step["ladder"].values()) == step["makespan_ns"]
        assert sum(step["critical_path"].values()) == step["makespan_ns"]
        assert 0 <= step["bubble_by_makespan"] <= 1 and 0 <= step["bubble_by_lane_span"] <= 1


@pytest.mark.parametrize("strategy, form", [("pipeline", 1 / 9), ("mp", 1 / 2), ("dp", None)])
def test_the_closed_form_stands_beside_the_bubble_where_the_plan_has_one(
    strategy: str, form: float | None
) -> None:
    for step in summarise(run_of(specification(strategy, steps=2))).steps:
        assert step.closed_form == (form and pytest.approx(form))


def test_a_replica_whose_forwards_are_overlapped_has_all_its_rows() -> None:
    trace = run_of(specification(schedule="dualpipe-v", batch=12, microbatches=6, steps=1))
    spans = trace.spans(0)
    assert (spans["kind"] == KINDS.index(Kind.OVERLAP)).any()
    assert rows_by_replica(trace, trace.steps[-1]) == (12,)


def test_the_printed_summary_has_the_ladder_the_bubble_and_each_lanes_main_cause() -> None:
    text = summary_text(summarise(run_of(specification("mp", steps=2))))
    lines = text.splitlines()
    assert any(line.startswith("bubble: ") and "50 % by the closed form" in line for line in lines)
    assert any(
        line.startswith("waterfall in ms: perfect division ") and " = step" in line
        for line in lines
    )
    assert any(line.startswith("critical path: ") and "% compute" in line for line in lines)
    rows = {line.split()[0]: line for line in lines if line.startswith("cpu:")}
    assert "other lane computes (" in rows["cpu:0"]
    assert "pipeline drains (" in rows["cpu:1"]


def test_the_summary_names_the_part_that_makes_a_pipeline_uneven() -> None:
    run = Specification("dp-pp", devices="4xvirtual:cpu", batch=64, steps=6, warmup=0)
    summary = summarise(made(run.having(slow_lane="1:1.5")).trace)
    [line] = [one for one in summary_text(summary).splitlines() if one.startswith("uneven work:")]
    assert line.startswith("uneven work: Worker virtual:1 takes 50 % longer than the other workers")
    split = json.loads(summary.to_json())["verdict"]["even_split"]
    assert split["where"] == "lane 1" and line == f"uneven work: {split['text']}"
    assert list(split["saved_ns"]) == ["worker", "stage", "steps"]
    assert 0.05 < split["saved_ns"]["worker"] / split["step_ns"] < 0.5


def test_an_even_pipeline_has_no_line_about_uneven_work() -> None:
    summary = summarise(run_of(specification("pipeline", steps=3)))
    assert "uneven work" not in summary_text(summary)
    assert json.loads(summary.to_json())["verdict"]["even_split"]["text"] == ""


def test_a_negative_rung_is_printed_with_its_sign() -> None:
    summary = summarise(run_of(specification("mp", steps=1)))
    summary.steps[0].ladder["host"] = -2_000_000
    assert " - host 2 " in summary_text(summary)


def test_a_run_without_lanes_that_compute_is_refused_in_one_line(tmp_path, capsys) -> None:
    trace = run_of(specification(steps=2))
    lanes = (replace(lane, role=Role.COMMUNICATION) for lane in trace.header.lanes)
    trace.header = replace(trace.header, lanes=tuple(lanes))
    file = tmp_path / "moves.arrow"
    for _ in write_recording(trace, file):
        pass
    assert run_arguments(["summary", str(file)]) == 2
    told = capsys.readouterr()
    said = "bubblescope: the run has no lanes that compute: there is nothing to sum up\n"
    assert (told.out, told.err) == ("", said)
