import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import PlanError
from core.models.catalogue import MODELS, ModelSettings
from core.plan.division import Part, Placement, Stage
from core.plan.grid import grid
from core.plan.link import Link, read_link
from core.plan.plan import Lane, Plan, Role
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, describe
from core.plan.strategies import STRATEGIES
from core.plan.strategies.ddp import expected_buckets, parameter_bytes
from core.plan.task import (
    ABSENT,
    COLUMN_TYPES,
    KINDS,
    PAYLOADS,
    Kind,
    Payload,
    Task,
    TaskColumns,
    add_task,
)
from tests.core.helpers import plan_of, planned

TUTORIAL = ModelSettings("tutorial")


@st.composite
def specifications(draw):
    name = draw(st.sampled_from(sorted(STRATEGIES)))
    options, taken = {}, {option.name for option in STRATEGIES[name].options}
    if "schedule" in taken:
        options["schedule"] = draw(st.sampled_from(sorted(SCHEDULES)))
        options["split_size"] = draw(st.integers(1, 9))
    if "stages" in taken:
        options["stages"] = draw(st.integers(1, 6))
    devices = draw(st.sampled_from(["1xcpu", "3xcpu", "5xcpu", "cuda:0,cuda:1", "3xcuda:0"]))
    if "replicas" in taken:
        devices, options["replicas"] = "4xcpu", draw(st.sampled_from([1, 2, 4]))
    model = ModelSettings("mlp", width=30, depth=6)
    return Specification(name, model, devices, batch=draw(st.integers(4, 40)), **options)


@given(specifications())
def test_a_plan_covers_every_row_once_and_waits_only_for_earlier_tasks(specification):
    plan = planned(specification)
    assert plan.rows == specification.batch
    assert plan.expected == STRATEGIES[specification.strategy].on_ranks
    assert [p.start for p in plan.parts] == [
        sum(p.rows for p in plan.parts[:i]) for i in range(len(plan.parts))
    ]
    for task in plan.tasks:
        assert all(other < task.index for other in task.after)
        assert 0 <= task.lane < len(plan.lanes)
    owners = {(p.replica, p.stage, p.shard) for p in plan.placements if p.owner}
    steps = [task for task in plan.tasks if task.kind is Kind.STEP]
    assert len(steps) == len(owners)


@given(specifications())
def test_a_plans_columns_equal_its_tasks(specification):
    plan = planned(specification)
    columns = plan.columns
    assert TaskColumns.of(plan.tasks) == columns
    assert len(columns) == len(plan.tasks) and columns.after_first[-1] == len(columns.after)
    for place, task in enumerate(plan.tasks):
        assert columns[place] == task and task.index == place
        assert (KINDS[columns.kind[place]], PAYLOADS[columns.payload[place]]) == (
            task.kind, task.payload,
        )  # fmt: skip
        first, last = columns.after_first[place : place + 2]
        assert tuple(columns.after[first:last].tolist()) == task.after
        for name in COLUMN_TYPES.keys() - {"kind", "payload"}:
            number = int(getattr(columns, name)[place])
            assert (None if number == ABSENT else number) == getattr(task, name)


def test_a_stage_can_be_divided_into_shards_on_lanes_of_their_own():
    tasks: list[Task] = []
    forwards = [add_task(tasks, Kind.FORWARD, lane, stage=0, shard=lane) for lane in (0, 1)]
    for lane in (0, 1):
        add_task(
            tasks, Kind.ALL_REDUCE, lane, forwards, stage=0, shard=lane, payload=Payload.ACTIVATION
        )
    placements = tuple(Placement(0, 0, lane, shard=lane) for lane in (0, 1))
    lanes = tuple(Lane(index, f"cpu:{index}", "cpu") for index in (0, 1))
    plan = Plan(
        lanes,
        (Stage(0, 0, 1),),
        placements,
        (Part(0, 0, 0, 4),),
        TaskColumns.of(tasks),
    )
    assert [plan.lane_of(0, 0, shard) for shard in (0, 1)] == [0, 1]
    assert plan.lane_of(0, 0) == 0
    assert [(task.shard, task.payload) for task in plan.tasks[2:]] == [
        (0, Payload.ACTIVATION), (1, Payload.ACTIVATION),
    ]  # fmt: skip
    with pytest.raises(KeyError):
        plan.lane_of(0, 0, 2)


