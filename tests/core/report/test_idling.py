"""How long steps take and what lanes wait for, against runs whose idle time is known."""

from dataclasses import replace

import pytest

from core.explain.causes import CAUSES, Cause
from core.explain.run_step import explain_run_step
from core.models.catalogue import ModelSettings
from core.plain import share_text
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.idling import REASONS, Idling, idle_sentences
from core.report.step_figures import step_figures
from core.trace.complete import completed_steps
from tests.core.explain.test_causes import step_of
from tests.core.recording.importers.pipeline_jobs import Fault, JobOptions, make_job, trace_of_job
from tests.core.report.verdicts import made

MODEL = ModelSettings("mlp", width=256, depth=16)


def idling(strategy: str, lanes: int = 4, **given: object) -> tuple[Idling, float]:
    """What is found, and the same steps' mean bubble as the summary has it."""
    spec = Specification(strategy, MODEL, f"{lanes}xvirtual:cpu", steps=3, **{"batch": 64, **given})
    trace = made(spec).trace
    explanations = [explain_run_step(trace, step) for step in completed_steps(trace)]
    bubbles = [step_figures(explained).bubble_by_makespan for explained in explanations]
    return Idling.of(explanations), sum(bubbles) / len(bubbles)


@pytest.mark.parametrize("strategy", ["dp", "mp", "pipeline", "ddp", "fsdp", "tp"])
def test_the_idle_share_is_the_bubble_by_makespan(strategy: str) -> None:
    found, bubble = idling(strategy)
    assert found.share == pytest.approx(bubble, rel=1e-3)
    assert found.cause is None or 0 < found.cause_share <= found.share + 1e-9


def test_in_dp_lanes_wait_for_device_0_which_works_for_all() -> None:
    found, _ = idling("dp", slow_kind="gather:3000 reduce:3000")
    assert (found.cause, found.lane, found.device) == (Cause.COLLECT, 0, 0)
    assert found.for_all is not None and found.for_all.share > 0.3
    assert found.for_all.kinds[0] is Kind.REDUCE
    said = str(idle_sentences(found))
    assert "mostly waiting for device 0 (" in said
    share = share_text(found.for_all.share)
    assert f". Device 0 spends {share} of the step on the others: reduce." in said


@pytest.mark.parametrize(
    ("slow", "cause", "work"),
    [
        ("scatter:3000", Cause.SCATTER, "scatter"),
        ("replicate:3000", Cause.REPLICATE, "model copies"),
        ("gather:3000", Cause.COLLECT, "gather"),
        ("loss:3000", Cause.LOSS, "loss"),
        ("step:300", Cause.UPDATE, "update"),
    ],
)
def test_the_longest_part_of_the_work_for_all_is_named_first(
    slow: str, cause: Cause, work: str
) -> None:
    found, _ = idling("dp", slow_kind=slow)
    assert found.cause is cause
    said = str(idle_sentences(found))
    assert "mostly waiting for device 0 (" in said
    assert f" of the step on the others: {work}" in said


def test_lanes_that_share_a_device_are_called_lanes() -> None:
    step = step_of("dp", {Kind.FORWARD: 1, Kind.BACKWARD: 2, Kind.GATHER: 30}, batch=4)
    assert "mostly waiting for lane 0 (" in str(idle_sentences(Idling.of([step.explained()])))


def test_in_mp_no_lane_alone_holds_the_others_up() -> None:
    found, _ = idling("mp")
    assert found.cause is Cause.COMPUTE and found.lane is None
    assert "mostly waiting for other lanes to compute" in str(idle_sentences(found))


def test_a_slow_last_stage_is_who_the_others_wait_for() -> None:
    found, _ = idling("pipeline", schedule="1f1b", microbatches=16, slow_lane="3:4")
    assert (found.cause, found.lane) == (Cause.COMPUTE, 3)
    assert "waiting for lane 3 to compute" in str(idle_sentences(found))


