"""Lane options in the window's menu and by keys, and which of them are remembered."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.engine.client import EngineClient
from core.plan.devices import Hardware
from core.plan.specification import Specification
from gui.app.settings import Settings
from gui.features.run.feature import RunFeature
from gui.features.view.feature import ViewFeature
from gui.features.view.options import grouping_of
from gui.timeline.layout.groups import Grouping
from gui.timeline.state.scene import Scene
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.make_believe import specification, trace_of

MakeWindow = Callable[[EngineClient, Settings], MainWindow]
NO_KEYS = Qt.KeyboardModifier.NoModifier
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def shown(window: MainWindow) -> list[int]:
    return [row.lane for row in window.timeline.state.stack.layout.tracks if not row.helper]


def press(window: MainWindow, key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    window.timeline.setFocus()
    QTest.keyClick(window, key, keys)


def test_lanes_are_arranged_by_keys_only(window: MainWindow) -> None:
    run = specification("dp-pp", steps=1, devices="8xcpu", replicas=4, stages=2)
    window.timeline.state.show_scene(Scene(trace_of(run, Hardware(64, 8 << 30))))
    press(window, Qt.Key.Key_G)
    press(window, Qt.Key.Key_G)
    assert window.timeline.lanes.tracks.grouping is Grouping.PIPELINE
    assert window.action("group_pipelines").isChecked()
    press(window, Qt.Key.Key_S, SHIFT)
    press(window, Qt.Key.Key_E)
    assert shown(window) == [2, 3, 4, 5, 6, 7]
    press(window, Qt.Key.Key_S, SHIFT)
    press(window, Qt.Key.Key_Down, CTRL | SHIFT)
    assert shown(window) == [3, 2, 4, 5, 6, 7]
    press(window, Qt.Key.Key_P)
    press(window, Qt.Key.Key_E, SHIFT)
    assert shown(window) == [2]
    press(window, Qt.Key.Key_U)
    assert shown(window) == [2, 0, 1, 3, 4, 5, 6, 7]
    press(window, Qt.Key.Key_F, CTRL | SHIFT)
    assert window.timeline.lane_filter.field.hasFocus()


def test_the_menu_shows_how_lanes_are_grouped_and_the_choice_is_remembered(
    make_window: MakeWindow, client: FakeClient, settings: Settings
) -> None:
    window = make_window(client, settings)
    assert window.action("group_devices").isChecked()
    window.action("group_none").trigger()
    window.feature(ViewFeature).options.set_node_devices(4)
    assert window.action("group_nodes").isChecked()
    window.action("nested").trigger()
    again = make_window(client, settings)
    assert again.timeline.lanes.tracks.grouping is Grouping.NODE
    assert again.timeline.lanes.tracks.node_devices == 4
    assert not again.timeline.state.stack.chosen.nested
    assert not again.action("nested").isChecked()


def test_the_dialog_for_the_devices_of_a_node_does_not_block(window: MainWindow) -> None:
    window.action("node_devices").trigger()
    dialog = window.feature(ViewFeature).options.dialog
    assert dialog is not None
    assert dialog.isVisible()
    dialog.setIntValue(16)
    dialog.accept()
    assert window.timeline.lanes.tracks.grouping is Grouping.NODE
    assert window.timeline.lanes.tracks.node_devices == 16


def test_unreadable_settings_group_lanes_by_device() -> None:
    assert grouping_of("galaxy") is Grouping.DEVICE
    assert grouping_of("pipelines") is Grouping.PIPELINE


def test_blocks_are_recorded_if_the_form_requests_it_and_never_for_ranks(
    window: MainWindow,
) -> None:
    window.feature(RunFeature).form.set_specification(Specification(blocks=True))
    assert window.feature(RunFeature).form.specification().blocks
    window.feature(RunFeature).form.strategies.choose("ddp")
    assert not window.feature(RunFeature).form.specification().blocks
    window.feature(RunFeature).form.options.unfolded = {"advanced"}
    assert not window.feature(RunFeature).form.fields["blocks"].widget.isVisible()
    window.feature(RunFeature).form.strategies.choose("dp")
    assert window.feature(RunFeature).form.fields["blocks"].widget.isVisible()


def test_lanes_grow_and_shrink_without_the_mouse(window: MainWindow) -> None:
    window.timeline.state.show_scene(Scene(trace_of(specification(steps=1))))
    before = window.timeline.state.stack.layout.compute
    press(window, Qt.Key.Key_Minus, CTRL)
    lower = window.timeline.state.stack.layout.compute
    press(window, Qt.Key.Key_Plus, CTRL)
    press(window, Qt.Key.Key_Plus, CTRL)
    assert lower < before < window.timeline.state.stack.layout.compute
