"""Pipelines in the formats of Primus and ndtimeline: the same job, and causes counted by hand."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from core.costs.replay import Replay
from core.errors import RecordingError
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.ranks import rank_times
from core.explain.run_step import explain_run_step
from core.plan.plan import Role
from core.plan.task import Kind
from core.recording import limits
from core.recording.recording import open_recording
from core.report.measured import MeasuredSteps
from core.trace.import_issue import ImportIssue
from core.trace.median_step import whole_steps
from core.trace.step import StepColumns
from tests.core.recording.importers.pipeline_files import (
    SMALL,
    as_parquet,
    ndtimeline_events,
    ndtimeline_table,
    small_job,
)
from tests.core.recording.importers.pipeline_jobs import (
    MS,
    NAMES,
    OPTIMIZER,
    Fault,
    JobOptions,
    make_job,
    trace_of_job,
    write_primus,
)
from tests.core.recording.importers.test_pipelines import needs, replayed

# Two ranks, two micro-batches, F = 10 ms, B = 20 ms, a transfer takes 0.5 ms, the update 3 ms:
#
#   rank 0  F0 F1          .           B0 .  B1 U
#   rank 1   c F0   B0   F1  B1  U
#
# in ms from the step's start, without replicas:
#   rank 0  F0 0-10, F1 10-20, B0 41-61, B1 71-91, U 91-94
#   rank 1  F0 10.5-20.5, B0 20.5-40.5, F1 40.5-50.5, B1 50.5-70.5, U 70.5-73.5
PRIMUS = JobOptions(
    ranks=2, microbatches=2, steps=2, noise=0, host=0, sends=False, own_clocks=True, update=0
)


@pytest.fixture
def opened(tmp_path):
    def open_data(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        return open_recording(path)

    return open_data


def causes(trace, step, lane):
    """The idle time of a lane in ms, by cause."""
    totals = cause_totals(explain_run_step(trace, step))[lane]
    return {CAUSES[code]: ns / MS for code, ns in enumerate(totals.tolist()) if ns}


def spans_of(trace):
    """Lane's name, label and times of all spans, apart from the order of lanes."""
    names = [lane.name for lane in trace.header.lanes]
    return sorted((names[span.lane], span.label, span.start, span.end) for span in trace)


def test_a_dump_of_primus_has_the_causes_that_are_counted_by_hand(tmp_path):
    write_primus(make_job(PRIMUS), tmp_path / "dump")
    opened = open_recording(tmp_path / "dump")
    trace = opened.trace
    assert [lane.name for lane in trace.header.lanes][:2] == ["rank 0", "rank 1"]
    assert trace.steps == [0, 1]  # shown as iterations 1 and 2
    assert "8 transfers between ranks are not recorded" in str(opened.warning)
    assert causes(trace, 0, 0) == {Cause.COMPUTE: 30.0, Cause.TRANSFER: 1.0}
    assert causes(trace, 0, 1) == {Cause.FILL: 10.0, Cause.TRANSFER: 1.0, Cause.DRAIN: 20.0}
    assert trace.step_bounds(0) == (0, 91 * MS) and trace.step_bounds(1)[0] == 91 * MS
    for step in trace.steps:
        assert replayed(trace, step)[0] == 91 * MS


def test_a_dump_without_microbatches_has_those_of_interleaved_1f1b(tmp_path):
    options = replace(PRIMUS, ranks=4, chunks=2, schedule="interleaved", microbatches=8)
    write_primus(make_job(options), tmp_path / "whole")
    whole = open_recording(tmp_path / "whole").trace
    for path in (tmp_path / "whole").glob("pp_rank_*.json"):
        iterations = json.loads(path.read_text())
        for iteration in iterations.values():
            for word in ("fwd", "bwd"):
                del iteration[f"{word}_minibatch"], iteration[f"{word}_chunk"]
        path.write_text(json.dumps(iterations))
    bare = open_recording(tmp_path / "whole").trace
    assert needs(bare, 0) == needs(whole, 0)
    assert spans_of(bare) == spans_of(whole)


