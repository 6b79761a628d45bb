"""The form: its fields, and the settings that it refuses with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QFileDialog, QFormLayout
from pytestqt.qtbot import QtBot

from core.models.catalogue import MODELS, ModelSettings
from core.plan.faults import FAULT_OPTIONS, SLOW_LANE
from core.plan.pipeline.options import SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIONS, STRATEGY_OPTIONS, Specification, describe
from core.plan.strategies import STRATEGIES
from core.plan.task import KINDS, Kind
from gui.app.check import Checked, check_specification, friendly
from gui.app.language import speak
from gui.features.run.devices import DeviceField, device_choices
from gui.features.run.panel import NARROWEST, StrategyPanel
from gui.window.dock_sizes import NARROW
from tests.make_believe import GPUS, HARDWARE

LINE_MARGIN = 2  # pixels that Qt keeps free on each side of a line's text


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
def test_the_form_returns_the_values_that_it_was_filled_with(
    panel: StrategyPanel, specification: Specification
) -> None:
    panel.set_specification(specification)
    assert panel.specification() == specification


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_can_be_picked_and_checked(panel: StrategyPanel, name: str) -> None:
    panel.strategies.choose(name)
    panel.check_now()
    assert isinstance(panel.result, Checked)
    assert panel.specification().strategy == name


def test_the_footer_draws_the_users_own_model_once_a_run_has_described_it(
    panel: StrategyPanel, tmp_path: Path
) -> None:
    path = tmp_path / "net.py"
    path.write_text("")
    own = Specification("pipeline", ModelSettings(str(path)), devices="4xvirtual")
    panel.set_specification(own)
    assert panel.footer.picture.isHidden() and "tasks" not in panel.footer.preview.text()
    described = describe(Specification(model=ModelSettings(width=8, depth=8)))
    panel.set_own_model(lambda _: described)
    panel.check_now()
    assert not panel.footer.picture.isHidden()
    assert "tasks a step on 4 lanes" in panel.footer.preview.text()
    # The file may have changed since: it can still be run.
    panel.set_specification(replace(own, devices="12xvirtual"))
    assert can_run(panel.result) and panel.footer.picture.isHidden()


@pytest.mark.parametrize("name", STRATEGIES)
def test_only_the_fields_that_a_strategy_takes_are_shown(panel: StrategyPanel, name: str) -> None:
    panel.options.unfolded = {"advanced"}
    panel.strategies.choose(name)
    panel.fields[SCHEDULE.name].write("interleaved")  # it takes chunks
    for option in STRATEGY_OPTIONS:
        shown = panel.options.isRowVisible(panel.fields[option.name].widget)
        of_use = not option.unused(panel.specification())
        assert shown is (option in STRATEGIES[name].options and of_use)


@pytest.mark.parametrize("name", STRATEGIES)
def test_torchrun_can_be_chosen_where_torch_has_an_engine(panel: StrategyPanel, name: str) -> None:
    panel.options.unfolded = {"advanced"}
    panel.set_specification(Specification(name, devices="2xcpu", launcher="torchrun"))
    field = panel.fields["launcher"].widget
    assert panel.options.isRowVisible(field) is bool(STRATEGIES[name].torch_engine)
    assert panel.specification().launcher == (
        "torchrun" if STRATEGIES[name].torch_engine else "engine"
    )
    panel.set_specification(Specification(name, devices="2xvirtual", launcher="torchrun"))
    assert panel.specification().launcher == "engine"


def test_rare_settings_are_folded_and_counted(panel: StrategyPanel) -> None:
    advanced, seed = panel.options.folds["advanced"], panel.fields["seed"].widget
    assert not panel.options.isRowVisible(seed) and advanced.text() == "Advanced"
    panel.set_specification(Specification(seed=3, warmup=0))
    assert not panel.options.isRowVisible(seed) and advanced.text() == "Advanced (2 set)"
    assert panel.specification().seed == 3
    advanced.click()
    assert panel.options.isRowVisible(seed) and panel.options.unfolded == {"advanced"}


def test_empty_number_fields_show_the_value_that_is_used(panel: StrategyPanel) -> None:
    def shown(*names: str) -> list[str]:
        texts = [panel.fields[name].widget.text() for name in names]
        return [text.replace("\u00a0", " ") for text in texts]

    panel.set_specification(Specification(devices="2xcpu"))
    assert shown("batch", "steps") == ["64 rows", "5"]
    assert shown("microbatches", "split_size") == ["8", "8 rows"]
    panel.set_specification(Specification(devices="2xcpu", split_size=12))
    assert shown("microbatches", "split_size") == ["6", "12 rows"]
    panel.set_specification(Specification(devices="2xcpu", batch=30, microbatches=4))
    assert shown("microbatches", "split_size") == ["4", "7 to 8 rows"]
    panel.set_specification(Specification(devices="2xcpu", stages=99))
    assert shown("microbatches", "split_size") == ["up to 8", "not used"]


@pytest.mark.parametrize(
    ("hardware", "devices", "offered"),
    [
        (HARDWARE, "4xcpu", "4xvirtual:cpu"),
        (GPUS, "3xcuda:1", "3xvirtual:cuda:1"),
        (HARDWARE, "2xcpu", ""),
        (HARDWARE, "8xvirtual", ""),
    ],
)
def test_virtual_lanes_are_offered_where_real_ones_would_share_a_device(
    panel: StrategyPanel, qtbot: object, hardware: object, devices: str, offered: str
) -> None:
    panel.set_hardware(hardware)
    panel.set_specification(Specification(devices=devices))
    link = panel.footer.virtual
    assert link.isVisibleTo(panel.footer) is bool(offered)
    if offered:
        assert f"lanes share {'2 cores' if 'cpu' in devices else 'cuda:1'}." in (
            panel.footer.preview.text()
        )
        qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
        panel.check_now()
        assert panel.specification().devices == offered
        assert not link.isVisibleTo(panel.footer)


def test_the_arrow_keys_choose_a_strategy_and_tab_walks_down_the_form(
    panel: StrategyPanel, qtbot: object
) -> None:
    panel.resize(280, 700)
    panel.show()
    qtbot.waitUntil(panel.isActiveWindow)
    names = panel.strategies.list
    names.setFocus()
    panel.strategies.choose("single")
    for name in ("dp", "ddp"):
        qtbot.keyClick(names, Qt.Key.Key_Down)
        assert panel.specification().strategy == name
    reached = []
    for _ in range(30):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        if focused is names:
            break
        reached.append(focused.objectName())
        assert (
            panel.viewport()
            .rect()
            .contains(focused.mapTo(panel.viewport(), focused.rect().center()))
        )
    rows = [name for name, field in panel.fields.items() if field.widget.isVisible()]
    rows.insert(rows.index("devices"), "where")
    assert reached == [*rows, "fold"]
    panel.close()


def test_the_form_is_a_tree_that_a_screen_reader_can_read(panel: StrategyPanel) -> None:
    panel.options.unfolded = {"advanced", "faults"}
    panel.set_specification(Specification(devices="4xvirtual:cpu"))
    panel.show()
    told = list(accessible_tree(QAccessible.queryAccessibleInterface(panel)))
    roles = QAccessible.Role
    names = {name for role, name, _ in told if role is roles.ListItem}
    assert names == {strategy.title for strategy in STRATEGIES.values()}
    by_name = {name: role for role, name, _ in told if role in CONTROLS}
    assert "" not in by_name
    assert by_name["Model"] is roles.ComboBox
    assert by_name["Batch"] is roles.SpinBox
    assert by_name["Link"] is roles.EditableText
    shown = {o.title for o in OPTIONS if o.title and panel.fields[o.name].widget.isVisible()}
    assert shown < by_name.keys()
    texts = {name: value for role, name, value in told if role in CONTROLS}
    assert texts["Model"] == "MLP" and texts["Depth"] == "8"
    panel.close()


CONTROLS = (
    QAccessible.Role.ComboBox, QAccessible.Role.SpinBox, QAccessible.Role.EditableText,
    QAccessible.Role.CheckBox, QAccessible.Role.PushButton, QAccessible.Role.Button,
)  # fmt: skip


def accessible_tree(item: QAccessibleInterface) -> Iterator[tuple[QAccessible.Role, str, str]]:
    """Role, name and value of visible widgets and their children, without the parts of fields.

    A label names a field: Qt gives the value of a drop-down list as its name on Linux.
    """
    role = item.role()
    texts = QAccessible.Text
    if not item.state().invisible:
        labels = [other for other, how in item.relations() if how is QAccessible.RelationFlag.Label]
        yield role, (labels or [item])[0].text(texts.Name), item.text(texts.Value)
        if role not in CONTROLS:
            for place in range(item.childCount()):
                yield from accessible_tree(item.child(place))


def test_faults_are_shown_folded_and_only_for_virtual_lanes(panel: StrategyPanel) -> None:
    def shown() -> list[bool]:
        fields = [panel.fields[option.name].widget for option in FAULT_OPTIONS]
        return [
            panel.options.isRowVisible(widget)
            for widget in (panel.options.folds["faults"], *fields)
        ]

    assert not any(shown())
    panel.set_specification(Specification(devices="4xvirtual:cpu"))
    assert shown() == [True, *[False] * 5]
    panel.options.folds["faults"].click()
    assert all(shown())
    panel.options.folds["faults"].click()
    assert shown() == [True, *[False] * 5]


def test_given_faults_are_shown_and_requested(panel: StrategyPanel) -> None:
    asked = Specification(
        "dp", ModelSettings("mlp").filled(), devices="4xvirtual:cpu", slow_lane="1:2 2:1.5",
        hiccup="lane=2,step=4,ms=50", jitter=0.1,
    )  # fmt: skip
    panel.set_specification(asked)
    assert panel.specification() == asked and can_run(panel.result)
    assert panel.options.folds["faults"].text() == "Faults (3 set)"
    panel.options.folds["faults"].click()
    assert all(panel.options.isRowVisible(panel.fields[o.name].widget) for o in FAULT_OPTIONS)
    panel.fields[SLOW_LANE.name].write("7:2")
    panel.check_now()
    assert panel.result == "Slow lane 7:2: there are lanes 0 to 3"
    panel.fields[SLOW_LANE.name].write("often")
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
    panel.strategies.choose("pipeline")
    panel.fields["microbatches"].widget.setValue(4)
    assert not panel.fields["split_size"].widget.isEnabled()
    assert (
        "combined with Micro-batches: set that back" in panel.fields["split_size"].widget.toolTip()
    )
    panel.fields["microbatches"].widget.setValue(0)
    panel.fields["split_size"].widget.setValue(5)
    assert not panel.fields["microbatches"].widget.isEnabled()


@pytest.mark.parametrize("name", SCHEDULES)
def test_chunks_are_for_the_schedules_that_take_them(panel: StrategyPanel, name: str) -> None:
    panel.strategies.choose("pipeline")
    panel.fields[SCHEDULE.name].write(name)
    panel.options.unfolded = {"advanced"}
    panel.fields["chunks"].widget.setValue(2)
    shown = panel.options.isRowVisible(panel.fields["chunks"].widget)
    assert shown is SCHEDULES[name].settable_chunks
    assert panel.specification().chunks == (2 if SCHEDULES[name].settable_chunks else None)


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
def test_a_pipeline_is_drawn_with_the_passes_of_its_schedule(
    panel: StrategyPanel, name: str
) -> None:
    panel.set_specification(Specification(devices="2xcpu", microbatches=6, schedule=name))
    (plan,) = panel.result.plans.values()
    answer = panel.footer.picture.answer
    assert panel.footer.picture.isVisibleTo(panel.footer)
    passes = [KINDS.index(kind) for kind in (*SCHEDULES[name].uses, Kind.OVERLAP)]
    planned = [KINDS.index(task.kind) for task in plan.tasks if KINDS.index(task.kind) in passes]
    shown = [kind for kind in answer.kind.tolist() if kind in passes]
    assert sorted(shown) == sorted(planned)
    assert len(answer.first) == 3


@pytest.mark.parametrize("strategy", ["single", "dp", "ddp", "fsdp"])
def test_other_strategies_are_drawn_without_a_bubble_figure(
    panel: StrategyPanel, strategy: str
) -> None:
    panel.set_specification(Specification(strategy, devices="2xvirtual"))
    answer = panel.footer.picture.answer
    assert panel.footer.picture.isVisibleTo(panel.footer)
    assert len(answer.first) == 3
    (plan,) = panel.result.plans.values()
    planned = {KINDS.index(task.kind) for task in plan.tasks if task.lane < 2}
    assert set(answer.kind.tolist()) == planned
    assert "Bubble" not in panel.footer.preview.text()


def test_an_unknown_model_has_no_picture(panel: StrategyPanel, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("")
    panel.set_specification(Specification(model=ModelSettings(str(path)), devices="2xcpu"))
    assert isinstance(panel.result, Checked)
    assert not panel.footer.picture.isVisibleTo(panel.footer)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"devices": "2xnonsense"}, "devices"),
        ({"devices": "2xvirtual", "link": "slow"}, "link"),
        ({"batch": 4, "microbatches": 9}, "batch"),
        ({"model": ModelSettings("gpt", width=30, heads=4)}, "width"),
    ],
)
def test_a_problem_is_shown_below_the_field_that_causes_it(
    panel: StrategyPanel, values: dict, name: str
) -> None:
    panel.set_specification(Specification(**values))
    row, _ = panel.options.getWidgetPosition(panel.fields[name].widget)
    below = panel.options.itemAt(row + 1, QFormLayout.ItemRole.SpanningRole).widget()
    assert below is panel.options.problem
    assert below.text() == panel.result
    assert panel.options.isRowVisible(below)
    assert panel.footer.problem.text() == ""
    panel.set_specification(Specification())
    assert not panel.options.isRowVisible(below)


def test_the_setting_edited_last_is_named_if_two_contradict_each_other(
    panel: StrategyPanel,
) -> None:
    panel.set_specification(Specification(batch=4))
    panel.fields["microbatches"].widget.setValue(9)
    panel.check_now()
    row, _ = panel.options.getWidgetPosition(panel.options.problem)
    above, _ = panel.options.getWidgetPosition(panel.fields["microbatches"].widget)
    assert row == above + 1


def test_a_problem_of_a_folded_field_is_shown_in_the_footer(panel: StrategyPanel) -> None:
    panel.set_specification(Specification(stages=99))
    assert panel.footer.problem.text() == panel.result
    assert not panel.options.isRowVisible(panel.options.problem)
    panel.options.folds["advanced"].click()
    panel.check_now()
    assert panel.footer.problem.text() == ""
    assert panel.options.problem.text() == panel.result


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


def test_cancelling_the_choice_of_a_schedule_file_keeps_the_last_schedule(
    panel: StrategyPanel,
) -> None:
    panel.fields[SCHEDULE.name].write("gpipe")
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
    assert panel.footer.preview.text().replace("\u00a0", " ").splitlines()[0] == told


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"batch": 4, "microbatches": 9}, "9 micro-batches need at least 9 rows"),
        ({"stages": 99}, "99 stages need at least 99 blocks"),
        ({"devices": "cuda:0"}, "There is no cuda:0"),
        ({"devices": "3xtpu"}, "'3xtpu' is not a device"),
        ({"model": ModelSettings("gpt", width=30, heads=4)}, "Heads 4 do not divide Width 30"),
        ({"model": ModelSettings("/nowhere/mine.py")}, "There is no file /nowhere/mine.py"),
    ],
)
def test_settings_that_cannot_run_are_reported_in_one_line(
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
def test_a_picked_model_has_its_own_settings_and_defaults(panel: StrategyPanel, name: str) -> None:
    panel.fields["model"].widget.setCurrentIndex(panel.fields["model"].widget.findData(name))
    panel.fields["model"].widget.activated.emit(panel.fields["model"].widget.currentIndex())
    settings = MODELS[name].settings
    for setting in ("width", "depth", "heads", "sequence", "image_size"):
        assert panel.options.isRowVisible(panel.fields[setting].widget) is (setting in settings)
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


def test_numbers_show_no_trailing_zeros(panel: StrategyPanel) -> None:
    panel.set_specification(Specification("ddp", bucket_mb=2.5, lr=100.0))
    assert panel.fields["bucket_mb"].widget.text() == "2.5"
    assert panel.fields["lr"].widget.text() == "100"


@pytest.mark.parametrize("number", [10**30, -(10**30), 1e308, float("nan"), float("-inf")])
def test_numbers_beyond_a_fields_range_become_the_nearest_allowed_value(
    panel: StrategyPanel, number: float
) -> None:
    whole = {"seed": number, "batch": number, "stages": number} if isinstance(number, int) else {}
    panel.set_specification(Specification(lr=float(number), **whole))
    assert panel.specification().lr >= 0
    assert panel.specification().seed >= 0


def test_the_lanes_field_offers_the_machines_devices() -> None:
    assert "cuda:0" not in device_choices(HARDWARE)
    gpus = ["auto", "cuda:0,cuda:1", "cuda:0", "cuda:1"]
    assert set(gpus) < set(device_choices(GPUS))
    assert device_choices(replace(GPUS, accelerators=GPUS.accelerators * 2))[:2] == [
        *gpus[:1],
        "cuda:0,cuda:1,cuda:0,cuda:1",
    ]


@pytest.mark.parametrize(("width", "wrapped"), [(NARROW, False), (246, False), (NARROWEST, True)])
@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_all_fields_are_next_to_their_labels_or_all_are_below_them(
    language: str, width: int, wrapped: bool, qapp: QApplication, qtbot: QtBot
) -> None:
    speak(qapp, language)
    panel = StrategyPanel()
    qtbot.addWidget(panel)
    panel.resize(width, 600)
    panel.show()
    if wrapped:  # a long title, in a narrow form
        panel.set_hardware(GPUS)
        panel.fields["devices"].write("cuda:0,cuda:1,cuda:0")
    QApplication.processEvents()
    below = set()
    for field in panel.fields.values():
        label = panel.options.labelForField(field.widget)
        if field.widget.isVisible() and label is not None:
            below.add(field.widget.y() >= label.geometry().bottom())
    speak(qapp, "en")
    assert below == {wrapped}


def test_the_lanes_are_listed_in_words_and_in_order(panel: StrategyPanel) -> None:
    field = panel.fields["devices"].widget
    shown = [field.itemText(place) for place in range(field.count())]
    assert shown == [
        "auto: 2 CPU",
        "2 virtual",
        "4 virtual",
        "8 virtual",
        "1 CPU",
        "2 CPU",
        "4 CPU",
        "8 CPU",
    ]
    field.setCurrentIndex(2)
    assert panel.specification().devices == "4xvirtual"
    field.setEditText("3xvirtual")
    assert panel.specification().devices == "3xvirtual"
    panel.set_hardware(GPUS)
    assert panel.specification().devices == "3xvirtual"
    panel.fields["devices"].write("2xcuda:1")
    assert field.currentText() == "2 on cuda:1"
    assert panel.specification().devices == "2xcuda:1"


@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_the_title_of_the_lanes_is_complete_in_a_panel_of_any_width(
    language: str, qapp: QApplication, qtbot: QtBot
) -> None:
    speak(qapp, language)
    panel = StrategyPanel()
    qtbot.addWidget(panel)
    panel.show()
    field = panel.options.field("devices", DeviceField)
    cut = []
    for hardware in (HARDWARE, GPUS):
        panel.set_hardware(hardware)
        for width, place in product((NARROWEST, NARROW, 262, 400), range(field.count())):
            panel.resize(width, 600)
            field.setCurrentIndex(place)
            QApplication.processEvents()
            assert field.geometry().right() < panel.viewport().width()
            wide = field.fontMetrics().horizontalAdvance(field.currentText())
            room = field.lineEdit().width() - 2 * LINE_MARGIN
            if wide > room:
                cut.append((width, field.currentText(), wide, room))
    speak(qapp, "en")
    assert not cut


def test_a_gpu_counts_as_missing_only_when_the_machine_is_known() -> None:
    wanted = Specification(devices="cuda:0")
    assert isinstance(check_specification(wanted, HARDWARE, known=True), str)
    assert isinstance(
        check_specification(Specification(devices="cuda:0"), GPUS, known=True), Checked
    )


def test_messages_name_fields_instead_of_flags() -> None:
    assert friendly("--split-size 0: use 1 or more") == "Split size 0: use 1 or more"
    assert friendly("--frobnicate 3") == "--frobnicate 3"


def test_the_preview_shows_how_the_batch_is_split(panel: StrategyPanel) -> None:
    panel.set_specification(
        Specification("dp", ModelSettings("tutorial"), devices="8xcpu", batch=30)
    )
    text = panel.footer.preview.text().replace("\u00a0", " ")
    assert "30 rows over 8 replicas: 4, 4, 4, 4, 4, 4, 4, 2" in text
    assert "8 lanes share 2 cores" in text
