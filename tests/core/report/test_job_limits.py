"""Verdicts on training jobs: the right kind, rank and loss, by jobs whose costs are known."""

import re

import numpy as np
import pytest

from core.compare.runs import compare_runs
from core.explain.causes import Cause
from core.explain.explanation import cause_totals
from core.explain.gaps import run_gap_report
from core.explain.lanes import gap_at, gaps_within
from core.explain.run_step import explain_run_step
from core.report.limits import Limit
from core.report.summary import summarise
from core.report.verdict import verdict
from core.sql.tables import steps as steps_table
from tests.core.report.made_jobs import FAULTS, MS, Job, opened, ran

KINDS = {
    "between": Limit.HOST, "data": Limit.DATA, "host": Limit.HOST, "forward": Limit.BLOCK,
    "loss": Limit.BLOCK, "backward": Limit.BLOCK, "late": Limit.HOST, "update": Limit.UPDATE,
}  # fmt: skip


@pytest.mark.parametrize("part", FAULTS)
@pytest.mark.parametrize(("ranks", "seed"), [(2, 1), (2, 2), (4, 3), (4, 4), (8, 5)])
def test_a_part_that_one_rank_takes_longer_for_is_named_with_its_loss(tmp_path, part, ranks, seed):
    noise = np.random.default_rng(seed)
    slow = int(noise.integers(ranks))
    extra = float(noise.uniform(3, 30)) * MS
    job = Job(ranks, extra={(slow, part, None): extra}, seed=seed)
    trace, happened = opened(job, tmp_path)
    found = verdict(trace)
    lost = np.median(happened.iterations - ran(job.without()).iterations)
    assert (found.kind, found.where) == (KINDS[part], f"rank {slow}"), found.text
    assert abs(found.loss_ns - lost) < 0.1 * lost + 0.5 * MS, found.text
    assert f"ank {slow} " in str(found.text)
    if part in ("forward", "backward"):
        assert f"the {part} pass of block layers.1" in str(found.text)


@pytest.mark.parametrize("seed", range(12))
def test_without_a_fault_no_rank_is_blamed(tmp_path, seed):
    noise = np.random.default_rng(seed)
    job = Job(int(noise.integers(2, 6)), int(noise.integers(4, 30)), seed=seed,
              jitter=float(noise.choice([0.01, 0.05, 0.2, 0.5])))  # fmt: skip
    found = verdict(opened(job, tmp_path)[0])
    assert "rank" not in found.where, found.text


@pytest.mark.parametrize(("first", "second"), [("update", "data"), ("late", "forward")])
def test_two_ranks_that_lose_time_one_after_the_other_lose_it_once(tmp_path, first, second):
    """One rank updates late while the other one already waits: in all a step is 20 ms longer."""
    extra = {(0, first, None): 20.0 * MS, (1, second, None): 12.0 * MS}
    job = Job(extra=extra)
    trace, happened = opened(job, tmp_path)
    found = verdict(trace)
    mended = Job(extra={(1, second, None): 12.0 * MS})
    saved = np.median(happened.iterations - ran(mended).iterations)
    assert (found.kind, found.where) == (KINDS[first], "rank 0")
    assert abs(found.loss_ns - saved) < 1 * MS
    assert min(summarise(trace).median.ladder.values()) > -1 * MS


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("data", "Waiting for the next batch of data costs 20"),
        ("update", "Updating the model costs 2"),
        ("loss", "other code between the forward and the backward pass cost 20"),
        ("late", "Host code outside the model, the data loader and the optimizer costs 20"),
    ],
)
def test_what_all_ranks_lose_is_no_ranks_fault(tmp_path, ranks, part, words):
    slow = {(rank, part, None): 20.0 * MS for rank in range(ranks)}
    found = verdict(opened(Job(ranks, extra=slow), tmp_path)[0])
    assert (found.kind, found.where) == ((Limit.LOSS if part == "loss" else KINDS[part]), "")
    assert words in str(found.text)


def test_what_is_lost_in_every_step_is_said_before_a_smaller_hiccup(tmp_path):
    extra = {(1, "update", None): 8.0 * MS, (0, "forward", 5): 30.0 * MS}
    found = verdict(opened(Job(extra=extra), tmp_path)[0])
    assert (found.kind, found.where) == (Limit.UPDATE, "rank 1")


