"""Schedules in files, in torch's compute-only form."""

import pytest

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.pipeline.orders import lane_orders
from core.plan.planning import check
from core.plan.schedules import SCHEDULES, schedule_of
from core.plan.schedules.compute_csv import csv_text
from core.plan.specification import Specification
from tests.core.helpers import plan_of

SAVED = sorted(set(SCHEDULES) - {"split"})
MODEL = ModelSettings("mlp", width=4, depth=8)


def specification(schedule, devices="4xcpu", **options):
    return Specification(model=MODEL, devices=devices, schedule=schedule, batch=16, **options)


def texts(orders):
    return [[str(action) for action in order] for order in orders]


def write(folder, text):
    path = folder / "mine.csv"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("devices", ["4xcpu", "2xcpu", "4xcuda:0"])
def test_a_saved_plan_is_loaded_as_the_same_plan(tmp_path, name, devices):
    plan = plan_of(specification(name, devices, microbatches=8))
    path = write(tmp_path, csv_text(lane_orders(plan)))
    again = plan_of(specification(path, devices))
    assert again.tasks == plan.tasks
    assert again.placements == plan.placements and again.parts == plan.parts


@pytest.mark.parametrize("name", SAVED)
def test_ranks_of_a_file_share_lanes_as_other_schedules_do(tmp_path, name):
    stages = SCHEDULES[name].stage_count(4, SCHEDULES[name].chunks)
    path = write(tmp_path, csv_text(SCHEDULES[name].orders(4, 8, SCHEDULES[name].chunks)))
    shared = plan_of(specification(path, "2xcpu"))
    assert shared.tasks == plan_of(specification(name, "2xcpu", stages=stages)).tasks


@pytest.mark.parametrize(
    "name", ["interleaved", "looped-bfs", "interleaved-zb", "zb-v", "dualpipe-v"]
)
def test_torchs_loader_reads_saved_schedules_and_torchs_dump_is_read(tmp_path, name):
    torch = pytest.importorskip("tests.core.plan.schedules.torch_schedules", exc_type=ImportError)
    orders = SCHEDULES[name].orders(4, 8, 2)
    path = write(tmp_path, csv_text(orders))
    loader = torch.loader(4, 2, 8)
    loader._load_csv(path)
    assert [torch.texts(loader.pipeline_order[rank]) for rank in range(4)] == texts(orders)
    dumped = tmp_path / "torch.csv"
    torch.made(name, 4, 8, 2)._dump_csv(str(dumped), format="compute_only")
    loaded = schedule_of(str(dumped))
    assert (loaded.ranks, loaded.microbatches) == (4, 8)
    assert texts(loaded.orders(4, 8, 1)) == texts(orders)


def test_torchs_loader_reads_saved_schedules_of_one_stage_a_rank(tmp_path):
    torch = pytest.importorskip("tests.core.plan.schedules.torch_schedules", exc_type=ImportError)
    for name in ("gpipe", "1f1b", "zb-h1", "zb-h2"):
        orders = SCHEDULES[name].orders(3, 6, 1)
        loader = torch.loader(3, 1, 6)
        loader._load_csv(write(tmp_path, csv_text(orders)))
        assert [torch.texts(loader.pipeline_order[rank]) for rank in range(3)] == texts(orders)


def test_a_stage_on_two_ranks_means_replicas_by_the_path_of_their_micro_batches(tmp_path):
    path = write(tmp_path, "0F0,1F1,1B1,0B0\n0F1,1F0,1B0,0B1\n0F2,0B2,,\n1F2,,1B2\n")
    plan = plan_of(specification(path))
    assert [(p.replica, p.stage, p.lane) for p in plan.placements] == [
        (0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (2, 0, 2), (2, 1, 3)
    ]  # fmt: skip
    assert [(part.replica, part.microbatch, part.rows) for part in plan.parts] == [
        (0, 0, 6), (1, 1, 5), (2, 2, 5)
    ]  # fmt: skip


def test_pipelines_side_by_side_are_saved_with_micro_batches_of_the_whole_batch(tmp_path):
    options = {"strategy": "dp-pp", "model": MODEL, "devices": "4xcpu", "batch": 8}
    plan = plan_of(Specification(schedule="1f1b", microbatches=2, **options))
    text = csv_text(lane_orders(plan))
    assert text.splitlines()[2:] == ["0F2,0F3,0B2,0B3", "1F2,1B2,1F3,1B3"]
    again = plan_of(specification(write(tmp_path, text)))
    assert again.replicas == 2 and again.placements == plan.placements


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0F0,0B0\n1F0,1Q0\n", "line 2, cell 2: '1Q0' is not an action; use 0F0, 0B0"),
        ("0F0,,0UNSHARD\n", "line 1, cell 3: '0UNSHARD' is not an action"),
        ("0F0,(0F1;0F2)OVERLAP_F_B\n", "line 1, cell 2: '(0F1;0F2)OVERLAP_F_B' is not an action"),
        ("0F99999\n", "line 1, cell 1: '0F99999' is not an action"),
        ("0F0,0B0\n\n1F0,1B0\n", "line 2 contains no action; each line is a rank's"),
        ("\n", "contains no action"),
        ("0F0,0B0\n2F0,2B0\n", "the schedule lacks 1F0"),
        ("0F0,0B0,0F2,0B2\n", "the schedule lacks 0F1"),
        ("0F0,0I0\n", "the schedule lacks 0W0"),
        ("0F0,0B0,0F0\n", "rank 0 runs 0F0 a second time"),
        ("0F0,0B0\n1F0,1B0,0B0\n", "rank 1 runs 0B0, but it holds stage 1"),
        ("0B0,0F0\n", "the schedule deadlocks at 0B0: 0B0 -> 0F0 -> 0B0"),
    ],
)
def test_a_file_that_cannot_run_is_refused_in_one_line_that_says_where(tmp_path, text, message):
    with pytest.raises(PlanError) as refused:
        plan_of(specification(write(tmp_path, text)))
    assert message in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": 3}, "--stages 3: .*mine.csv is for 2 stages"),
        ({"chunks": 2}, "--chunks 2 is not for .*mine.csv"),
        ({"microbatches": 5}, "mine.csv is for 2 micro-batches, not 5"),
        ({"split_size": 4}, "mine.csv is for 2 micro-batches, not 4"),
    ],
)
def test_settings_that_disagree_with_the_file_are_refused(tmp_path, options, message):
    path = write(tmp_path, "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n")
    with pytest.raises(PlanError, match=message):
        plan_of(specification(path, **options))
    plan_of(specification(path, stages=2, microbatches=2))


def test_a_file_that_is_not_there_or_no_text_is_refused_in_one_line(tmp_path):
    with pytest.raises(PlanError, match=r"absent\.csv cannot be read as a schedule: No such file"):
        check(specification(str(tmp_path / "absent.csv")))
    (tmp_path / "mine.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PlanError, match=r"mine\.csv cannot be read as a schedule"):
        check(specification(str(tmp_path / "mine.csv")))


@pytest.mark.parametrize(("strategy", "schedule"), [("pipeline", "split"), ("dp", None)])
def test_a_plan_without_separate_micro_batches_is_not_saved(strategy, schedule):
    plan = plan_of(Specification(strategy, MODEL, "2xcpu", schedule=schedule, batch=8))
    with pytest.raises(
        PlanError, match=r"cannot express 0[FB], a pass over all micro-batches at once"
    ):
        csv_text(lane_orders(plan))
