"""The ladder, the critical path and the bubbles of a step add up and say what was made so."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.explain.bubble import bubble_of, closed_form
from core.explain.critical import PathShare, critical_path, path_shares
from core.explain.explanation import cause_totals
from core.plan.division import Pipeline
from core.plan.task import KINDS, Kind
from core.report.step_figures import step_figures
from core.report.waterfall import waterfall
from tests.core.explain.drawn import Step, delayed, late_steps, steps
from tests.core.explain.test_causes import MS, PASS, step_of


@given(late_steps())
def test_the_rungs_add_up_to_the_makespan(step: Step) -> None:
    explanation = step.explained()
    found = waterfall(explanation)
    assert sum(found.values()) == explanation.makespan
    assert "contention" not in found
    assert min(found[name] for name in ("ideal", "imbalance", "bubble", "communication")) >= 0


@given(late_steps(), st.integers(0, 2**32))
def test_the_rungs_add_up_whatever_the_costs_are_said_to_be(step: Step, seed: int) -> None:
    costs = np.random.default_rng(seed).integers(0, 2000, len(step.durations))
    found = waterfall(step.explained(), costs)
    assert sum(found.values()) == step.explained().makespan
    assert "contention" in found


@given(steps())
def test_a_step_that_ran_as_simulated_owes_nothing_to_the_host(step: Step) -> None:
    assert waterfall(step.explained())["host"] == 0


def test_the_rungs_of_a_pipeline_are_those_of_the_textbook() -> None:
    costs = {**PASS, Kind.COPY: 0.5}
    step = step_of("pipeline", costs, {1: 2}, devices="2xcuda:0", batch=4, microbatches=4)
    found = waterfall(step.explained())
    # Lane 0 computes 4 x 3 ms and lane 1 twice that; it waits for 0F0, and 0B3 comes behind it.
    assert found == {
        "ideal": 18 * MS, "imbalance": 6 * MS, "bubble": 3 * MS, "communication": MS, "host": 0,
    }  # fmt: skip


def test_tasks_slower_than_their_costs_are_contention_and_late_ones_the_hosts() -> None:
    step = step_of("mp", PASS, batch=4)
    costs = step.durations
    late = np.where(step.columns.kind == KINDS.index(Kind.BACKWARD), 3 * MS, 0)
    crowded = delayed(step.costing(2 * costs), late)
    found = waterfall(crowded.explained(), costs)
    assert (found["contention"], found["host"]) == (6 * MS, 6 * MS)
    assert waterfall(crowded.explained())["host"] == 6 * MS


def test_a_rung_below_zero_is_shown() -> None:
    step = step_of("mp", PASS, batch=4)
    assert waterfall(step.explained(), 2 * step.durations)["contention"] == -6 * MS


@given(late_steps())
def test_the_critical_path_runs_without_a_gap_from_the_steps_start_to_its_end(step: Step) -> None:
    explanation = step.explained()
    pieces = critical_path(explanation)
    bounds = [explanation.begin, *(piece.end for piece in pieces)]
    assert [piece.start for piece in pieces] == bounds[:-1] and bounds[-1] == explanation.finish
    assert sum(path_shares(pieces).values()) == explanation.makespan
    assert all(piece.end > piece.start for piece in pieces)


@given(steps())
def test_without_lateness_the_critical_path_is_all_work(step: Step) -> None:
    shares = path_shares(critical_path(step.explained()))
    assert shares[PathShare.HOST] == shares[PathShare.WAITING] == 0


@given(steps(1), st.data())
def test_what_is_on_the_critical_path_decides_the_makespan(step: Step, data: st.DataObject) -> None:
    """With costs drawn from 10^9 no two paths are equally long."""
    explanation = step.explained()
    piece = data.draw(st.sampled_from(critical_path(explanation)))
    durations = step.durations.copy()
    durations[piece.task] = 0
    assert step.costing(durations).explained().makespan < explanation.makespan


def test_a_late_task_is_the_hosts_until_it_is_launched_and_then_waits_for_its_lane() -> None:
    step = step_of("single", PASS, devices="1xcpu", batch=4)
    backward = int(np.flatnonzero(step.columns.kind == KINDS.index(Kind.BACKWARD))[0])
    late = np.zeros(len(step.durations), np.int64)
    late[backward] = 5 * MS
    step = delayed(step, late)
    columns = step.columns
    columns = replace(columns, launched=columns.start - 2 * MS)
    shares = path_shares(critical_path(step._replace(columns=columns).explained()))
    assert {share: ns / MS for share, ns in shares.items() if ns} == {
        PathShare.COMPUTE: 3, PathShare.HOST: 3, PathShare.WAITING: 2,
    }  # fmt: skip


def test_transfers_and_collectives_have_shares_of_their_own() -> None:
    step = step_of("mp", {**PASS, Kind.COPY: 3}, devices="2xcuda:0", batch=4)
    shares = path_shares(critical_path(step.explained()))
    assert (shares[PathShare.COMPUTE], shares[PathShare.TRANSFER]) == (6 * MS, 6 * MS)
    step = step_of("ddp", {**PASS, Kind.ALL_REDUCE: 5}, {1: 2}, batch=4)
    shares = path_shares(critical_path(step.explained()))
    assert shares[PathShare.COLLECTIVE] == 5 * MS


@given(late_steps())
def test_the_bubble_is_the_idle_time_over_lanes_times_makespan(step: Step) -> None:
    explanation = step.explained()
    lanes = step.compute_lanes()
    idle, whole = cause_totals(explanation)[lanes].sum(), explanation.makespan * len(lanes)
    found = bubble_of(explanation.columns, explanation.lanes)
    assert found.by_makespan == pytest.approx(idle / whole if whole else 0)
    assert 0 <= found.by_lane_span <= 1


def test_equal_stages_give_the_closed_form() -> None:
    step = step_of("pipeline", PASS, schedule="1f1b", devices="4xcpu", batch=8, microbatches=8)
    form = closed_form(step.columns, step.plan.pipeline)
    assert form == pytest.approx(3 / 11)
    assert bubble_of(step.columns, step.plan.lanes).by_makespan == pytest.approx(3 / 11)
    assert step_figures(step.explained(), step.plan.pipeline).closed_form == form


def test_plans_and_schedules_without_a_formula_have_no_closed_form() -> None:
    step = step_of("dp", PASS, batch=4)
    assert closed_form(step.columns, step.plan.pipeline) is None
    assert closed_form(step.columns, Pipeline("nobody's", 2, 4, 1)) is None
    assert closed_form(step.columns, Pipeline("split", 2, 4, 1)) is None


def test_by_lane_span_only_the_longest_lanes_own_span_counts() -> None:
    step = step_of("mp", PASS, batch=4)
    # Lane 0: forward, 3 ms idle, backward. Lane 1 works 3 ms in one go.
    assert bubble_of(step.columns, step.plan.lanes).by_lane_span == pytest.approx(3 / 6)
    assert bubble_of(step.columns, step.plan.lanes).by_makespan == pytest.approx(6 / 12)
