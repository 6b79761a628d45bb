"""The user's own colours: chosen by keys, checked at once, stored, and reset."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from gui.app.settings import Settings
from gui.features.view.colours import ColourControl
from gui.look.theme import DARK, EDITABLE, LIGHT
from gui.timeline.state.bar_looks import Colouring
from gui.timeline.state.colour_choices import ByDuration, ColourBy
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of


@pytest.fixture
def control(qtbot: object, settings: Settings) -> Iterator[ColourControl]:
    owner = QWidget()
    qtbot.addWidget(owner)
    made = ColourControl(settings, owner)
    yield made
    if made.panel is not None:
        made.panel.close()


def write(control: ColourControl, name: str, colour: str) -> None:
    field = control.panel.fields[name]
    field.selectAll()
    QTest.keyClicks(field, colour)


def test_a_typed_colour_is_applied_at_once_and_stored(
    control: ColourControl, settings: Settings
) -> None:
    told: list[bool] = []
    control.theme_changed.connect(lambda: told.append(True))
    control.edit()
    write(control, "forward", "#1a5fb4")
    assert told == [True]
    assert control.theme.forward == "#1a5fb4"
    assert settings.colours("light") == {"forward": "#1a5fb4"}
    assert control.theme.backward == LIGHT.backward


def test_an_invalid_colour_changes_nothing(control: ColourControl) -> None:
    control.edit()
    for typed in ("#12", "red", "#zzzzzz", "123456"):
        write(control, "forward", typed)
        assert control.theme == LIGHT


def test_a_faint_colour_shows_a_warning_with_its_contrast(control: ColourControl) -> None:
    control.edit()
    assert control.panel.warning.text() == ""
    write(control, "forward", "#d0e0ff")
    assert "Forward is too faint: 1.3:1 against the plot" in control.panel.warning.text()


def test_colours_that_colour_blind_users_confuse_show_a_warning(control: ColourControl) -> None:
    control.edit()
    write(control, "forward", "#6d7a00")
    assert "hard to tell apart with" in control.panel.warning.text()
    assert any(n in control.panel.warning.text() for n in ("protanopia", "deuteranopia"))


def test_reset_returns_to_the_built_in_colours(control: ColourControl, settings: Settings) -> None:
    control.edit()
    write(control, "update", "#000080")
    assert control.panel.reset.isEnabled()
    QTest.mouseClick(control.panel.reset, Qt.MouseButton.LeftButton)
    assert control.theme == LIGHT
    assert settings.colours("light") == {}
    assert control.panel.fields["update"].text() == LIGHT.update
    assert not control.panel.reset.isEnabled()


def test_each_theme_has_its_own_colours(control: ColourControl, settings: Settings) -> None:
    control.edit()
    write(control, "forward", "#1a5fb4")
    settings.theme = "dark"
    control.refresh()
    assert control.theme == DARK
    assert control.panel.fields["forward"].text() == DARK.forward


def test_unreadable_settings_are_ignored(settings: Settings) -> None:
    settings.store.setValue("colours/light", "[1, 2")
    assert settings.colours("light") == {}
    settings.store.setValue("colours/light", '{"forward": "red", "update": "#00ff00"}')
    assert settings.colours("light") == {"update": "#00ff00"}


def test_every_control_has_a_name(control: ColourControl) -> None:
    control.edit()
    for name in EDITABLE.values():
        assert control.panel.fields[name].accessibleName()
        assert control.panel.buttons[name].accessibleName()


def test_the_choice_of_colouring_is_stored_and_shown(
    control: ColourControl, settings: Settings
) -> None:
    scene = Scene(trace_of(specification("pipeline", microbatches=4, steps=1)))
    told: list[bool] = []
    control.scene_changed.connect(lambda: told.append(True))
    control.show_scene(scene, False)
    assert scene.colouring == Colouring()
    assert told == []
    control.colour_by("duration")
    assert scene.colouring == ByDuration.of(scene.trace)
    assert told == [True]
    assert settings.colour_by == "duration"
    settings.colour_by = "smell"
    assert control.by is ColourBy.KIND
