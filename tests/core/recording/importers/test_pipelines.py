"""Dependencies that importers add to pipelines: tried on made-up jobs with a known truth."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from core.costs.simulate import simulate
from core.costs.waits import waits_of
from core.explain.explanation import cause_totals
from core.explain.run_step import explain_run_step
from core.paths import PROJECT_ROOT
from core.plan.plan import Role
from core.plan.task import KINDS, Kind
from core.recording.importers.pipeline_copy_events import INFERRED
from core.recording.importers.to_trace import trace_of_events
from core.recording.recording import open_recording
from core.trace.dependencies import lane_links
from core.trace.import_issue import ImportIssue
from core.trace.own_steps import with_range
from core.trace.step import StepColumns
from tests.core.recording.importers.pipeline_jobs import (
    MS,
    Fault,
    JobOptions,
    events_of_job,
    make_job,
    random_options,
    trace_of_job,
)

EXACT = JobOptions(noise=0, host=0, steps=2, replicas=1)


def replayed(trace, step):
    """The length of a step that is simulated with its own durations, and its measured length."""
    columns, lanes = StepColumns.of_trace(trace, step), trace.header.lanes
    waits = waits_of(columns, lanes)
    duration = np.where(waits.meets >= 0, columns.end - waits.begun, columns.duration)
    made = simulate(columns, duration, waits.meets)
    return int(made.end.max()), int(columns.end.max() - columns.start.min())


def needs(trace, step):
    """The tasks of a step in textbook notation, each with those that it waits for."""
    columns = StepColumns.of_trace(trace, step)
    names = [str(columns[place]) for place in range(len(columns))]
    first, after = columns.after_first.tolist(), columns.after.tolist()
    found = {}
    for place, name in enumerate(names):
        found.setdefault(name, [names[other] for other in after[first[place] : first[place + 1]]])
    return found


def test_forwards_wait_for_the_stage_before_and_backwards_for_the_one_after():
    trace = trace_of_job(make_job(replace(EXACT, ranks=2, microbatches=2, transfer=0, sends=False)))
    found = needs(trace, 0)
    assert found["0F0"] == [] and found["1F1"] == ["0F1"]
    assert found["1B1"] == ["1F1"] and found["0B1"] == ["1B1"]


@pytest.mark.parametrize("sends", [True, False])
def test_a_copy_is_between_the_passes_whether_it_is_recorded_or_inferred(sends):
    trace = trace_of_job(make_job(replace(EXACT, ranks=2, microbatches=4, sends=sends)))
    found = needs(trace, 0)
    assert found["1F2"] == ["1C2"] and found["1C2"] == ["0F2"]
    copies = [span for span in trace if span.kind is Kind.COPY and span.step == 0]
    assert {trace.header.lanes[span.lane].role for span in copies} == {Role.COPY}
    assert all(span.end - span.start == EXACT.transfer for span in copies)
    inferred = 2 * 2 * 4 if not sends else 0
    assert trace.imported.issues == ({ImportIssue.INFERRED_TRANSFER: inferred} if inferred else {})
    assert all((span.label == INFERRED) != sends for span in copies)


def test_equal_steps_have_one_plan():
    trace = trace_of_job(
        make_job(JobOptions(replicas=2, steps=6, chunks=2, schedule="interleaved"))
    )
    assert len(trace.table.firsts) == 2
    assert [len(StepColumns.of_trace(trace, step)) for step in trace.steps] == [
        len(trace.table)
    ] * 6


def test_arrows_are_drawn_in_every_step():
    trace = trace_of_job(make_job(replace(EXACT, ranks=2, microbatches=2, steps=3)))
    links = lane_links(trace)
    per_step = 2 * 2 * 2  # two copies for each micro-batch, each with two arrows
    starts = trace.step_table.starts.tolist()
    counts = np.bincount(np.searchsorted(starts, links.start, "right") - 1)
    assert counts.tolist() == [per_step] * 3
    assert (links.needed_end <= links.start).all()


def test_a_range_over_two_steps_has_every_task_once():
    trace = trace_of_job(make_job(replace(EXACT, ranks=2, microbatches=2, steps=3)))
    whole = with_range(trace, *trace.bounds)
    columns = StepColumns.of_trace(whole, 0)
    assert len(columns) == trace.span_count
    assert len(np.unique(columns.task)) == len(columns)
    assert len(columns.after) == 3 * len(trace.table.after)
    assert cause_totals(explain_run_step(whole, 0)).sum() > 0


def test_ranks_with_their_own_clocks_are_on_one_axis():
    options = replace(EXACT, sends=False, own_clocks=True, shift=30 * MS, steps=3)
    trace = trace_of_job(make_job(options))
    even = trace_of_job(make_job(replace(options, shift=0)))
    assert trace.imported.issues[ImportIssue.CLOCKS_MOVED] == options.ranks - 1
    assert ImportIssue.CLOCKS_CONTRADICT not in trace.imported.issues
    lengths = np.diff([trace.step_table.starts, trace.step_table.ends], axis=0)[0]
    true = np.diff([even.step_table.starts, even.step_table.ends], axis=0)[0]
    # The bounds of a clock leave a transfer in each direction open, for each pair of neighbours.
    assert np.abs(lengths - true).max() <= (options.ranks - 1) * options.transfer
    assert (trace.step_table.starts[1:] >= trace.step_table.ends[:-1]).all()


def test_clocks_without_an_error_are_left_alone():
    options = replace(EXACT, replicas=2, steps=3)
    job = make_job(options)
    trace = trace_of_job(job)
    assert trace.imported.issues == {}
    starts = np.sort(job.table["start"]) - job.table["start"].min()
    assert trace.bounds[1] == job.table["end"].max() - job.table["start"].min() and not starts[0]


def test_passes_that_fit_no_placement_keep_their_times_and_this_is_said():
    events = events_of_job(make_job(replace(EXACT, sends=False)))
    random = np.random.default_rng(0)
    rank = random.permutation(4).astype(np.int32)[events.pipeline.rank]
    shuffled = replace(events, pipeline=replace(events.pipeline, rank=rank))
    trace = trace_of_events(shuffled, "shuffled")
    assert trace.imported.issues[ImportIssue.NO_PLACEMENT] == 1
    assert len(trace.table.after) == 0


def test_a_vee_is_recognised():
    events = events_of_job(
        make_job(replace(EXACT, ranks=4, chunks=1, microbatches=4, sends=False, transfer=0))
    )
    # Four stages on two ranks, as zero bubble V places them.
    stage = events.pipeline.rank
    rank = np.minimum(stage, 3 - stage)
    places = replace(events.pipeline, rank=rank, chunk=np.where(stage < 2, 0, 1).astype(np.int32))
    trace = trace_of_events(replace(events, pipeline=places), "vee")
    found = needs(trace, 0)
    assert found["2F1"] == ["1F1"] and found["0B1"] == ["1B1"]


def test_sends_without_a_receive_are_copies_too():
    job = make_job(replace(EXACT, ranks=2, microbatches=4))
    events = events_of_job(job)
    is_receive = np.isin(events.pipeline.transfer, [1, 3])
    trace = trace_of_events(events.picked(~is_receive), "half")
    assert needs(trace, 0)["1F2"] == ["1C2"] and trace.imported.issues == {}


def test_transfers_that_fit_no_pass_are_shown_and_counted():
    job = make_job(replace(EXACT, ranks=2, microbatches=4, steps=1))
    events = events_of_job(job)
    first = np.flatnonzero(events.pipeline.transfer == 0)[0]
    kept = np.arange(len(events)) != first
    trace = trace_of_events(events.picked(kept), "cut")
    # Four receives remain; the three sends of rank 0 may belong to any of four passes.
    assert trace.imported.issues == {ImportIssue.UNMATCHED_TRANSFER: 3}
    assert needs(trace, 0)["1F2"] == ["1C2"]


def test_collectives_of_a_stage_wait_for_its_slowest_replica():
    options = replace(EXACT, replicas=2, fault=Fault.WORKER, amount=2.0, seed=3)
    job = make_job(options)
    trace = trace_of_job(job)
    replica, rank = job.truth.worker
    explanation = explain_run_step(trace, 0)
    totals = cause_totals(explanation).sum(axis=0)
    waits = waits_of(explanation.columns, trace.header.lanes)
    gathers = explanation.columns.kind == KINDS.index(Kind.REDUCE_SCATTER)
    slowest = waits.slowest[gathers & (explanation.columns.stage == rank)]
    assert set(explanation.columns.replica[slowest].tolist()) == {replica}
    assert totals.sum() > 0


@pytest.mark.parametrize("seed", range(12))
def test_a_replay_of_a_step_by_its_own_durations_is_as_long_as_measured(seed):
    options = replace(random_options(seed), shift=0, steps=3)
    trace = trace_of_job(make_job(options))
    assert len(trace.table.firsts) == 2
    for step in trace.steps:
        made, measured = replayed(trace, step)
        assert made == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize("seed", range(8))
def test_the_idle_time_of_every_lane_adds_up(seed):
    options = replace(random_options(100 + seed), replicas=2, steps=2)
    trace = trace_of_job(make_job(options))
    for step in trace.steps:
        explanation = explain_run_step(trace, step)
        columns = explanation.columns
        busy = np.zeros(len(trace.header.lanes), np.int64)
        np.add.at(busy, columns.lane, columns.duration)
        total = busy + cause_totals(explanation).sum(axis=1)
        compute = [lane.index for lane in trace.header.compute_lanes]
        assert (total[compute] == explanation.makespan).all()


def test_issues_are_counted_once_for_each_file():
    events = events_of_job(make_job(EXACT))
    before = Counter(events.issues)
    trace_of_events(events, "first")
    assert events.issues == before


def test_a_transfer_that_two_passes_claim_is_counted_once():
    # Found by the fuzzer: a damaged MegaScan trace said that -1 transfers belong to no passes.
    path = PROJECT_ROOT / "tests" / "data" / "megascan-transfer-of-two-passes.json.gz"
    issues = open_recording(path).trace.imported.issues
    assert min(issues.values()) >= 0
    assert issues.get(ImportIssue.UNMATCHED_TRANSFER, 0) == 0
