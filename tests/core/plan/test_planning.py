from dataclasses import replace

import pytest

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.devices import Accelerator, Hardware, process_group
from core.plan.lanes import lane_devices, make_lanes
from core.plan.plan import Role
from core.plan.planning import check, check_lanes, check_memory, lanes_of, plan_run, plans_of
from core.plan.specification import Specification, describe

BARE = Hardware(2, 8 << 30)


def machine(*devices):
    return Hardware(8, 8 << 30, tuple(Accelerator(device, "A", 1 << 30) for device in devices))


ONE_GPU = machine("cuda:0")
TWO_GPUS = machine("cuda:0", "cuda:1")
TWO_INTELS = machine("xpu:0", "xpu:1")
APPLE = machine("mps")
OTHER = machine("strange:0", "strange:1")


@pytest.mark.parametrize(
    ("text", "hardware", "devices"),
    [
        ("auto", BARE, ["cpu", "cpu"]),
        ("auto", Hardware(1, 1), ["cpu"]),
        ("auto", ONE_GPU, ["cuda:0", "cuda:0"]),
        ("auto", TWO_GPUS, ["cuda:0", "cuda:1"]),
        ("3xcpu", BARE, ["cpu"] * 3),
        ("cuda:0,cuda:1", TWO_GPUS, ["cuda:0", "cuda:1"]),
        ("2xcuda:0", ONE_GPU, ["cuda:0", "cuda:0"]),
        ("2xcuda", TWO_GPUS, ["cuda:0", "cuda:1"]),
        ("auto", TWO_INTELS, ["xpu:0", "xpu:1"]),
        ("2xxpu:0", TWO_INTELS, ["xpu:0", "xpu:0"]),
        ("4xvirtual:xpu:0", TWO_INTELS, ["virtual:xpu:0"] * 4),
        ("auto", APPLE, ["mps", "mps"]),
        ("mps", APPLE, ["mps"]),
        ("2xmps", APPLE, ["mps", "mps"]),
        ("2xvirtual", APPLE, ["virtual:mps"] * 2),
        ("2xstrange", OTHER, ["strange:0", "strange:1"]),
        ("strange:1", OTHER, ["strange:1"]),
        ("2xvirtual", OTHER, ["virtual:strange:0"] * 2),
        ("2xvirtual", BARE, ["virtual:cpu"] * 2),
    ],
)
def test_a_device_list_names_the_device_of_every_lane(text, hardware, devices):
    assert lane_devices(text, hardware) == devices


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gpu",
        "0xcpu",
        "cpu:1",
        "mps:0",
        "strange:0",
        "virtual:0",
        "xpu:0,cuda:0",
        "2x",
        "cpu,cuda:0",
        "9999xcpu",
        "1" * 5000 + "xcpu",
        "cuda:" + "1" * 5000,
    ],
)
def test_a_device_list_without_devices_is_refused_with_the_given_text(text):
    with pytest.raises(PlanError, match="--devices") as refused:
        lane_devices(text, TWO_GPUS)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_virtual_lanes_have_one_core_each_however_many_there_are(lanes):
    made = make_lanes(["virtual:cpu"] * lanes, replace(BARE, memory=1), None)
    assert [lane.cores for lane in made] == [1] * lanes
    assert make_lanes(["virtual:cpu"], replace(BARE, memory=1), 3)[0].cores == 3


def test_cpu_lanes_share_out_the_cores_and_say_when_there_are_too_few():
    assert [lane.cores for lane in make_lanes(["cpu"] * 2, Hardware(8, 1), None)] == [4, 4]
    crowded = make_lanes(["cpu"] * 3, BARE, None)
    assert {lane.sharing for lane in crowded} == {"3 lanes share 2 cores"}
    assert [lane.name for lane in make_lanes(["cuda:0"] * 2, ONE_GPU, None)] == [
        "cuda:0.0",
        "cuda:0.1",
    ]