@given(specifications())
def test_copies_run_on_copy_lanes_where_devices_have_copy_engines(specification):
    plan = planned(specification)
    for task in plan.tasks:
        if task.kind is Kind.COPY:
            on_copy_lane = plan.lanes[task.lane].role is Role.COPY
            assert on_copy_lane == specification.devices.startswith(("cuda", "3xcuda"))
            assert task.bytes > 0


def test_data_parallel_hands_out_and_collects_on_lane_0():
    plan = plan_of(Specification("dp", TUTORIAL, "8xcpu", batch=30))
    central = [Kind.SCATTER, Kind.REPLICATE, Kind.GATHER, Kind.LOSS, Kind.REDUCE, Kind.STEP]
    assert {task.lane for task in plan.tasks if task.kind in central} == {0}
    assert [part.rows for part in plan.parts] == [4, 4, 4, 4, 4, 4, 4, 2]
    reduce = next(task for task in plan.tasks if task.kind is Kind.REDUCE)
    backwards = {task.index for task in plan.tasks if task.kind is Kind.BACKWARD}
    assert set(reduce.after) == backwards and len(backwards) == 8


def test_rows_that_stay_on_lane_0_count_as_no_bytes_moved():
    plan = plan_of(Specification("dp", ModelSettings("mlp", width=8), "3xcpu", batch=7))
    assert [part.rows for part in plan.parts] == [3, 3, 1]
    moved = {
        payload: [task.bytes // (8 * 4) for task in plan.tasks if task.payload is payload]
        for payload in (Payload.INPUT, Payload.GRADIENT, Payload.OUTPUT)
    }
    assert moved[Payload.INPUT] == moved[Payload.GRADIENT] == [0, 3, 1]
    assert moved[Payload.OUTPUT] == [3 + 1]


def test_data_parallel_leaves_lanes_without_rows_idle():
    plan = plan_of(Specification("dp", TUTORIAL, "8xcpu", batch=10))
    assert {task.lane for task in plan.tasks} == {0, 1, 2, 3, 4}
    assert plan.replicas == 8


def test_naive_model_parallel_never_has_two_busy_lanes():
    cells = grid(plan_of(Specification("mp", ModelSettings(), "4xcpu", batch=8)))
    for tick in zip(*cells, strict=True):
        assert sum(cell[1:2] in ("F", "B", "L") for cell in tick) <= 1


@pytest.mark.parametrize(
    ("schedule", "devices", "microbatches", "picture"),
    [
        (
            "1f1b", "2xcpu", 3,
            """0F0 0F1 .   0B0 0F2 0B1 .   0B2 0U
               .   1F0 1B0 1F1 1B1 1F2 1B2 1U  .""",
        ),
        (
            "zb-h1", "3xcpu", 4,
            """0F0 0F1 0F2 .   .   0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3 0U
               .   1F0 1F1 .   1I0 1F2 1I1 1W0 1F3 1I2 1W1 1I3 1W2 1W3 1U
               .   .   2F0 2I0 2F1 2I1 2F2 2I2 2W0 2F3 2I3 2W1 2W2 2W3 2U""",
        ),
        (
            "interleaved", "2xcuda:0", 4,
            """0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 .   2B2 .   2B3 0B2 0B3 2U  0U
               .   1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3 3U  1U  .""",
        ),
        (
            "dualpipe-v", "1xcpu", 2,
            "0F0 1F0 0F1 1B0 1F1+0B0 1B1 0I1 0W1 1U 0U",
        ),
        (
            "chimera", "4xcpu", 4,
            """0F0 0F1 .   3F2 3B2 3F3 3B3 0B0 .   0B1 3A 3U 0A 0U
               .   1F0 2F2 1F1 2F3 2B2 1B0 2B3 1B1 2A  2U 1A 1U .
               .   1F2 2F0 1F3 2F1 2B0 1B2 2B1 1B3 2A  2U 1A 1U .
               0F2 0F3 .   3F0 3B0 3F1 3B1 0B2 .   0B3 3A 3U 0A 0U""",
        ),
    ],
)  # fmt: skip
def test_the_grid_of_a_pipeline_is_the_textbooks(schedule, devices, microbatches, picture):
    specification = Specification(
        model=ModelSettings("mlp", width=8),
        devices=devices,
        batch=microbatches,
        microbatches=microbatches,
        schedule=schedule,
    )
    rows = [row for row in grid(plan_of(specification)) if row]
    assert rows == [line.split() for line in picture.splitlines()]


@given(specifications())
def test_a_stage_is_stepped_after_its_lanes_last_pass(specification):
    plan = planned(specification)
    stepped = set()
    for task in plan.tasks:
        if task.kind is Kind.STEP:
            stepped.add(task.lane)
        elif not task.kind.is_communication:
            assert task.lane not in stepped


def test_a_split_of_20_makes_six_micro_batches_of_120_and_one_backward_per_stage():
    plan = plan_of(Specification(schedule="split", devices="2xcpu", batch=120, split_size=20))
    assert [part.rows for part in plan.parts] == [20] * 6
    backwards = [task for task in plan.tasks if task.kind is Kind.BACKWARD]
    assert [(task.stage, task.microbatch, task.rows) for task in backwards] == [
        (1, None, 120),
        (0, None, 120),
    ]
    assert sum(task.kind is Kind.LOSS for task in plan.tasks) == 1


def test_an_all_reduce_is_launched_by_the_gradients_of_its_own_rank():
    plan = plan_of(Specification("ddp", TUTORIAL, "4xcpu", batch=100))
    assert [part.rows for part in plan.parts] == [25, 25, 25, 25]
    reduces = [task for task in plan.tasks if task.kind is Kind.ALL_REDUCE]
    assert len(reduces) == 4
    for task in reduces:
        assert {plan.tasks[other].replica for other in task.after} == {task.replica}
        assert plan.lanes[task.lane].role is Role.COMMUNICATION
        assert task.payload is Payload.PARAMETER_GRADIENTS


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("megabytes", [None, 0.01, 1, 25])
def test_expected_buckets_are_those_that_torch_assigns_at_first(name, megabytes):
    dist = pytest.importorskip("torch.distributed")
    torch = pytest.importorskip("torch")
    model = describe(Specification(model=ModelSettings(name)))
    sizes = list(reversed(parameter_bytes(model).items()))
    tensors = [torch.empty(size // 4, device="meta") for _, size in sizes]
    if megabytes is None:
        # Only torch's default size has a smaller first bucket (BucketCapacityConfig).
        limits = [dist._DEFAULT_FIRST_BUCKET_BYTES, 25 * 1024 * 1024]
    else:
        limits = [int(megabytes * 1024 * 1024)]
    groups, _ = dist._compute_bucket_assignment_by_size(tensors, limits)
    expected = tuple(tuple(sizes[i][0] for i in sorted(group)) for group in sorted(groups))
    assert expected_buckets(model, megabytes) == expected


@pytest.mark.parametrize(
    ("text", "latency_us", "gb_s"), [("50:.5", 50, 0.5), (".5:25.", 0.5, 25), ("5:25", 5, 25)]
)
def test_a_links_numbers_are_read_as_python_reads_them(text, latency_us, gb_s):
    assert read_link(text) == Link.of(latency_us, gb_s)


@pytest.mark.parametrize("text", [".:1", "1:.", "1.:", "1e3:1", "5:25:1", "-5:25"])
def test_a_link_of_other_texts_is_refused(text):
    with pytest.raises(PlanError, match="use LATENCY_US:GB_S"):
        read_link(text)


def test_a_task_that_waits_for_a_later_one_is_refused():
    with pytest.raises(PlanError, match=r"task 0 .* waits for task 3"):
        add_task([], Kind.FORWARD, 0, [3])
