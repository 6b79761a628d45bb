"""Missing spans of a run's recording are found, reported, and not explained."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from bubblescope.cli.start import run_arguments
from core.explain.causes import Cause
from core.explain.critical import critical_path
from core.explain.explanation import cause_totals
from core.explain.gaps import gap_report
from core.explain.run_step import explain_run_step
from core.plan.plan import Role
from core.plan.specification import Specification
from core.predict.compare import predict_steps
from core.recording.decode import append_batch
from core.recording.recording import RecordingFile, open_recording
from core.recording.schema import (
    COSTS_LEVEL,
    NoteRow,
    Record,
    Timings,
    note_batch,
    plan_batch,
    span_batch,
)
from core.report.step_figures import step_figures
from core.report.summary import summarise
from core.trace.complete import completed_steps, run_faults
from core.trace.source import Source
from core.trace.trace import Trace
from tests.core.helpers import SMALL, header_of, plan_of
from tests.core.recorder.made import two_ranks

SPECIFICATION = Specification(
    "pipeline", SMALL, "2xcpu", batch=8, microbatches=2, steps=3, warmup=0
)
PLAN = plan_of(SPECIFICATION)
COSTS = {"forward_ms": 1, "backward_ms": 1, "step_ms": 0, "transfer_ms": 0, "loss_ms": 0}
TASKS = [task.index for task in PLAN.tasks]


def run_of(*steps, outcome="finished", losses=3, header=None):
    """A run whose steps have spans of these tasks, of 10 ns each, one behind the other."""
    trace = Trace(header or header_of(SPECIFICATION, PLAN))
    append_batch(trace, plan_batch(0, PLAN.tasks))
    notes = [NoteRow(Record.LOG, COSTS_LEVEL, 0, text=json.dumps(COSTS))]
    for step, tasks in enumerate(steps):
        starts = [1000 * step + 10 * place for place in range(len(tasks))]
        append_batch(trace, span_batch(Timings(0, step, tasks, starts, [s + 10 for s in starts])))
        if step < losses:
            notes.append(NoteRow(Record.COUNTER, "loss", 1000 * step + 999, step, value=1.0))
    if outcome:
        notes.append(NoteRow(Record.LOG, "state", 9999, text=outcome))
    append_batch(trace, note_batch(notes))
    return trace


def texts(trace):
    return [str(fault.text) for fault in run_faults(trace)]


def test_a_whole_run_has_no_fault():
    trace = run_of(TASKS, TASKS, TASKS)
    assert run_faults(trace) == () and trace.outcome == "finished"
    summary = summarise(trace)
    assert summary.complete and summary.missing == 0 and summary.faults == ()
    assert all(step.complete and step.missing == 0 for step in summary.steps)


@pytest.mark.parametrize("lost", range(len(TASKS)))
def test_any_lost_span_is_named(lost):
    trace = run_of(TASKS, [task for task in TASKS if task != lost], TASKS)
    task, lane = PLAN.tasks[lost], PLAN.lanes[PLAN.tasks[lost].lane].name
    assert texts(trace) == [f"step 1: 1 of {len(TASKS)} tasks has no span ({task} on {lane})"]


@pytest.mark.parametrize("told", range(1, len(TASKS)))
def test_while_a_step_goes_on_nobody_knows_what_lanes_wait_for_at_its_end(told):
    trace = run_of(TASKS, TASKS[:told], outcome=None, losses=1)
    explanation = explain_run_step(trace, 1)
    _, finish = trace.step_bounds(1)
    for lane in (lane.index for lane in PLAN.lanes if lane.role is Role.COMPUTE):
        mine = explanation.lane == lane
        behind = trace.spans(lane)
        last = max([1000, *behind.end[behind.step == 1].tolist()])
        unknown = explanation.cause[mine] == list(Cause).index(Cause.NOT_KNOWN)
        found = zip(explanation.start[mine][unknown], explanation.end[mine][unknown], strict=True)
        assert list(found) == ([(last, finish)] if last < finish else [])
        if last < finish:
            report = gap_report(explanation, lane, last)
            assert report.cause is Cause.NOT_KNOWN and report.reasons[-1].blocking is None
    idle = (explanation.end - explanation.start).sum()
    busy = explanation.columns.duration.sum()
    lanes = sum(lane.role is Role.COMPUTE for lane in PLAN.lanes)
    assert idle + busy == lanes * explanation.makespan
    known = explain_run_step(trace, 0)
    assert not cause_totals(known)[:, list(Cause).index(Cause.NOT_KNOWN)].any()


@pytest.mark.parametrize("outcome", ["stopped", "failed"])
def test_at_the_end_of_a_step_that_was_cut_short_spans_are_missing(outcome):
    told = len(TASKS) // 2
    ended, going_on = (run_of(TASKS, TASKS[:told], outcome=o, losses=1) for o in (outcome, None))
    totals, before = (cause_totals(explain_run_step(run, 1)) for run in (ended, going_on))
    missing, unknown = (list(Cause).index(c) for c in (Cause.INCOMPLETE, Cause.NOT_KNOWN))
    assert before[:, unknown].any() and not before[:, missing].any()
    assert totals[:, missing].tolist() == before[:, unknown].tolist()
    assert not totals[:, unknown].any()


def test_a_step_that_lacks_a_span_is_not_explained_but_the_others_are():
    trace = run_of(TASKS, TASKS[:-2], TASKS)
    explanation = explain_run_step(trace, 1)
    totals = dict(zip(Cause, cause_totals(explanation).sum(axis=0).tolist(), strict=True))
    assert totals.pop(Cause.INCOMPLETE) > 0 and not any(totals.values())
    assert [piece.share for piece in critical_path(explanation)] == ["incomplete"]
    figures = step_figures(explanation)
    assert figures.ladder == {"incomplete": explanation.makespan}
    path = {share: ns for share, ns in figures.critical_path.items() if ns}
    assert path == figures.ladder
    assert np.isnan(figures.bubble_by_makespan)
    assert not explain_run_step(trace, 0).fault and not explain_run_step(trace, 2).fault
    assert completed_steps(trace) == [0, 2]
    assert [step.step for step in predict_steps(trace).steps] == [0, 2]


def test_the_summary_says_what_is_missing_of_each_step_and_works_nothing_out_of_it():
    values = json.loads(summarise(run_of(TASKS, TASKS[:-2], TASKS)).to_json())
    assert (values["complete"], values["missing"]) == (False, 2)
    assert [(s["complete"], s["missing"]) for s in values["steps"]] == [
        (True, 0), (False, 2), (True, 0),
    ]  # fmt: skip
    step = values["steps"][1]
    assert step["ladder"] == step["critical_path"] == {} and step["bubble_by_makespan"] is None
    assert all(lane["idle_by_cause"] == {} for lane in step["lanes"])
    for lane in step["lanes"]:
        spent = lane["busy_ns"] + lane["communication_ns"] + lane["idle_ns"]
        assert spent == step["makespan_ns"]


def test_a_span_that_is_told_twice_is_a_fault():
    trace = run_of(TASKS, TASKS, TASKS)
    append_batch(trace, span_batch(Timings(0, 1, [0], [1990], [1995])))
    assert texts(trace) == ["step 1: 1 span is of a task that has one already"]


def test_spans_of_a_lane_that_overlap_are_a_fault_and_are_put_in_order():
    trace = run_of(TASKS, TASKS)
    late = [task.index for task in PLAN.tasks if task.lane == 0]
    starts = [2000 + 10 * (len(late) - n) for n in range(len(late))]
    append_batch(trace, span_batch(Timings(0, 2, late, starts, [s + 15 for s in starts])))
    assert any("spans of a lane overlap" in text for text in texts(trace))
    assert (np.diff(trace.spans(0).start) >= 0).all()


def test_a_task_that_never_ended_in_a_finished_run_is_a_fault():
    trace = run_of(TASKS, TASKS, TASKS)
    append_batch(trace, span_batch(Timings(0, 2, [3], [2990], [None])))
    assert texts(trace) == ["step 2: task 3 never ended"]


def test_steps_without_any_span_are_missed_in_a_finished_run_only():
    assert texts(run_of(TASKS)) == ["steps 1 to 2: no task has a span"]
    assert texts(run_of(TASKS, outcome="stopped")) == []


def test_the_step_in_which_a_run_was_stopped_is_no_fault_unless_its_loss_is_known():
    part = TASKS[: len(TASKS) // 2]
    assert texts(run_of(TASKS, part, outcome="stopped", losses=1)) == []
    assert len(texts(run_of(TASKS, part, outcome="stopped", losses=2))) == 1
    assert len(texts(run_of(TASKS, part, TASKS, outcome=None, losses=0))) == 1


def test_spans_of_two_plans_in_one_step_are_a_fault():
    trace = run_of(TASKS, TASKS, TASKS[:-1])
    append_batch(trace, plan_batch(1, PLAN.tasks))
    append_batch(trace, span_batch(Timings(1, 2, TASKS[-1:], [2990], [2999])))
    assert texts(trace) == ["step 2: its spans are of several plans"]


def test_blocks_inside_passes_may_be_there_or_not_and_are_no_disorder():
    nested = replace(PLAN.lanes[0], index=2, name="cpu:0 blocks", role=Role.NESTED, serves=0)
    header = replace(header_of(SPECIFICATION, PLAN), lanes=(*PLAN.lanes, nested))
    trace = Trace(header)
    block = PLAN.tasks[0]._replace(index=len(TASKS), lane=2, after=(), block=0)
    append_batch(trace, plan_batch(0, [*PLAN.tasks, block]))
    starts = [10 * task for task in TASKS]
    append_batch(trace, span_batch(Timings(0, 0, TASKS, starts, [s + 10 for s in starts])))
    starts = [*(s + 1000 for s in starts), 1002]
    ends = [*(s + 10 for s in starts[:-1]), 1006]
    append_batch(trace, span_batch(Timings(0, 1, [*TASKS, block.index], starts, ends)))
    append_batch(trace, note_batch([NoteRow(Record.LOG, "state", 0, text="stopped")]))
    assert run_faults(trace) == ()


def test_a_recording_of_a_part_of_a_run_says_which_steps_it_lacks():
    path = "tests/fixtures/ddp-circle.arrow"
    assert texts(open_recording(path).trace) == [
        "steps 0 to 16: no task has a span", "steps 20 to 26: no task has a span",
    ]  # fmt: skip


def job_folder(folder, again=()):
    """A job of two ranks, of which rank 1 sends these of its steps twice."""
    two_ranks(folder, outcome="finished")
    path = folder / "rank-1.arrow"
    with pa.ipc.open_stream(path.read_bytes()) as reader:
        schema, batches = reader.schema, list(reader)
    spans = [place for place, batch in enumerate(batches) if str(batch["record"][0]) == "span"]
    with pa.ipc.new_stream(path, schema) as writer:
        for place, batch in enumerate(batches):
            for _ in range(2 if place in [spans[n] for n in again] else 1):
                writer.write_batch(batch)
    return folder


@pytest.mark.parametrize("step", [0, 1, 2])
def test_a_batch_that_a_rank_of_a_job_sends_twice_is_a_fault(tmp_path, capsys, step):
    trace = open_recording(job_folder(tmp_path, again=[step])).trace
    [text] = texts(trace)
    assert text == (
        f"step {step}: 3 spans are of tasks that have one already; spans of a lane overlap"
    )
    assert step not in completed_steps(trace)
    assert str(explain_run_step(trace, step).fault) == text  # nothing of it is explained
    assert run_arguments(["summary", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert f"is incomplete: {text}" in said.err
    shown = json.loads(said.out)
    assert shown["complete"] is False and shown["faults"] == [text]
    idle = [lane["idle_ns"] for one in shown["steps"] if one["complete"] for lane in one["lanes"]]
    assert min(idle) >= 0


def test_a_whole_job_has_no_fault(tmp_path):
    assert texts(open_recording(job_folder(tmp_path)).trace) == []


def test_the_last_step_of_a_job_that_goes_on_may_lack_spans(tmp_path):
    two_ranks(tmp_path)
    whole = open_recording(tmp_path).trace
    live = Trace(whole.header, whole.table)
    for lane in range(len(whole.header.lanes)):
        spans = whole.spans(lane)
        spans = spans[: len(spans) - (lane == 0)]
        live.add_spans(spans, [(lane, spans)])
    assert texts(live) == []
    live.logs.add(np.array([0]), np.array([-1]), ["state"], ["finished"])
    live.version += 1
    assert [text[:32] for text in texts(live)] == ["step 2: 1 of 6 tasks has no span"]


LANES = len(PLAN.lanes)


@pytest.mark.parametrize(
    ("name", "value", "last"),
    [
        ("replica", 7, 0),
        ("stage", 6 * LANES, 6 * LANES - 1),
        ("block", 6, 5),
        ("microbatch", 2**31 - 1, 7),
    ],
)
def test_a_task_beyond_what_the_header_has_is_refused_in_a_line(
    tmp_path, capsys, name, value, last
):
    tasks = [PLAN.tasks[0]._replace(**{name: value}), *PLAN.tasks[1:]]
    path = tmp_path / "run.arrow"
    file = RecordingFile(path, header_of(SPECIFICATION, PLAN))
    file.write(plan_batch(0, tasks))
    file.write(span_batch(Timings(0, 0, [0], [0], [10])))
    file.close()
    assert run_arguments(["summary", str(path)]) == 2
    wanted = f"a task is of {name} {value}, and the last one is {last}"
    assert capsys.readouterr().err == f"bubblescope: {path} is damaged: {wanted}\n"


def test_of_a_foreign_trace_and_a_prediction_nothing_is_missed():
    trace = run_of(TASKS[:-1])
    trace.header = replace(trace.header, source=Source.PREDICTED)
    trace.version += 1
    assert run_faults(trace) == ()