def test_the_ranks_of_a_dump_get_one_clock(tmp_path):
    job = make_job(replace(PRIMUS, shift=20 * MS))
    write_primus(job, tmp_path / "dump")
    trace = open_recording(tmp_path / "dump").trace
    assert trace.imported.issues[ImportIssue.CLOCKS_MOVED] == 1
    columns = StepColumns.of_trace(trace, 0)
    waiter = np.repeat(np.arange(len(columns)), np.diff(columns.after_first))
    assert (columns.end[columns.after] <= columns.start[waiter]).all()


def test_a_forward_and_a_backward_that_ran_together_are_one_task(tmp_path):
    times = {"fwd_start": [0, 10, 20], "fwd_end": [10, 20, 40], "fwd_minibatch": [0, 1, 2]}
    times |= {"bwd_start": [20, 40, 60], "bwd_end": [40, 60, 80], "bwd_minibatch": [0, 1, 2]}
    times |= {"fwd_chunk": [0, 0, 0], "bwd_chunk": [0, 0, 0]}
    path = tmp_path / "pp_rank_0.json"
    path.write_text(json.dumps({"7": {"total": 80.0, **times}}))
    trace = open_recording(path).trace
    kinds = [span.kind for span in trace]
    assert kinds.count(Kind.OVERLAP) == 1 and len(kinds) == 5
    assert trace.steps == [6]


def test_one_file_of_a_dump_opens_alone(tmp_path):
    write_primus(make_job(PRIMUS), tmp_path / "dump")
    trace = open_recording(tmp_path / "dump" / "pp_rank_1.json").trace
    assert [lane.name for lane in trace.header.lanes] == ["rank 1"]
    assert trace.span_count == 8


def test_a_config_is_no_trace_and_damages_nothing(tmp_path):
    write_primus(make_job(PRIMUS), tmp_path / "dump")
    (tmp_path / "dump" / "config.json").write_text("{broken")
    trace = open_recording(tmp_path / "dump").trace
    assert ImportIssue.UNREADABLE not in trace.imported.issues and trace.span_count


@pytest.mark.parametrize("has_rank_arguments", [False, True])
def test_events_of_ndtimeline_are_the_job_that_they_describe(opened, has_rank_arguments):
    events = ndtimeline_events(small_job(), has_rank_arguments)
    trace = opened("steps.json", json.dumps(events).encode()).trace
    made = trace_of_job(small_job())
    assert needs(trace, 0) == needs(made, 0)
    assert {lane.device for lane in trace.header.lanes} == {
        f"replica {replica} rank {rank}" for replica in (0, 1) for rank in (0, 1)
    }
    lengths = [span.end - span.start for span in trace if span.kind is Kind.FORWARD]
    assert lengths == [SMALL.forward] * (2 * 2 * 2 * 2)


def test_a_table_of_ndtimeline_has_the_causes_that_are_counted_by_hand(opened):
    job = make_job(replace(SMALL, replicas=1))
    trace = opened("trace.parquet", as_parquet(ndtimeline_table(job))).trace
    assert trace.imported.issues == {} and trace.steps == [0, 1]
    assert len(trace.table.firsts) == 2
    assert causes(trace, 0, 0) == {Cause.COMPUTE: 30.0, Cause.TRANSFER: 1.0}
    # After its update, at 73.5 ms, rank 1 waits for B1 and the update of rank 0.
    assert causes(trace, 0, 1) == {Cause.FILL: 10.0, Cause.TRANSFER: 0.5, Cause.DRAIN: 20.5}
    roles = {lane.role for lane in trace.header.lanes}
    assert roles == {Role.COMPUTE, Role.COPY}
    assert trace.step_bounds(1)[0] == trace.step_bounds(0)[1]


