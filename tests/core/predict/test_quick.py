"""A pipeline's columns made without tasks are those of its plan."""

import numpy as np
import pytest

from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, describe
from core.plan.strategies.pipeline import microbatch_rows
from core.plan.task import PlanError
from core.predict.costs import durations
from core.predict.costs_file import costs_of
from core.predict.quick import quick_plan
from core.predict.setting import job_without_machine, setting_of
from core.predict.simulate import levels_of, simulate, simulate_levels
from core.trace.step import StepColumns
from tests.core.predict.plans import even

TOLD = ("lane", "start", "end", "kind", "stage", "microbatch", "rows", "bytes", "paired_stage",
        "paired_microbatch")  # fmt: skip
WITH_REPLICAS_OR_ONE_LOSS = ("chimera", "split")


def spans(columns):
    """Every task and when it ran, without the number that it has."""
    return sorted(zip(*(getattr(columns, name).tolist() for name in TOLD), strict=True))


def random_costs(stages, seed):
    """Costs of each stage, and a link that is slow enough to be felt."""
    draw = np.random.default_rng(seed)
    names = ("forward_ms", "backward_input_ms", "backward_weight_ms", "step_ms")
    listed = {name: draw.integers(1, 9, stages).astype(float).tolist() for name in names}
    return costs_of({**listed, "loss_ms": 0.5, "link_latency_us": 50, "link_bandwidth_gb_s": 0.01})


@pytest.mark.parametrize("device", ["cuda", "cpu"])
@pytest.mark.parametrize("name", [n for n in SCHEDULES if n not in WITH_REPLICAS_OR_ONE_LOSS])
def test_every_task_runs_when_the_plans_own_would(name, device):
    compared = 0
    for ranks in (1, 2, 3, 4, 7):
        for microbatches in (1, 2, 5, 8, 14, 17):
            for chunks in (2, 3) if SCHEDULES[name].settable_chunks else (None,):
                specification = Specification(
                    "pipeline", devices=f"{ranks}x{device}", schedule=name, chunks=chunks,
                    microbatches=microbatches, batch=microbatches + 1,
                )  # fmt: skip
                costs = random_costs(ranks * (chunks or SCHEDULES[name].chunks), ranks)
                try:
                    setting = setting_of(specification, describe(specification), costs)
                except PlanError:
                    continue
                _, job = job_without_machine(specification, describe(specification), costs)
                quick = quick_plan(job, microbatch_rows(job))
                assert quick is not None
                assert (quick.stages, quick.pipeline) == (
                    setting.plan.stages,
                    setting.plan.pipeline,
                )
                whole = StepColumns.of_plan(setting.plan)
                assert len(quick.columns.after) == len(whole.after)
                told = [
                    spans(simulate(columns, durations(columns, costs, quick.stages)))
                    for columns in (quick.columns, whole)
                ]
                assert told[0] == told[1], specification
                times = durations(quick.columns, costs, quick.stages)
                levels = levels_of(quick.needs, quick.runs)
                assert spans(simulate_levels(quick.columns, levels, times)) == told[1]
                compared += 1
    assert compared > 5


@pytest.mark.parametrize("name", WITH_REPLICAS_OR_ONE_LOSS)
def test_what_only_the_whole_plan_can_tell_is_left_to_it(name):
    specification = Specification("pipeline", devices="4xcuda", schedule=name, microbatches=8)
    _, job = job_without_machine(specification, describe(specification), even())
    assert quick_plan(job, microbatch_rows(job)) is None


def test_ranks_that_share_lanes_are_left_to_the_whole_plan():
    specification = Specification("pipeline", devices="2xcuda", stages=4, microbatches=8)
    _, job = job_without_machine(specification, describe(specification), even())
    assert quick_plan(job, microbatch_rows(job)) is None


def test_numbers_that_do_not_go_together_are_refused():
    specification = Specification("pipeline", devices="2xcuda", chunks=2, microbatches=8)
    with pytest.raises(PlanError, match="--chunks 2 is not for 1f1b"):
        _, job = job_without_machine(specification, describe(specification), even())
        quick_plan(job, microbatch_rows(job))


def test_lanes_without_a_machine_share_nothing():
    specification = Specification("pipeline", devices="3xcpu", microbatches=2)
    _, job = job_without_machine(specification, describe(specification), even())
    assert [lane.name for lane in job.lanes] == ["cpu:0", "cpu:1", "cpu:2"]
    assert not any(lane.sharing for lane in job.lanes)