@pytest.mark.parametrize(
    ("specification", "words"),
    [
        (Specification(strategy="zero"), "no strategy 'zero'; use single, dp"),
        (Specification(model=ModelSettings("vgg")), "no model 'vgg'; use mlp"),
        (Specification(batch=0), "--batch 0: use 1 or more"),
        (Specification(batch=10**400), "0: use 1 or more, at most 1,000,000,000,000"),
        (Specification(lr=1e308), "--lr 1e+308: use 0 or more, at most 1,000,000"),
        (Specification(lr=float("nan")), "--lr nan: use 0 or more, at most 1,000,000"),
        (Specification(seed=2**64), "--seed 18446744073709551616: use 0 or more, at most"),
        (Specification(steps=-1), "--steps -1: use 1 or more"),
        (Specification(warmup=-1), "--warmup -1: use 0 or more"),
        (Specification(model=ModelSettings(width=0)), "--width 0: use 1 or more"),
        (
            Specification(model=ModelSettings(heads=3)),
            "--heads 3 is not for mlp, which takes --width or --depth",
        ),
        (
            Specification(model=ModelSettings("toymodel", width=8)),
            "--width 8 is not for toymodel, which takes no such settings",
        ),
        (Specification(optimizer="lion"), "--optimizer 'lion': use sgd, momentum, adam or adamw"),
        (Specification(model=ModelSettings(dtype="int4")), "--dtype 'int4': use float32"),
        (Specification("dp", microbatches=2), "--microbatches is not for dp; it is for pipeline"),
        (Specification(schedule="3f3b"), "no schedule '3f3b'; use 1f1b"),
        (Specification(microbatches=2, split_size=2), "use one of them"),
        (Specification(lane_memory=100), "--lane-memory 100 only limits --balance; add that"),
        (Specification(model=ModelSettings("gpt", heads=3)), "--heads 3 do not divide --width 256"),
        (Specification(model=ModelSettings("resnet50", image_size=8)), "--image-size 8"),
        (
            Specification("ddp", bucket_mb=0),
            "--bucket-mb 0: use 1e-06 or more, at most 1,000,000 MiB",
        ),
        (Specification("fsdp", blocks=True), "--blocks does not apply to fsdp, whose ranks"),
        (Specification(seed=-1), "--seed -1"),
        (Specification(cores_per_lane=0), "--cores-per-lane 0: use 1 or more"),
    ],
)
def test_a_bad_value_is_refused_in_one_line_with_the_accepted_values(specification, words):
    with pytest.raises(PlanError) as refused:
        check(specification)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("specification", "words"),
    [
        (Specification(devices="9xcpu"), "9 stages need at least 9 blocks, but mlp has 8"),
        (Specification(devices="2xcpu", batch=4, microbatches=5), "5 micro-batches need at least"),
        (
            Specification(devices="2xcpu", batch=1, microbatches=2),
            "2 micro-batches need at least 2 rows, but a batch has 1: use at most 1 micro-batch$",
        ),
        (
            Specification(devices="2xcpu", batch=8, data=10, microbatches=4),
            "4 micro-batches need at least 4 rows, but a batch has 2",
        ),
        (
            Specification("dp-pp", devices="4xcpu", batch=7, microbatches=4),
            "4 micro-batches need at least 4 rows, but a replica's share of 7 rows has 3: use at",
        ),
    ],
)
def test_an_impossible_plan_is_refused_by_its_numbers(specification, words):
    with pytest.raises(PlanError, match=words):
        plans_of(specification, describe(specification), lanes_of(specification, BARE))


def test_a_virtual_lane_has_at_most_the_cores_of_the_machine():
    machine = replace(ONE_GPU, cores=16)
    asked = Specification("ddp", devices="8xvirtual:cpu", cores_per_lane=64)
    words = "^--cores-per-lane 64: a virtual lane can have at most the 16 cores of this machine$"
    with pytest.raises(PlanError, match=words):
        plan_run(asked, machine)
    for fitting in (asked.having(cores_per_lane=16), asked.having(devices="8xvirtual")):
        assert len(plan_run(fitting, machine).lanes) == 8
    # A plan for another machine is not limited by this one, and real lanes say that they share.
    assert len(plan_run(asked, machine, present=False).lanes) == 8
    shared = plan_run(asked.having(devices="8xcpu"), machine).lanes
    assert {lane.sharing for lane in shared} == {"8 lanes share 16 cores"}


