"""The command palette: matching, and navigation by keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gui.features.palette.commands import all_commands
from gui.features.palette.feature import PaletteFeature
from gui.features.palette.fuzzy import score
from gui.features.palette.palette import Command, matching
from gui.features.run.feature import RunFeature
from gui.features.view.feature import ViewFeature
from gui.window.window import MainWindow


def command(text: str, where: str = "", enabled: bool = True) -> Command:
    return Command(text, where, "", lambda: None, enabled)


@pytest.mark.parametrize(
    ("typed", "better", "worse"),
    [
        ("zoom", "Zoom in", "A room for zebras"),  # the start of a word beats scattered letters
        ("in", "Zoom in", "Beginning"),  # the start of a word beats its middle
        ("gap", "Longest gap", "Go to a plan"),
        ("zi", "Zoom in", "Zebras roam in"),  # letters that are closer together win
        ("fit", "Fit", "Fit the selection"),  # the shorter of two equal matches wins
    ],
)
def test_better_matches_have_higher_scores(typed: str, better: str, worse: str) -> None:
    one, other = score(typed, better), score(typed, worse)
    assert one is not None
    assert other is None or one > other


def test_every_typed_word_must_be_found_in_any_order() -> None:
    assert score("in zoom", "Zoom in") == score("zoom in", "Zoom in")
    assert score("zoom out", "Zoom in") is None
    assert score("", "Zoom in") is not None


def test_unavailable_commands_are_listed_last() -> None:
    commands = [command("Stop", enabled=False), command("Show more", "Stop the clock")]
    assert [found.text for found in matching("stop", commands)] == ["Show more", "Stop"]
    assert [found.text for found in matching("", commands)] == ["Show more", "Stop"]


def open_palette(window: MainWindow, qtbot: object) -> None:
    qtbot.keyClick(
        window,
        Qt.Key.Key_P,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    qtbot.waitUntil(
        lambda: (
            window.feature(PaletteFeature).palette.isVisible()
            and window.feature(PaletteFeature).palette.field.hasFocus()
        )
    )


def texts(window: MainWindow) -> list[str]:
    tree = window.feature(PaletteFeature).palette.list
    return [tree.topLevelItem(row).text(0) for row in range(tree.topLevelItemCount())]


def test_the_palette_is_opened_searched_and_used_by_keys_only(
    window: MainWindow, qtbot: object
) -> None:
    window.timeline.setFocus()
    open_palette(window, qtbot)
    assert len(texts(window)) > 50
    field = window.feature(PaletteFeature).palette.field
    qtbot.keyClicks(field, "dark")
    assert texts(window)[0] == "Dark colours"
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not window.feature(PaletteFeature).palette.isVisible()
    assert window.feature(ViewFeature).colours.theme.name == "dark"


def test_arrows_move_in_the_list_and_escape_returns_the_focus(
    window: MainWindow, qtbot: object
) -> None:
    before = window.feature(RunFeature).form.fields["batch"].widget
    before.setFocus()
    open_palette(window, qtbot)
    field, tree = (
        window.feature(PaletteFeature).palette.field,
        window.feature(PaletteFeature).palette.list,
    )
    for key, row in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Down, 2), (Qt.Key.Key_Up, 1)):
        qtbot.keyClick(field, key)
        assert tree.indexOfTopLevelItem(tree.currentItem()) == row
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not window.feature(PaletteFeature).palette.isVisible()
    qtbot.waitUntil(before.hasFocus)


def test_a_schedule_is_put_into_the_form_with_a_strategy_that_takes_one(
    window: MainWindow, qtbot: object
) -> None:
    single = next(c for c in all_commands(window) if c.text == "Strategy: Single lane")
    single.do()
    assert window.feature(RunFeature).form.specification().schedule is None
    next(c for c in all_commands(window) if c.text == "Schedule: ZB-H1").do()
    assert window.feature(RunFeature).form.specification().schedule == "zb-h1"


def test_text_that_matches_no_command_shows_a_message(window: MainWindow, qtbot: object) -> None:
    open_palette(window, qtbot)
    qtbot.keyClicks(window.feature(PaletteFeature).palette.field, "qqxx")
    assert texts(window) == ["No matching command."]
    qtbot.keyClick(window.feature(PaletteFeature).palette.field, Qt.Key.Key_Return)
    assert window.feature(PaletteFeature).palette.isVisible()