def test_a_hiccup_that_costs_more_than_what_is_lost_in_every_step_is_said(tmp_path):
    extra = {(0, "forward", 5): 900.0 * MS}
    found = verdict(opened(Job(extra=extra), tmp_path)[0])
    assert found.kind is Limit.HICCUP and found.where == "step 5 rank 0"


@pytest.mark.parametrize("part", ["update", "data", "between", "forward"])
def test_a_step_lasts_from_one_update_to_the_next_wherever_it_is_shown(tmp_path, part):
    away = {(rank, step): 300.0 * MS for rank in range(2) for step in (4, 8)}
    away[0, 6] = 500.0 * MS  # one rank alone, while the other one waits for it
    job = Job(2, extra={(1, part, None): 20.0 * MS}, outside=away)
    trace, happened = opened(job, tmp_path)
    steps = range(1, job.steps)
    paused = np.array([[away.get((rank, step), 0) for step in steps] for rank in range(2)])
    begins = (happened.ends[:, :-1] + paused.astype(int)).max(axis=0)
    true = happened.ends.max(axis=0)[1:] - begins
    summary = summarise(trace)
    assert [step.makespan_ns for step in summary.steps] == true.tolist()
    assert true.max() < 45 * MS
    table = steps_table(trace)
    assert table["makespan_ns"].to_pylist()[1:] == true.tolist()
    compared = compare_runs(trace, trace)
    assert compared.makespans[0] == summary.median.makespan_ns
    for step in summary.steps:
        assert sum(step.ladder.values()) == sum(step.critical_path.values()) == step.makespan_ns
        explanation = explain_run_step(trace, step.step)
        totals = cause_totals(explanation)
        for lane, own in enumerate(step.lanes):
            assert own.idle_ns >= 0
            assert own.idle_ns + own.busy_ns + own.communication_ns == explanation.lengths[lane]
            assert own.idle_ns == totals[lane].sum() == sum(own.idle_by_cause.values())


def test_what_lies_between_steps_is_in_the_first_sentence_the_bars_and_the_shares(tmp_path):
    extra = {(rank, "between", None): 79.0 * MS for rank in range(2)}
    trace, happened = opened(Job(extra=extra, jitter=0.001), tmp_path)
    found, summary = verdict(trace), summarise(trace)
    iteration = float(np.median(happened.iterations)) / MS
    told = re.match(
        r"([\d.]+) ms per iteration, ([\d.]+) ms of it between steps\.", str(found.text)
    )
    assert abs(float(told[1]) - iteration) < 0.1 and abs(float(told[2]) - 79.2) < 0.2
    assert abs(summary.median.ladder["between"] / MS - 79.2) < 0.2
    between = summary.median.lanes[0].idle_by_cause[str(Cause.BETWEEN_STEPS)]
    assert abs(between / MS - 79.2) < 0.2
    assert "mostly between steps" in str(found.text)


def test_a_slow_rank_is_named_as_a_whole(tmp_path):
    parts = ("forward", "forward 0", "forward 2", "backward", "backward 0", "backward 2", "update")
    costs = Job().costs
    extra = {(1, part, None): 0.5 * costs[part.split()[0]] for part in parts}
    found = verdict(opened(Job(extra=extra, seed=3), tmp_path)[0])
    assert (found.kind, found.where) == (Limit.SLOW_LANE, "rank 1")
    factor = re.search(r"Rank 1 is a straggler: it takes (\S+) times as long", str(found.text))
    assert factor is not None and abs(float(factor[1]) - 1.5) < 0.02


def test_an_idle_moment_of_a_rank_that_is_ahead_is_of_its_own_step(tmp_path):
    """Rank 0 begins its next step, and waits in it, before rank 1 has updated."""
    extra = {(1, "update", None): 40.0 * MS}
    trace, happened = opened(Job(extra=extra), tmp_path)
    for step in (3, 4):
        waits = gaps_within(trace, 0, step, step)
        long = waits.end - waits.start > 20 * MS
        (start,), (end,) = waits.start[long].tolist(), waits.end[long].tolist()
        assert start < happened.ends[1, step - 1] - 1000 * MS < end
        for moment in (start + 1, end - 1):
            gap, report = gap_at(trace, 0, moment), run_gap_report(trace, 0, moment)
            assert (gap.step, gap.start, gap.end) == (step, start, end)
            assert (report.start, report.end) == (start, end)
            assert report.cause is Cause.SLOWEST_RANK