def test_a_slow_rank_of_another_program_has_its_name_and_no_number_of_a_lane() -> None:
    options = JobOptions(ranks=4, replicas=1, microbatches=16, fault=Fault.WORKER, amount=4)
    job = make_job(options)
    trace = trace_of_job(job)
    explanations = [explain_run_step(trace, step) for step in completed_steps(trace)]
    found = Idling.of(explanations, source=trace.header.source)
    assert job.truth.worker is not None and found.cause is Cause.COMPUTE
    rank = job.truth.worker[1]
    assert f"waiting for rank {rank} to compute" in str(idle_sentences(found))


def test_the_share_of_a_cause_is_what_the_lane_that_is_named_holds_up() -> None:
    spec = Specification("pipeline", MODEL, "4xvirtual:cpu", microbatches=16, slow_lane="3:4")
    explained = explain_run_step(made(replace(spec, steps=1, batch=64, warmup=0)).trace, 0)
    found = Idling.of([explained])
    mine = explained.columns.lane[explained.blocking] == 3
    mine &= explained.cause == CAUSES.index(Cause.COMPUTE)
    assert found.lane == 3
    lost = (explained.end - explained.start)[mine].sum()
    assert found.cause_share == pytest.approx(lost / explained.makespan / 4)


@pytest.mark.parametrize(
    ("strategy", "given"),
    [
        ("mp", {"slow_lane": "0:4"}),
        ("dp-pp", {"slow_kind": "all-reduce:3000"}),
        ("pipeline", {"schedule": "gpipe", "slow_kind": "copy:3000"}),
    ],
)
def test_a_cause_whose_text_names_no_lane_has_its_whole_share(
    strategy: str, given: dict[str, object]
) -> None:
    spec = Specification(strategy, MODEL, "4xvirtual:cpu", **{"batch": 64, "steps": 3, **given})
    trace = made(spec).trace
    explanations = [explain_run_step(trace, step) for step in completed_steps(trace)]
    found = Idling.of(explanations)
    assert found.cause is not None and "{who}" not in REASONS[found.cause]
    lost, whole = 0, 0
    for explained in explanations:
        whole += 4 * (explained.finish - explained.begin)
        pieces = zip(explained.cause, explained.start, explained.end, strict=True)
        lost += sum(end - start for cause, start, end in pieces if CAUSES[cause] is found.cause)
    assert found.lane is None
    assert found.cause_share == pytest.approx(lost / whole)


def test_mostly_is_said_of_half_the_idle_time_or_more() -> None:
    found = Idling(37_000_000, 0.4, Cause.COMPUTE, 0.2)
    assert "idle 40 %: mostly waiting" in str(idle_sentences(found))
    less = replace(found, cause_share=0.19)
    assert "idle 40 %, the largest part waiting" in str(idle_sentences(less))


def test_a_single_lane_has_a_step_and_nothing_to_wait_for() -> None:
    found, _ = idling("single", lanes=1)
    assert found.cause is None
    said = str(idle_sentences(found))
    assert said == said.split(" Lanes")[0] + " Lanes idle 0 %."


def test_rows_are_spoken_of_only_where_those_that_wait_have_some(tmp_path) -> None:
    schedule = tmp_path / "two.csv"
    schedule.write_text("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", "utf-8")
    found, _ = idling("pipeline", lanes=3, schedule=str(schedule), microbatches=2)
    assert found.cause is Cause.IMBALANCE
    said = str(idle_sentences(found))
    assert ", with more work (" in said and "rows" not in said
    found, _ = idling("dp", lanes=2, batch=3)
    assert (found.cause, found.lane) == (Cause.IMBALANCE, 0)
    assert "waiting for lane 0, with more rows (" in str(idle_sentences(found))


def test_every_cause_of_compute_lanes_has_its_reason() -> None:
    assert set(REASONS) == set(CAUSES) - {Cause.NOTHING_TO_MOVE}  # which no compute lane has