def test_collectives_of_replicas_meet_in_a_table(opened):
    trace = opened("trace.parquet", as_parquet(ndtimeline_table(small_job()))).trace
    columns = explain_run_step(trace, 0).columns
    waits = explain_run_step(trace, 0).waits
    _, members = np.unique(waits.meets[waits.meets >= 0], return_counts=True)
    assert members.tolist() == [2] * 4  # a gather and a reduce of each of two stages
    assert set(columns.stage[waits.meets >= 0].tolist()) == {0, 1}


def with_early_update(early_ns):
    """A job with a slow replica; in its third step the other replica's updates start early.

    They start by `early_ns` before the reduce-scatter ends that they wait for.
    """
    job = make_job(replace(SMALL, steps=5, fault=Fault.WORKER, amount=3.0))
    slow, _ = job.truth.worker
    table = job.table
    is_early = (table["step"] == 3) & (table["replica"] != slow)
    is_early &= table["name"] == NAMES.index(OPTIMIZER)
    table["start"][is_early] -= early_ns
    return job, f"replica {1 - slow} rank 0"


def test_an_update_waits_for_its_collective_also_in_a_step_whose_clock_errs(opened):
    job, device = with_early_update(MS // 8)
    trace = opened("trace.parquet", as_parquet(ndtimeline_table(job))).trace
    [lane, *_] = [lane.index for lane in trace.header.lanes if lane.device == device]
    usual = causes(trace, 1, lane)
    assert usual[Cause.SLOWEST_RANK] > 50 and Cause.HOST not in usual
    found = causes(trace, 2, lane)
    assert found.pop(Cause.COLLECTIVE) == usual.pop(Cause.COLLECTIVE) - 1 / 8
    assert found == usual


@pytest.mark.parametrize("early_ns", [MS // 8, 2 * MS])
def test_steps_with_other_dependencies_are_replayed_as_long_as_they_were(opened, early_ns):
    job, _ = with_early_update(early_ns)
    trace = opened("trace.parquet", as_parquet(ndtimeline_table(job))).trace
    run = MeasuredSteps.of(trace, whole_steps(trace))
    made = Replay.of(run.columns, run.meets).makespans(run.taken + run.late)
    assert made == pytest.approx(run.spans, rel=0.01)


def test_idle_times_agree_with_the_union_of_the_spans_of_each_rank(opened):
    trace = opened("trace.parquet", as_parquet(ndtimeline_table(small_job()))).trace
    for rank in rank_times(trace):
        lanes = [lane for lane in trace.header.lanes if lane.device == rank.place]
        compute = sum(
            int((trace.spans(lane.index).end - trace.spans(lane.index).start).sum())
            for lane in lanes
            if lane.role is Role.COMPUTE
        )
        assert rank.compute_ns == compute


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (pa.table({"a": [1]}), "its table has no column step"),
        (
            pa.table({"step": [1], "optype": [7], "start_ts": [0.5], "duration": [1.0]}),
            "its column optype has the type int64, not text",
        ),
        (
            pa.table({"step": ["x"], "optype": ["gc"], "start_ts": [0.5], "duration": [1.0]}),
            "its column step has the type string, not a number",
        ),
        (ndtimeline_table(small_job()).slice(0, 0), "it has no operation that says when it ran"),
    ],
)
def test_other_tables_are_refused_in_one_line(opened, table, why):
    with pytest.raises(RecordingError, match="cannot be read as a table of a pipeline") as error:
        opened("other.parquet", as_parquet(table))
    assert why in str(error.value) and "\n" not in str(error.value)


def test_files_with_too_many_rows_or_passes_are_refused_in_one_line(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_EVENTS", 3)
    with pytest.raises(RecordingError, match="it has more than 3 rows"):
        opened("trace.parquet", as_parquet(ndtimeline_table(small_job())))
    write_primus(make_job(PRIMUS), tmp_path / "dump")
    with pytest.raises(RecordingError, match="it has more than 3 passes"):
        open_recording(tmp_path / "dump" / "pp_rank_1.json")
