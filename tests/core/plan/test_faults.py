"""Faults that are put in on purpose: what is accepted, and what they do to which tasks."""

from dataclasses import replace

import numpy as np
import pytest

from bubblescope.cli.arguments import make_parser
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.faults import FAULT_OPTIONS, NO_FAULTS, Faults, faults_given, faults_text
from core.plan.lanes import Hardware
from core.plan.plan import Role
from core.plan.planning import check, lanes_of
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, specification_of
from core.plan.strategies import STRATEGIES
from core.plan.task import KINDS, PLANNED, Kind
from core.plan.transfers import links_of
from tests.core.predict.plans import planned

MLP = ModelSettings("mlp", width=32, depth=8)
HERE = Hardware(2, 1 << 40)


def plan_on(devices: str, strategy: str = "pipeline", **values: object):
    return planned(Specification(strategy, MLP, devices, **{"batch": 16, **values}))


def factors(plan, step: int = 2, **given: object) -> np.ndarray:
    return Faults.of(Specification(**given)).effects(plan.columns, plan.lanes, step)[0]


def kinds(plan) -> np.ndarray:
    return np.array([KINDS[kind] for kind in plan.columns.kind], object)


def test_several_words_of_an_option_are_one_text_and_several_arguments() -> None:
    words = "run --slow-lane 2:1.5 --slow-lane 3:1.2 --hiccup lane=2,step=4,ms=50 --jitter 0.1"
    asked = specification_of(vars(make_parser().parse_args(words.split())))
    assert asked.slow_lane == "2:1.5 3:1.2"
    assert " ".join(words.split()[1:]) == faults_text(asked)
    assert Specification.from_dict(asked.to_dict()) == asked
    assert faults_given(asked) == {
        "slow_lane": "2:1.5 3:1.2", "hiccup": "lane=2,step=4,ms=50", "jitter": 0.1,
    }  # fmt: skip
    faults = Faults.of(asked)
    assert faults.slow_lanes == {2: 1.5, 3: 1.2} and faults.jitter == 0.1
    (hiccup,) = faults.hiccups
    assert (hiccup.lane, hiccup.step, hiccup.ns) == (2, asked.warmup + 3, 50_000_000)


def test_without_faults_nothing_takes_longer() -> None:
    plan = plan_on("4xcuda")
    assert not NO_FAULTS and not Faults.of(Specification()) and faults_text(Specification()) == ""
    found, extra = NO_FAULTS.effects(plan.columns, plan.lanes, 0)
    assert (found == 1).all() and (extra == 0).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"slow_lane": "2"}, "--slow-lane '2': use LANE:FACTOR, such as 2:1.5"),
        ({"slow_lane": "1:2 -3:4"}, "--slow-lane '-3:4': use LANE:FACTOR"),
        ({"slow_lane": "2:inf"}, "--slow-lane '2:inf': use LANE:FACTOR"),
        ({"slow_lane": "2:0"}, "--slow-lane 2:0: use a factor above 0"),
        ({"slow_lane": "1:2 1:3"}, "--slow-lane 1:2 --slow-lane 1:3: name each lane once"),
        ({"slow_link": "1:4"}, "--slow-link '1:4': use LANE-LANE:FACTOR, such as 1-2:4"),
        ({"slow_link": "1-1:4"}, "--slow-link 1-1: name two different lanes"),
        ({"slow_link": "0-1:0"}, "--slow-link 0-1:0: use a factor above 0"),
        ({"slow_link": "1-2:4 2-1:3"}, "name each link once"),
        ({"hiccup": "lane=2,ms=50"}, "--hiccup 'lane=2,ms=50': use lane=LANE,step=STEP,ms=MS"),
        ({"slow_kind": "sideways:2"}, "--slow-kind 'sideways': use scatter, replicate"),
        *(
            ({"slow_kind": f"{kind}:2"}, f"--slow-kind '{kind}': use scatter, replicate")
            for kind in (
                "other",
                "data",
                "recompute",
                "all-to-all",
                "broadcast",
                "barrier",
                "collective",
            )
        ),
        ({"slow_kind": "backward:0"}, "--slow-kind backward:0: use a factor above 0"),
        ({"jitter": 1.5}, "--jitter 1.5: use 0 or more, at most 1"),
        ({"jitter": float("nan")}, "--jitter nan: use 0 or more"),
    ],
)
def test_a_fault_that_cannot_be_read_is_refused_in_one_line(given: dict, said: str) -> None:
    with pytest.raises(PlanError) as refused:
        check(Specification(**given))
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"slow_lane": "4:2"}, "--slow-lane 4:2: there are lanes 0 to 3"),
        ({"slow_link": "2-4:2"}, "--slow-link 2-4:2: there are lanes 0 to 3"),
        ({"hiccup": "lane=4,step=1,ms=5"}, "lane=4,step=1,ms=5: there are lanes 0 to 3"),
        ({"hiccup": "lane=1,step=4,ms=5"}, "lane=1,step=4,ms=5: the measured steps are 1 to 3"),
        ({"hiccup": "lane=1,step=0,ms=5"}, "lane=1,step=0,ms=5: the measured steps are 1 to 3"),
    ],
)
@pytest.mark.parametrize("present", [True, False])
def test_a_lane_or_step_that_is_not_there_is_refused(given: dict, said: str, present: bool) -> None:
    run = Specification(devices="4xvirtual:cpu", steps=3, **given)
    with pytest.raises(PlanError) as refused:
        lanes_of(run, HERE, present)
    assert str(refused.value).endswith(said)


