"""The verdict names what was put in, and what that costs; without a fault it names none."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bubblescope.cli.report import summary_text
from core.models.catalogue import ModelSettings
from core.plain import duration_text
from core.plan.specification import Specification, describe
from core.plan.task import KINDS, Kind
from core.report.idling import step_text
from core.report.limits import (
    DEVICE_SENTENCES,
    JOB_SENTENCES,
    LANE_SENTENCES,
    RANK_SENTENCES,
    Limit,
)
from core.report.summary import summarise
from core.report.verdict import Verdict, verdict
from core.trace.complete import completed_steps
from core.trace.source import Source
from core.trace.step import StepColumns
from tests.core.explain.drawn import specifications
from tests.core.helpers import Engine, plan_of, planned, trace_of
from tests.core.report.verdicts import Made, equal_blocks, made, unequal_blocks

MODEL = ModelSettings("mlp", width=256, depth=16)
FAULTS = (Limit.SLOW_LANE, Limit.SLOW_LINK, Limit.HICCUP)
WAYS = {
    "gpipe": ("pipeline", {"schedule": "gpipe"}),
    "1f1b": ("pipeline", {"schedule": "1f1b"}),
    "interleaved": ("pipeline", {"schedule": "interleaved"}),
    "zb-v": ("pipeline", {"schedule": "zb-v", "batch": 64}),
    "dualpipe-v": ("pipeline", {"schedule": "dualpipe-v"}),
    "dp-pp": ("dp-pp", {"microbatches": 4}),
    **{name: (name, {}) for name in ("mp", "dp", "ddp", "fsdp", "tp")},
}


def run(way: str, **given: object) -> Made:
    """Five measured steps with 5 % jitter on four lanes."""
    strategy, options = WAYS[way]
    given = {"devices": "4xvirtual:cpu", "batch": 64, "jitter": 0.05, "seed": 3, **options, **given}
    return made(Specification(strategy, MODEL, steps=5, warmup=2, **given))


def judged(made_up: Made) -> Verdict:
    found = verdict(made_up.trace)
    assert found is not None
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lane", [0, 2, 3])
def test_a_slow_lane_is_named_with_what_it_costs_a_step(way: str, lane: int) -> None:
    made_up = run(way, slow_lane=f"{lane}:1.5")
    found = judged(made_up)
    assert (found.kind, found.where) == (Limit.SLOW_LANE, f"lane {lane}")
    assert found.loss_ns == pytest.approx(made_up.median_loss, rel=0.1)
    assert f"Lane {lane} is a straggler: it takes 1." in str(found.text)


@pytest.mark.parametrize(
    ("way", "link", "factor"),
    [("gpipe", "1-2", 3000), ("1f1b", "0-1", 3000), ("interleaved", "0-3", 2000),
     ("mp", "2-3", 2000), ("dp", "0-2", 500), ("dp-pp", "2-3", 3000)],
)  # fmt: skip
def test_a_slow_link_is_named_with_what_it_costs_a_step(way: str, link: str, factor: int) -> None:
    made_up = run(way, slow_link=f"{link}:{factor}")
    found = judged(made_up)
    assert (found.kind, found.where) == (Limit.SLOW_LINK, f"link {link}")
    assert found.loss_ns == pytest.approx(made_up.median_loss, rel=0.1)


@pytest.mark.parametrize("way", WAYS)
def test_a_hiccup_is_named_with_its_step_its_lane_and_what_it_cost(way: str) -> None:
    made_up = run(way, hiccup="lane=1,step=4,ms=40")
    found = judged(made_up)
    assert (found.kind, found.where) == (Limit.HICCUP, "step 4 lane 1")
    assert found.loss_ns == pytest.approx(made_up.losses[3], rel=0.1)
    assert np.count_nonzero(made_up.losses) == 1


@pytest.mark.parametrize("way", ["1f1b", "dp", "fsdp"])
def test_a_hiccup_of_a_run_is_named_only_from_a_tenth_of_its_step(way: str) -> None:
    """A machine that nothing else uses stops a task by itself for 4 to 10 % of a step."""
    whole = float(np.median(run(way, jitter=0.01).with_faults)) / 1e6
    for part in (0.06, 0.09, 0.13, 0.25):
        made_up = run(way, jitter=0.01, hiccup=f"lane=1,step=4,ms={part * whole:.3f}")
        share = made_up.losses[3] / made_up.with_faults[3]
        trace = made_up.trace
        found = verdict(trace)
        assert found is not None and (found.kind is Limit.HICCUP) == (share >= 0.1), share
        # Predictions, jobs and traces of other programs have smaller hiccups too.
        predicted = replace(trace, header=replace(trace.header, source=Source.PREDICTED))
        found = verdict(predicted)
        assert found is not None and (found.kind is Limit.HICCUP) == (share >= 0.035), share


@pytest.mark.parametrize("way", WAYS)
def test_without_a_fault_no_lane_link_or_step_is_named(way: str) -> None:
    assert sum(judged(run(way, seed=seed)).kind in FAULTS for seed in range(10)) <= 1


def test_slow_kinds_and_jitter_are_nobodys_fault() -> None:
    assert judged(run("1f1b", slow_kind="backward:2")).kind is Limit.SCHEDULE


def test_a_verdict_does_not_look_at_what_was_put_in() -> None:
    """A header that claims another fault, or none, changes nothing."""
    made_up = run("1f1b", slow_lane="2:1.5")
    found = judged(made_up)
    header = made_up.trace.header
    for claimed in (None, "1:9"):
        asked = header.specification.having(slow_lane=claimed)
        made_up.trace.header = replace(header, specification=asked)
        assert verdict(made_up.trace) == found


def factors(columns: StepColumns, **by_kind: dict[int, float]) -> np.ndarray:
    """Of each task by its kind and lane, such as `forward={0: 1.4}`."""
    found = np.ones(len(columns))
    for kind, lanes in by_kind.items():
        for lane, factor in lanes.items():
            mine = columns.lane == lane
            found[mine & (columns.kind == KINDS.index(Kind(kind)))] = factor
    return found


def test_a_lane_of_longer_forwards_and_shorter_backwards_is_not_slow() -> None:
    """As on two lanes of one machine that share its cores: backwards are three quarters of all."""
    asked = Specification("pipeline", MODEL, "2xvirtual:cpu", batch=64, steps=5, jitter=0.05)
    for lane in (0, 1):
        run = made(asked, longer=lambda columns, _, lane=lane: factors(
            columns, forward={lane: 1.43}, backward={lane: 0.87},
        ))  # fmt: skip
        assert judged(run).kind is not Limit.SLOW_LANE


def test_a_lane_that_now_and_then_takes_longer_for_some_tasks_is_not_slow() -> None:
    """As three ranks on two cores: stalls of one and of another, the sums of both nearly equal."""
    asked = Specification("ddp", MODEL, "3xvirtual:cpu", batch=66, steps=3, warmup=0, jitter=0.05)

    def stalls(columns: StepColumns, step: int) -> np.ndarray:
        lane, blocks = ((1, [3]), (1, [3]), (2, [5, 6]))[step]
        struck = (columns.lane == lane) & np.isin(columns.block, blocks) & (columns.rows > 0)
        return np.where(struck, 20.0, 1.0)

    assert judged(made(asked, longer=stalls)).kind is not Limit.SLOW_LANE


@pytest.mark.parametrize("way", ["ddp", "dp", "1f1b"])
def test_the_factor_of_a_slow_lane_is_what_the_sums_of_its_tasks_show(way: str) -> None:
    strategy, options = WAYS[way]
    asked = Specification(
        strategy, MODEL, "4xvirtual:cpu", batch=64, steps=5, jitter=0.02, **options
    )
    found = judged(made(asked, longer=lambda columns, _: factors(
        columns, forward={2: 2.0}, backward={2: 1.2},
    )))  # fmt: skip
    assert (found.kind, found.where) == (Limit.SLOW_LANE, "lane 2")
    told = re.search(r"takes (\S+) times", str(found.text))
    # A forward takes half as long as a backward: (2 + 2 x 1.2) / 3.
    assert told is not None and float(told[1]) == pytest.approx(1.467, abs=0.03)


def test_tasks_without_peers_are_no_part_of_what_a_slow_lane_costs() -> None:
    """Lane 1 holds stages of two blocks, as lane 0 does, and of ten, as no other lane does."""
    asked = Specification(
        "pipeline", MODEL, "2xvirtual:cpu", batch=64, steps=3, jitter=0.02, microbatches=4,
    ).having(schedule="interleaved", borders="2,4,6", slow_lane="1:2")  # fmt: skip
    trace = made(asked).trace
    found = verdict(trace)
    assert found is not None and (found.kind, found.where) == (Limit.SLOW_LANE, "lane 1")
    columns = StepColumns.of_trace(trace, completed_steps(trace)[0])
    peered = (columns.lane == 1) & (columns.stage == 1)
    assert 0 < found.loss_ns <= 0.55 * columns.duration[peered].sum()


@pytest.mark.parametrize("factor", [1.3, 2.0])
@pytest.mark.parametrize("lane", [0, 1])
def test_a_slow_lane_of_two_stages_is_named(lane: int, factor: float) -> None:
    made_up = made(Specification(
        "pipeline", MODEL, "2xvirtual:cpu", batch=64, steps=5, jitter=0.05,
        slow_lane=f"{lane}:{factor}",
    ))  # fmt: skip
    found = judged(made_up)
    assert (found.kind, found.where) == (Limit.SLOW_LANE, f"lane {lane}")
    assert found.loss_ns == pytest.approx(made_up.median_loss, rel=0.1)


UNEQUAL = ("gpipe", "1f1b", "zb-v", "mp", "dp", "ddp", "dp-pp")


@pytest.mark.parametrize("way", UNEQUAL)
@pytest.mark.parametrize("lane", [0, 1, 3])
def test_a_slow_lane_of_blocks_that_no_other_lane_has_is_named_by_their_costs(
    way: str, lane: int
) -> None:
    strategy, options = WAYS[way]
    given = {"devices": "4xvirtual:cpu", "batch": 64, "jitter": 0.05, **options}
    spec = Specification(strategy, MODEL, steps=5, warmup=2, **given)
    costs = unequal_blocks(16, seed=lane)
    # The longest lane: a fault on a lane with time to spare costs nothing.
    clean = summarise(made(spec, costs=costs).trace)
    if strategy == "pipeline":
        busy = [one.busy_ns for one in clean.median.lanes if one.role == "compute"]
        lane = sorted(range(4), key=busy.__getitem__)[-1 - lane % 2]
    made_up = made(replace(spec, slow_lane=f"{lane}:1.8"), costs=costs)
    found = judged(made_up)
    assert (found.kind, found.where) == (Limit.SLOW_LANE, f"lane {lane}")
    assert found.loss_ns == pytest.approx(made_up.median_loss, rel=0.1)
    assert "at least" not in str(found.text)
    assert clean.verdict is not None and clean.verdict.kind not in FAULTS


@pytest.mark.parametrize("link", ["0-1", "1-2"])
def test_a_slow_link_whose_transfers_have_a_size_of_their_own_is_named_by_their_costs(
    link: str,
) -> None:
    spec = Specification(
        "pipeline", ModelSettings("resnet50"), "3xvirtual:cpu", batch=64, steps=5, jitter=0.05,
    ).having(schedule="1f1b", microbatches=8, borders="8,16")  # fmt: skip
    columns = plan_of(spec).columns
    from_first, from_last = (columns.bytes[columns.lane == lane] for lane in (3, 5))
    assert from_first.max() != from_last.max()
    costs = equal_blocks(len(describe(spec).blocks))
    made_up = made(replace(spec, slow_link=f"{link}:1000"), costs=costs)
    found = judged(made_up)
    assert (found.kind, found.where) == (Limit.SLOW_LINK, f"link {link}")
    assert found.loss_ns == pytest.approx(made_up.median_loss, rel=0.1)
    assert judged(made(spec, costs=costs)).kind not in FAULTS


def test_what_a_slow_lane_costs_is_at_least_so_much_where_a_part_of_it_is_unknown() -> None:
    asked = Specification("dp", MODEL, "4xvirtual:cpu", batch=64, steps=5, slow_lane="0:1.5")
    known = made(asked, costs=equal_blocks(16))
    unknown = made(asked)
    assert "which costs at least" in str(judged(unknown).text)
    assert judged(unknown).loss_ns <= 1.05 * unknown.median_loss
    assert "at least" not in str(judged(known).text)
    assert judged(known).loss_ns == pytest.approx(known.median_loss, rel=0.05)


def test_stages_of_different_sizes_are_imbalance_and_no_slow_lane() -> None:
    model = ModelSettings("mlp", width=256, depth=5)
    found = judged(made(Specification(
        "pipeline", model, "4xvirtual:cpu", batch=64, steps=5, warmup=0, jitter=0.05,
        microbatches=32,
    )))  # fmt: skip
    assert found.kind is Limit.IMBALANCE
    assert "the average lane for" in str(found.text)


def test_what_a_slow_link_costs_is_told_as_a_part_of_the_step_that_is_named() -> None:
    trace = run("1f1b", slow_link="1-2:3000", jitter=0.4).trace
    whole = summarise(trace)
    found = whole.verdict
    assert found is not None and found.kind is Limit.SLOW_LINK
    part = found.loss_ns / int(np.median([step.makespan_ns for step in whole.steps]))
    text = str(found.text)
    cost = f"costs {duration_text(found.loss_ns)} ({100 * part:.3g} % of the step)."
    assert text.endswith(cost)
    assert re.search(r"take \d,\d\d\d times as long", text)


def test_where_the_last_batch_is_smaller_the_part_is_still_one_of_the_step_that_is_named(
    engine: Engine,
) -> None:
    pytest.importorskip("torch")
    trace = engine.finish(Specification(
        "dp", MODEL, "2xvirtual:cpu", batch=64, data=400, jitter=0.1, slow_lane="1:3",
    ))  # fmt: skip
    whole = summarise(trace)
    assert len({sum(rows) for rows in whole.splits}) == 2
    found = whole.verdict
    assert found is not None and found.kind is Limit.SLOW_LANE
    median = int(np.median([step.makespan_ns for step in whole.steps]))
    assert str(found.text).startswith(str(step_text(median)))
    assert f"({100 * found.loss_ns / median:.2g} % of the step)" in str(found.text)


@pytest.mark.parametrize("seed", range(3))
def test_what_a_lane_computes_and_its_loss_are_those_of_the_summarys_median_step(seed: int) -> None:
    trace = made(Specification(
        "single", MODEL, "2xvirtual:cpu", batch=64, steps=3, jitter=0.3, seed=seed,
    )).trace  # fmt: skip
    whole = summarise(trace)
    median = int(np.median([step.makespan_ns for step in whole.steps]))
    assert whole.verdict is not None and whole.verdict.kind is Limit.IMBALANCE
    said = str(whole.verdict.text)
    assert said.startswith(str(step_text(median)))
    assert f"computes for {duration_text(median)}, the average lane" in said
    assert whole.verdict.loss_ns == pytest.approx(median / 2, rel=1e-4)


def test_the_first_stages_cheaper_backward_makes_no_other_lane_slow() -> None:
    model = ModelSettings("mlp", width=256, depth=4)
    for schedule in ("1f1b", "zb-h1"):
        found = judged(made(Specification(
            "pipeline", model, "4xvirtual:cpu", batch=256, steps=5, warmup=0, schedule=schedule,
            microbatches=32,
        )))  # fmt: skip
        assert found.kind not in FAULTS


def test_a_step_of_one_stage_at_a_time_is_limited_by_its_order() -> None:
    found = judged(run("mp"))
    assert (found.kind, found.where) == (Limit.SCHEDULE, "")
    assert 0.5 < found.loss_ns / np.median(run("mp").with_faults) < 0.8


def test_order_costs_no_more_than_the_lane_that_computes_longest_is_idle() -> None:
    model = ModelSettings("mlp", width=256, depth=5)
    trace = made(Specification(
        "pipeline", model, "4xvirtual:cpu", batch=64, steps=5, warmup=0, microbatches=4,
    )).trace  # fmt: skip
    found = verdict(trace)
    assert found is not None and found.kind is Limit.SCHEDULE
    step = summarise(trace).steps[0]
    assert found.loss_ns <= min(lane.idle_ns for lane in step.lanes)


def test_an_order_that_only_uneven_work_hides_is_named_too() -> None:
    found = judged(made(Specification(
        "pipeline", ModelSettings("mlp", width=256, depth=3), "2xvirtual:cpu", batch=64, steps=3,
        warmup=0, microbatches=2,
    )))  # fmt: skip
    assert found.kind is Limit.SCHEDULE


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ({"slow_lane": "1:1.15"}, Limit.SCHEDULE),
        ({"slow_lane": "1:1.6"}, Limit.SLOW_LANE),
        ({"hiccup": "lane=1,step=2,ms=0.4"}, Limit.SCHEDULE),
        ({"hiccup": "lane=1,step=2,ms=1.5"}, Limit.HICCUP),
    ],
)
def test_what_a_machine_does_by_itself_to_tasks_of_an_eighth_of_a_ms_is_no_fault(fault, kind):
    tiny = Specification(
        "pipeline", ModelSettings("mlp", width=256, depth=4), "4xvirtual:cpu", batch=4, steps=5,
        warmup=0, microbatches=4, jitter=0.001, **fault,
    )  # fmt: skip
    trace = made(tiny).trace
    found = verdict(trace)
    assert found is not None and found.kind is kind
    # A prediction has no noise.
    told = verdict(replace(trace, header=replace(trace.header, source=Source.PREDICTED)))
    assert told is not None and told.kind in (Limit.SLOW_LANE, Limit.HICCUP)


def test_slow_transfers_everywhere_are_communication() -> None:
    for way in ("tp", "fsdp"):
        found = judged(run(way, slow_kind="all-reduce:3000 all-gather:3000 reduce-scatter:3000"))
        assert (found.kind, found.where) == (Limit.COMMUNICATION, "")


def test_a_single_lane_has_nothing_to_wait_for() -> None:
    found = judged(made(Specification("single", MODEL, "1xvirtual:cpu", batch=64, steps=3)))
    assert (found.kind, found.loss_ns) == (Limit.NONE, 0)


def test_a_host_that_is_late_for_most_of_a_step_is_named() -> None:
    spec = Specification("pipeline", MODEL, "4xvirtual:cpu", batch=64, steps=3)
    found = judged(made(spec, idle=1.0))
    assert found.kind is Limit.HOST and "the host takes longer to start it" in str(found.text)


@given(specifications(), st.integers(0, 12))
def test_whatever_ran_there_is_a_verdict_that_costs_no_more_than_a_step(spec, power) -> None:
    plan = planned(spec)
    durations = np.random.default_rng(power).integers(0, 10**power + 1, len(plan.tasks))
    found = verdict(trace_of(plan, durations.tolist(), replace(spec, warmup=0)))
    assert found is not None
    whole = sum(durations.tolist())
    assert -whole <= found.loss_ns <= whole and "{" not in str(found.text)


def test_two_steps_are_enough_for_a_hiccup_and_one_for_a_slow_lane() -> None:
    two = made(Specification("pipeline", MODEL, "4xvirtual:cpu", batch=64, steps=2, warmup=0,
                             jitter=0.02, hiccup="lane=1,step=2,ms=80"))  # fmt: skip
    assert judged(two).where == "step 2 lane 1"
    one = made(Specification("pipeline", MODEL, "4xvirtual:cpu", batch=64, steps=1, warmup=0,
                             jitter=0.02, slow_lane="1:1.5"))  # fmt: skip
    assert judged(one).where == "lane 1"


def test_a_run_without_a_whole_step_has_no_verdict() -> None:
    nothing = made(Specification("dp", MODEL, "2xvirtual:cpu", batch=64, steps=1, warmup=0))
    nothing.trace.counters.clear()
    assert verdict(nothing.trace) is None


def test_the_summary_has_the_verdict_with_its_five_keys_and_prints_its_sentence() -> None:
    summary = summarise(run("1f1b", slow_lane="2:1.5").trace)
    told = json.loads(summary.to_json())
    assert list(told["verdict"]) == ["kind", "where", "loss_ns", "text", "even_split"]
    assert told["verdict"]["kind"] == "slow-lane" and told["verdict"]["where"] == "lane 2"
    assert told["injected_faults"] == {"slow_lane": "2:1.5", "jitter": 0.05}
    assert f"verdict: {told['verdict']['text']}" in summary_text(summary).splitlines()


def test_every_kind_has_its_words() -> None:
    assert {*LANE_SENTENCES, *DEVICE_SENTENCES, *JOB_SENTENCES, *RANK_SENTENCES} == set(Limit)
    words = "slow-lane slow-link hiccup imbalance schedule communication host none copies not-told"
    words += " noise data update block loss"
    assert list(map(str, Limit)) == words.split()
