"""The form: what it asks for, what it refuses and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from core.models.catalogue import MODELS, ModelSettings
from core.plan.faults import FAULT_OPTIONS, SLOW_LANE
from core.plan.pipeline_options import SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIONS, STRATEGY_OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from core.plan.task import KINDS, Kind
from gui.panels.run.strategy import StrategyPanel, device_choices
from gui.runs.check import Checked, check_specification, friendly
from tests.make_believe import GPUS, HARDWARE


@pytest.fixture
def panel(qtbot: object) -> StrategyPanel:
    made = StrategyPanel()
    qtbot.addWidget(made)
    made.set_hardware(HARDWARE)
    return made


def is_refused(result: object) -> bool:
    return isinstance(result, str)


def can_run(result: object) -> bool:
    return isinstance(result, Checked)


ROUND_TRIPS = [
    Specification(model=ModelSettings().filled(), schedule="1f1b"),
    Specification("dp", ModelSettings("tutorial"), devices="8xcpu", batch=30, data=100),
    Specification("ddp", ModelSettings("gpt", 64, 2, 4, 32), bucket_mb=2.5, verify=True, seed=7),
    Specification("pipeline", ModelSettings("toymodel", dtype="float64"), schedule="gpipe",
                  split_size=3, stages=2, steps=9, warmup=0, optimizer="adam", lr=0.125,
                  cores_per_lane=1),
    Specification("mp", ModelSettings("/somewhere/mine.py"), batch=12),
]  # fmt: skip


@pytest.mark.parametrize("specification", ROUND_TRIPS, ids=lambda s: f"{s.strategy}-{s.model.name}")
def test_the_form_gives_back_what_it_was_filled_with(
    panel: StrategyPanel, specification: Specification
) -> None:
    panel.set_specification(specification)
    assert panel.specification() == specification


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_can_be_picked_and_checked(panel: StrategyPanel, name: str) -> None:
    panel.choose_strategy(name)
    panel.check_now()
    assert isinstance(panel.result, Checked)
    assert panel.specification().strategy == name


@pytest.mark.parametrize("name", STRATEGIES)
def test_fields_that_a_strategy_does_not_take_are_disabled_with_the_reason(
    panel: StrategyPanel, name: str
) -> None:
    panel.choose_strategy(name)
    panel.choose(SCHEDULE, "interleaved")  # it takes chunks
    for option in STRATEGY_OPTIONS:
        field = panel.fields[option.name].widget
        assert field.isEnabled() is (option in STRATEGIES[name].options)
        if not field.isEnabled():
            assert "does not use this" in field.toolTip()


def test_faults_are_shown_for_virtual_lanes_alone_and_folded(panel: StrategyPanel) -> None:
    def shown() -> list[bool]:
        fields = [panel.fields[option.name].widget for option in FAULT_OPTIONS]
        return [panel._form.isRowVisible(widget) for widget in (panel._faults, *fields)]

    assert not any(shown())
    panel.set_specification(Specification(devices="4xvirtual:cpu"))
    assert shown() == [True, *[False] * 5]
    panel._faults.click()
    assert all(shown())
    panel._faults.click()
    assert shown() == [True, *[False] * 5]


def test_faults_that_are_given_are_shown_and_asked_for(panel: StrategyPanel) -> None:
    asked = Specification(
        "dp", ModelSettings("mlp").filled(), devices="4xvirtual:cpu", slow_lane="1:2 2:1.5",
        hiccup="lane=2,step=4,ms=50", jitter=0.1,
    )  # fmt: skip
    panel.set_specification(asked)
    assert panel.specification() == asked and can_run(panel.result)
    assert all(panel._form.isRowVisible(panel.fields[o.name].widget) for o in FAULT_OPTIONS)
    panel.choose(SLOW_LANE, "7:2")
    panel.check_now()
    assert panel.result == "Slow lane 7:2: there are lanes 0 to 3"
    panel.choose(SLOW_LANE, "often")
    panel.check_now()
    assert str(panel.result).startswith("Slow lane 'often': use LANE:FACTOR, such as 2:1.5")


def test_real_lanes_run_without_the_faults_that_were_set_for_virtual_ones(
    panel: StrategyPanel,
) -> None:
    panel.set_specification(Specification(devices="2xvirtual:cpu", jitter=0.1))
    panel.fields["devices"].write("2xcpu")
    panel.check_now()
    assert can_run(panel.result) and panel.specification().jitter is None


def test_micro_batches_and_split_size_exclude_each_other(panel: StrategyPanel) -> None:
    panel.choose_strategy("pipeline")
    panel.fields["microbatches"].widget.setValue(4)
    assert not panel.fields["split_size"].widget.isEnabled()
    assert "Micro-batches excludes this: set it back" in panel.fields["split_size"].widget.toolTip()
    panel.fields["microbatches"].widget.setValue(0)
    panel.fields["split_size"].widget.setValue(5)
    assert not panel.fields["microbatches"].widget.isEnabled()


@pytest.mark.parametrize("name", SCHEDULES)
def test_chunks_are_for_the_schedules_that_take_them(panel: StrategyPanel, name: str) -> None:
    panel.choose_strategy("pipeline")
    panel.choose(SCHEDULE, name)
    panel.fields["chunks"].widget.setValue(2)
    assert panel.fields["chunks"].widget.isEnabled() is SCHEDULES[name].settable_chunks
    assert panel.specification().chunks == (2 if SCHEDULES[name].settable_chunks else None)
    if not panel.fields["chunks"].widget.isEnabled():
        assert "says itself how many stages a lane holds" in panel.fields["chunks"].widget.toolTip()


def test_schedules_that_cannot_run_are_disabled_with_the_reason(panel: StrategyPanel) -> None:
    panel.set_specification(Specification(devices="3xcpu", microbatches=6))
    item = (
        panel.fields["schedule"]
        .widget.model()
        .item(panel.fields["schedule"].widget.findData("chimera"))
    )
    assert not item.isEnabled()
    assert "even number of ranks" in item.toolTip()
    panel.set_specification(Specification(devices="4xcpu", microbatches=6))
    assert item.isEnabled()
    assert item.toolTip() == SCHEDULES["chimera"].line


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_pipeline_is_pictured_with_the_passes_of_its_schedule(
    panel: StrategyPanel, name: str
) -> None:
    panel.set_specification(Specification(devices="2xcpu", microbatches=6, schedule=name))
    (plan,) = panel.result.plans.values()
    answer = panel.picture.answer
    assert panel.picture.isVisibleTo(panel.footer)
    passes = [KINDS.index(kind) for kind in (*SCHEDULES[name].uses, Kind.OVERLAP)]
    planned = [KINDS.index(task.kind) for task in plan.tasks if KINDS.index(task.kind) in passes]
    shown = [kind for kind in answer.kind.tolist() if kind in passes]
    assert sorted(shown) == sorted(planned)
    assert len(answer.first) == 3


def test_what_is_no_pipeline_has_no_picture(panel: StrategyPanel) -> None:
    panel.set_specification(Specification("dp", devices="2xcpu"))
    assert not panel.picture.isVisibleTo(panel.footer)


def test_a_schedule_is_taken_from_a_file(
    panel: StrategyPanel, tmp_path: Path, qtbot: object
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n")
    panel.set_specification(Specification(devices="2xcpu", microbatches=2))
    panel.fields["schedule"].widget.setCurrentIndex(panel.fields["schedule"].widget.count() - 1)
    panel.fields["schedule"].widget.activated.emit(panel.fields["schedule"].widget.currentIndex())
    assert panel.specification().schedule == "1f1b"
    dialog = panel.fields["schedule"].widget.findChild(QFileDialog)
    dialog.selectFile(str(path))
    dialog.accept()
    panel.check_now()
    assert panel.specification().schedule == str(path)
    assert panel.fields["schedule"].widget.currentText() == "From mine.csv"
    assert isinstance(panel.result, Checked)
    again = panel.specification()
    panel.set_specification(Specification())
    assert panel.specification().schedule == "1f1b"
    panel.set_specification(again)
    assert panel.specification() == again


def test_a_schedule_that_was_not_picked_after_all_leaves_the_last_one(
    panel: StrategyPanel,
) -> None:
    panel.choose(SCHEDULE, "gpipe")
    panel.fields["schedule"].widget.setCurrentIndex(panel.fields["schedule"].widget.count() - 1)
    panel.fields["schedule"].widget.activated.emit(panel.fields["schedule"].widget.currentIndex())
    panel.fields["schedule"].widget.findChild(QFileDialog).reject()
    assert panel.specification().schedule == "gpipe"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"schedule": "chimera"}, "64 rows in 8 micro-batches of 8 over 2 replicas: 32, 32"),
        ({"strategy": "dp-pp", "devices": "4xcpu", "microbatches": 4},
         "64 rows in 8 micro-batches of 8 over 2 replicas: 32, 32"),
        ({"batch": 30, "microbatches": 4}, "30 rows in 4 micro-batches: 8, 8, 7, 7"),
        ({"strategy": "fsdp"}, "64 rows over 2 replicas: 32, 32"),
    ],
)  # fmt: skip
def test_the_preview_names_micro_batches_and_replicas(
    panel: StrategyPanel, values: dict, told: str
) -> None:
    panel.set_specification(Specification(**{"devices": "2xcpu", **values}))
    assert panel._preview.text().replace("\u00a0", " ").splitlines()[0] == told


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"batch": 4, "microbatches": 9}, "9 micro-batches need at least 9 rows"),
        ({"stages": 99}, "99 stages need at least 99 blocks"),
        ({"devices": "cuda:0"}, "There is no cuda:0"),
        ({"devices": "3xtpu"}, "'3xtpu' is no device"),
        ({"model": ModelSettings("gpt", width=30, heads=4)}, "Heads 4 do not divide Width 30"),
        ({"model": ModelSettings("/nowhere/mine.py")}, "There is no file /nowhere/mine.py"),
    ],
)
def test_what_cannot_run_is_told_in_one_line(
    panel: StrategyPanel, values: dict, reason: str
) -> None:
    panel.set_specification(Specification(**values))
    assert isinstance(panel.result, str)
    assert reason in panel.result
    assert "--" not in panel.result
    assert "\n" not in panel.result


def test_the_check_follows_the_last_change(panel: StrategyPanel, qtbot: object) -> None:
    with qtbot.waitSignal(panel.checked, check_params_cb=is_refused):
        panel.fields["stages"].widget.setValue(50)
    with qtbot.waitSignal(panel.checked, check_params_cb=can_run):
        panel.fields["stages"].widget.setValue(2)


@pytest.mark.parametrize("name", MODELS)
def test_a_picked_model_brings_its_own_settings_and_defaults(
    panel: StrategyPanel, name: str
) -> None:
    panel.fields["model"].widget.setCurrentIndex(panel.fields["model"].widget.findData(name))
    panel.fields["model"].widget.activated.emit(panel.fields["model"].widget.currentIndex())
    settings = MODELS[name].settings
    for setting in ("width", "depth", "heads", "sequence", "image_size"):
        assert panel._form.isRowVisible(panel.fields[setting].widget) is (setting in settings)
    assert panel.specification().model == ModelSettings(name).filled()


def test_every_field_has_a_tooltip_of_one_sentence_and_an_accessible_name(
    panel: StrategyPanel,
) -> None:
    for option in OPTIONS:
        assert option.help.endswith(".")
        assert option.help.count(". ") == 0
        if option.title:
            assert panel.fields[option.name].widget.accessibleName() == option.title
            assert panel.fields[option.name].widget.toolTip()


def test_numbers_show_no_zeros_behind_their_last_digit(panel: StrategyPanel) -> None:
    panel.set_specification(Specification("ddp", bucket_mb=2.5, lr=100.0))
    assert panel.fields["bucket_mb"].widget.text() == "2.5"
    assert panel.fields["lr"].widget.text() == "100"


@pytest.mark.parametrize("number", [10**30, -(10**30), 1e308, float("nan"), float("-inf")])
def test_numbers_beyond_a_fields_range_are_the_nearest_that_it_takes(
    panel: StrategyPanel, number: float
) -> None:
    whole = {"seed": number, "batch": number, "stages": number} if isinstance(number, int) else {}
    panel.set_specification(Specification(lr=float(number), **whole))
    assert panel.specification().lr >= 0
    assert panel.specification().seed >= 0


def test_the_lanes_field_offers_what_the_machine_has() -> None:
    assert "cuda:0" not in device_choices(HARDWARE)
    gpus = ["auto", "cuda:0,cuda:1", "cuda:0", "cuda:1"]
    assert set(gpus) < set(device_choices(GPUS))
    assert device_choices(replace(GPUS, accelerators=GPUS.accelerators * 2))[:2] == [
        *gpus[:1],
        "cuda:0,cuda:1,cuda:0,cuda:1",
    ]


def test_virtual_lanes_are_offered_first_where_four_real_ones_would_share_something() -> None:
    assert device_choices(replace(HARDWARE, cores=2))[:2] == ["4xvirtual", "8xvirtual"]
    assert device_choices(GPUS)[0] == "4xvirtual"
    assert device_choices(replace(HARDWARE, cores=8))[0] == "auto"


def test_a_gpu_counts_as_missing_only_when_the_machine_is_known() -> None:
    wanted = Specification(devices="cuda:0")
    assert isinstance(check_specification(wanted, HARDWARE, known=True), str)
    assert isinstance(
        check_specification(Specification(devices="cuda:0"), GPUS, known=True), Checked
    )


def test_messages_name_fields_instead_of_flags() -> None:
    assert friendly("--split-size 0: use 1 or more") == "Split size 0: use 1 or more"
    assert friendly("--frobnicate 3") == "--frobnicate 3"


def test_the_preview_tells_how_the_batch_is_cut(panel: StrategyPanel) -> None:
    panel.set_specification(
        Specification("dp", ModelSettings("tutorial"), devices="8xcpu", batch=30)
    )
    text = panel._preview.text().replace("\u00a0", " ")
    assert "30 rows over 8 replicas: 4, 4, 4, 4, 4, 4, 4, 2" in text
    assert "8 lanes share 2 cores" in text