def test_real_lanes_refuse_faults_where_they_are_to_run_and_are_predicted_with_them() -> None:
    run = Specification(devices="2xcpu", slow_lane="1:2", jitter=0.1)
    assert len(lanes_of(run, HERE, present=False)) == 2
    with pytest.raises(PlanError) as refused:
        lanes_of(run, HERE)
    assert str(refused.value) == (
        "--slow-lane 1:2 --jitter 0.1: faults can only be injected into virtual lanes; "
        "use --devices 2xvirtual"
    )
    assert lanes_of(Specification(devices="2xvirtual:cpu", slow_lane="1:2"), HERE)[0].is_virtual


def test_a_slow_lane_takes_its_factor_for_computing_and_moves_as_before() -> None:
    for devices in ("3xcuda", "3xcpu"):
        plan = plan_on(devices)
        found = factors(plan, slow_lane="1:1.5")
        moves = np.array([kind.is_communication for kind in kinds(plan)])
        slow = (plan.columns.lane == 1) & ~moves
        assert slow.any() and (found[slow] == 1.5).all() and (found[~slow] == 1).all()


def test_the_kinds_that_can_be_slowed_are_those_that_plans_have() -> None:
    plans = [plan_on("4xvirtual", name) for name in STRATEGIES if name != "tp"]
    plans += [
        plan_on("2xvirtual", schedule=name, microbatches=None if name == "split" else 8)
        for name in SCHEDULES
    ]
    assert {task.kind for plan in plans for task in plan.tasks} == set(PLANNED)


def test_a_slow_kind_takes_its_factor_on_every_lane() -> None:
    plan = plan_on("3xcuda")
    found = factors(plan, slow_kind="backward:1.2 copy:3")
    assert (found[kinds(plan) == Kind.BACKWARD] == 1.2).all()
    assert (found[kinds(plan) == Kind.COPY] == 3).all()
    assert (found[kinds(plan) == Kind.FORWARD] == 1).all()


@pytest.mark.parametrize("devices", ["4xcuda", "4xcpu"])
def test_a_slow_link_takes_its_factor_for_copies_between_its_two_lanes_both_ways(
    devices: str,
) -> None:
    plan = plan_on(devices)
    for given in ("1-2:4", "2-1:4"):
        found = factors(plan, slow_link=given)
        slow = [task for task in plan.tasks if found[task.index] == 4]
        assert {task.kind for task in slow} == {Kind.COPY} and (np.isin(found, [1, 4])).all()
        # Activations to stage 2 and gradients to stage 1 go between these lanes, nothing else does.
        between = {(2, "activation"), (1, "gradient")}
        assert slow == [
            task for task in plan.tasks
            if task.kind is Kind.COPY and (task.stage, str(task.payload)) in between
        ]  # fmt: skip


def test_a_gather_over_one_slow_link_of_three_takes_its_share_longer() -> None:
    plan = plan_on("4xcuda", "dp")
    found, of = factors(plan, slow_link="0-2:4"), kinds(plan)
    for kind in (Kind.GATHER, Kind.REDUCE):
        assert found[of == kind] == pytest.approx(1 + 3 / 3)
    for kind in (Kind.SCATTER, Kind.REPLICATE):
        mine = (of == kind) & (plan.columns.replica == 2)
        assert (found[mine] == 4).all() and (found[(of == kind) & ~mine] == 1).all()
    assert (factors(plan, slow_link="1-2:4") == 1).all()  # everything goes to or from lane 0


@pytest.mark.parametrize("strategy", ["ddp", "fsdp", "tp"])
def test_the_slowest_link_bounds_a_ring(strategy: str) -> None:
    plan = plan_on("4xcuda", strategy)
    collective = np.array([kind.is_collective for kind in kinds(plan)])
    assert collective.any()
    for link in ("0-1", "2-3", "0-3"):
        found = factors(plan, slow_link=f"{link}:4")
        assert (found[collective] == 4).all() and (found[~collective] == 1).all()
    assert (factors(plan, slow_link="0-2:4") == 1).all()  # no neighbours