def test_accepted_values_are_examples_of_this_machines_devices():
    said = "auto, 2xcpu, strange:0,strange:1, 2xstrange:0, 8xvirtual or 8xvirtual:cpu"
    with pytest.raises(PlanError, match=f"'gpu' is not a device; use {said}$"):
        lane_devices("gpu", OTHER)
    said = "auto, 2xcpu, cuda:0, xpu:0, mps, 8xvirtual or 8xvirtual:cpu"
    with pytest.raises(PlanError, match=f"'gpu' is not a device; use {said}$"):
        lane_devices("gpu", BARE)


@pytest.mark.parametrize(
    ("devices", "hardware", "said"),
    [
        ("cuda:0,cuda:1", ONE_GPU, "no cuda:1: this machine has cuda:0;"),
        ("2xcuda", TWO_INTELS, "no cuda:0: this machine has xpu:0, xpu:1;"),
        ("mps", BARE, "no mps: this machine has no accelerator;"),
        ("virtual:strange:2", OTHER, "no strange:2: this machine has strange:0, strange:1;"),
    ],
)
def test_a_device_that_is_not_there_is_named(devices, hardware, said):
    with pytest.raises(PlanError, match=said):
        lanes_of(Specification(devices=devices), hardware)


@pytest.mark.parametrize("devices", ["cuda:0,cuda:7", "2xxpu:0", "mps"])
def test_without_a_machine_every_known_kind_is_accepted(devices):
    assert lanes_of(Specification(devices=devices), BARE, present=False)


@pytest.mark.parametrize(
    ("devices", "hardware", "copy_lanes"),
    [("2xcpu", BARE, 0), ("2xmps", APPLE, 0), ("2xxpu", TWO_INTELS, 2), ("2xstrange", OTHER, 2)],
)
def test_copies_have_lanes_of_their_own_on_devices_with_streams(devices, hardware, copy_lanes):
    specification = Specification("mp", devices=devices)
    lanes = lanes_of(specification, hardware)
    (plan,) = plans_of(specification, describe(specification), lanes).values()
    assert sum(lane.role is Role.COPY for lane in plan.lanes) == copy_lanes


@pytest.mark.parametrize(
    ("devices", "hardware", "group"),
    [
        ("2xcpu", BARE, "gloo"),
        ("2xcuda:0", ONE_GPU, "gloo"),
        ("2xcuda", TWO_GPUS, "nccl"),
        ("2xxpu", TWO_INTELS, "xccl"),
        ("2xxpu:0", TWO_INTELS, ""),
        ("2xmps", APPLE, ""),
        ("2xstrange:0", OTHER, ""),
        ("2xstrange", OTHER, None),  # only torch knows
    ],
)
def test_ranks_meet_in_the_process_group_of_their_devices(devices, hardware, group):
    assert process_group(lanes_of(Specification(devices=devices), hardware)) == group


def test_a_step_that_no_memory_could_hold_is_refused_beforehand():
    specification = Specification(batch=10**9)
    with pytest.raises(PlanError, match="--batch 1000000000 of mlp needs at least"):
        check_memory(specification, describe(specification), BARE)


def test_errors_name_the_machine_that_has_the_devices():
    there = replace(ONE_GPU, host="me@gpu", memory=24 << 30)
    with pytest.raises(PlanError, match="no cuda:1: me@gpu has cuda:0;"):
        lanes_of(Specification(devices="cuda:0,cuda:1"), there)
    specification = Specification(batch=10**9)
    with pytest.raises(PlanError, match=r"GB, but me@gpu has [\d.]+ GB"):
        check_memory(specification, describe(specification), there)
    with pytest.raises(PlanError, match=r"than an eighth of the 25\.8 GB of me@gpu; use"):
        check_lanes(Specification(devices="4096xcpu"), 4096, there)


def test_more_lanes_than_memory_can_explain_are_refused_with_the_memory_needed():
    specification = Specification(devices="4096xcpu")
    with pytest.raises(PlanError, match=r"--devices 4096xcpu: .* takes about 7\.7 GB, more than"):
        check_lanes(specification, 4096, replace(BARE, memory=24 << 30))
    check_lanes(specification, 2048, replace(BARE, memory=24 << 30))
    check_lanes(specification, 4096, replace(BARE, memory=64 << 30))