def test_a_ring_visits_only_the_lanes_that_hold_the_stage() -> None:
    plan = plan_on("4xcuda", "dp-pp", replicas=2, microbatches=2)
    links = links_of(plan.columns, plan.lanes)
    ringed = kinds(plan)[links.task] == Kind.ALL_REDUCE
    pairs = set(zip(links.low[ringed].tolist(), links.high[ringed].tolist(), strict=True))
    assert pairs == {(0, 2), (1, 3)}


@pytest.mark.parametrize(
    ("strategy", "given", "pairs"),
    [
        ("dp-pp", {"replicas": 2}, {(0, 1), (2, 3)}),
        ("pipeline", {"schedule": "chimera"}, {(0, 1), (1, 2), (2, 3)}),
    ],
)
@pytest.mark.parametrize("devices", ["4xvirtual", "4xcuda"])
def test_a_copy_before_an_all_reduce_uses_only_the_link_to_its_consumer(
    devices: str, strategy: str, given: dict[str, object], pairs: set[tuple[int, int]]
) -> None:
    plan = plan_on(devices, strategy, microbatches=4, **given)
    links = links_of(plan.columns, plan.lanes)
    copied = kinds(plan)[links.task] == Kind.COPY
    assert np.bincount(links.task[copied]).max() == 1
    found = set(zip(links.low[copied].tolist(), links.high[copied].tolist(), strict=True))
    assert found == pairs
    copies = kinds(plan) == Kind.COPY
    assert set(factors(plan, slow_link="0-1:4")[copies].tolist()) == {1.0, 4.0}
    if strategy == "dp-pp":
        assert (factors(plan, slow_link="1-3:4")[copies] == 1).all()


def test_a_hiccup_is_one_lanes_first_computing_task_in_one_step() -> None:
    plan = plan_on("3xcpu")
    faults = Faults.of(Specification(hiccup="lane=1,step=2,ms=1.5"))
    moves = np.array([kind.is_communication for kind in kinds(plan)])
    first = int(np.flatnonzero((plan.columns.lane == 1) & ~moves)[0])
    for step in range(5):
        found, extra = faults.effects(plan.columns, plan.lanes, step)
        assert (found == 1).all()
        assert extra.nonzero()[0].tolist() == ([first] if step == 3 else [])
    assert extra[first] == 0 and faults.effects(plan.columns, plan.lanes, 3)[1][first] == 1_500_000


def test_faults_with_no_task_to_lengthen_are_reported() -> None:
    given = {"slow_link": "0-1:2 0-2:2", "slow_kind": "forward:2 overlap:3", "slow_lane": "3:2"}
    pipeline = Specification(
        "pipeline", MLP, "4xvirtual", batch=16, hiccup="lane=1,step=1,ms=5", **given
    )
    single = replace(pipeline, strategy="single")
    said = {}
    for asked in (pipeline, single):
        plan = planned(asked)
        told = Faults.of(asked).without_effect(plan.columns, plan.lanes)
        said[asked.strategy] = [
            str(text).removesuffix(" affects no task of this plan") for text in told
        ]
    assert said == {
        "pipeline": ["--slow-link 0-2", "--slow-kind overlap"],
        "single": ["--slow-lane 3", "--slow-link 0-1", "--slow-link 0-2", "--slow-kind overlap",
                   "--hiccup lane=1"],
    }  # fmt: skip


def test_jitter_is_the_same_for_the_same_seed_and_another_one_in_another_step() -> None:
    plan = plan_on("4xcuda", batch=512, microbatches=128)
    one, other = (factors(plan, step, jitter=0.2, seed=7) for step in (2, 3))
    assert (one == factors(plan, 2, jitter=0.2, seed=7)).all()
    assert (one != other).all() and (one != factors(plan, 2, jitter=0.2, seed=8)).all()
    assert one.mean() == pytest.approx(1, abs=0.02)
    assert np.log(one).std() == pytest.approx(0.2, rel=0.1)


def test_durations_have_factors_and_additions() -> None:
    plan = plan_on("2xcpu")
    run = Specification(slow_lane="1:2", hiccup="lane=1,step=1,ms=1", warmup=0)
    found = Faults.of(run).durations(
        plan.columns, plan.lanes, 0, np.full(len(plan.columns), 1000, np.int64)
    )
    assert found.dtype == np.int64
    assert sorted(set(found.tolist())) == [1000, 2000, 1_002_000]
    assert np.count_nonzero(found == 1_002_000) == 1


def test_every_fault_can_be_in_the_form_and_is_of_no_use_on_real_lanes() -> None:
    for option in FAULT_OPTIONS:
        assert option.title and not option.runs_only
        assert not option.unused(Specification(devices="8xvirtual"))
        assert option.unused(Specification(devices="2xcpu"))


def test_lanes_that_copy_for_another_one_have_no_fault_of_their_own() -> None:
    plan = plan_on("2xcuda")
    assert any(lane.role is Role.COPY for lane in plan.lanes)
    with pytest.raises(PlanError, match="there are lanes 0 to 1"):
        Faults.of(Specification(slow_lane="2:3")).check(plan.lanes, 0, 1)
