"""Animations from the dialog of figures, by real keys and a real mouse; the files are opened."""

from __future__ import annotations

import threading
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
)
from pytestqt.qtbot import QtBot

from bubblescope.cli.start import run_arguments
from gui.app import dialogs
from gui.app.animation_options import AnimationOptions
from gui.app.figure_options import FigureOptions
from gui.features.compare.chooser import others
from gui.features.compare.feature import CompareFeature
from gui.features.figures.exporting import Exporting
from gui.features.figures.feature import FiguresFeature
from gui.features.figures.panel import FigurePanel
from gui.features.recordings.feature import RecordingsFeature
from gui.figures.animation import AnimationPicture
from gui.figures.encoding import PER_SECOND
from gui.window.window import MainWindow
from tests.full_disk import full_disk
from tests.make_believe import record, specification

Key, LEFT = Qt.Key, Qt.MouseButton.LeftButton
SMALL = FigureOptions(scale=0.25)
FRAMES = PER_SECOND + 1  # one second
WAIT_MS = 20_000


@pytest.fixture
def runs(window: MainWindow, tmp_path: Path) -> list[Path]:
    """Recordings of two runs that the window has opened; it shows the first."""
    paths = []
    for count in (4, 2):
        paths.append(tmp_path / f"{count}.arrow")
        record(specification(microbatches=count, steps=2), paths[-1])
    for path in reversed(paths):
        window.feature(RecordingsFeature).files.open_from(path)
    return paths


@pytest.fixture
def exporting(window: MainWindow) -> Exporting:
    return window.feature(FiguresFeature).exporting


@pytest.fixture
def open_panel(
    window: MainWindow, runs: list[Path], exporting: Exporting, qtbot: QtBot
) -> Callable[[], FigurePanel]:
    """A function that opens the dialog by its key and chooses a small one-second animation."""

    def opened() -> FigurePanel:
        qtbot.wait(1)  # a new window handles keys only after its first events
        qtbot.keyClick(window, Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        panel = exporting.panel
        assert panel is not None
        qtbot.keyClick(panel.preset, Key.Key_End)
        type_number(qtbot, panel.scale, 0.25)
        type_number(qtbot, panel.seconds, 1)
        return panel

    return opened


@pytest.fixture
def panel(open_panel: Callable[[], FigurePanel]) -> FigurePanel:
    return open_panel()


@pytest.fixture(autouse=True)
def closed(window: MainWindow) -> object:
    """Close the dialog after the test."""
    yield
    panel = window.feature(FiguresFeature).exporting.panel
    if panel is not None:
        panel.close()


def type_number(qtbot: QtBot, field: QDoubleSpinBox, value: float) -> None:
    field.selectAll()
    qtbot.keyClicks(field, field.locale().toString(float(value)))
    assert field.value() == value


def save(qtbot: QtBot, panel: FigurePanel, path: Path) -> None:
    """Press Save, type a path into the file dialog, and press Enter."""
    qtbot.waitUntil(panel.isActiveWindow)
    qtbot.mouseClick(panel.save, LEFT)
    asked = panel.findChild(QFileDialog)
    qtbot.waitUntil(asked.isActiveWindow)
    name = asked.findChild(QLineEdit, "fileNameEdit")
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, str(path))
    qtbot.keyClick(name, Key.Key_Return)


def opened(path: Path) -> Image.Image:
    """Open an image without keeping its file open."""
    return Image.open(BytesIO(path.read_bytes()))


@pytest.mark.parametrize("suffix", ["gif", "webp"])
def test_the_dialog_writes_the_file_that_the_command_writes(
    qtbot: QtBot,
    window: MainWindow,
    runs: list[Path],
    panel: FigurePanel,
    exporting: Exporting,
    tmp_path: Path,
    suffix: str,
) -> None:
    path = tmp_path / f"dialog.{suffix}"
    with qtbot.waitSignal(exporting.animation.done, timeout=WAIT_MS):
        save(qtbot, panel, path)
    assert opened(path).n_frames == FRAMES
    assert window.statusBar().currentMessage() == f"Exported dialog.{suffix}."
    command = tmp_path / f"command.{suffix}"
    words = ["export", str(runs[0]), "--animation", str(command), "--seconds", "1"]
    assert run_arguments([*words, "--scale", "0.25"]) == 0
    assert path.read_bytes() == command.read_bytes()


def test_in_a_comparison_the_animation_is_the_race_of_both_runs(
    qtbot: QtBot,
    window: MainWindow,
    runs: list[Path],
    open_panel: Callable[[], FigurePanel],
    exporting: Exporting,
    tmp_path: Path,
) -> None:
    shown = window.run_shown
    assert shown is not None
    comparing = window.feature(CompareFeature).comparing
    comparing.begin(others(window.session.runs, shown)[0])
    panel = open_panel()
    with qtbot.waitSignal(exporting.animation.done, timeout=WAIT_MS):
        save(qtbot, panel, tmp_path / "dialog.gif")
    words = ["export", str(runs[0]), "--with", str(runs[1]), "--seconds", "1", "--scale", "0.25"]
    assert run_arguments([*words, "--animation", str(tmp_path / "command.gif")]) == 0
    race = opened(tmp_path / "dialog.gif")
    assert race.n_frames == FRAMES
    assert (tmp_path / "dialog.gif").read_bytes() == (tmp_path / "command.gif").read_bytes()
    comparing.leave()


def test_speed_theme_caption_and_part_are_chosen_by_keys(
    qtbot: QtBot, panel: FigurePanel, exporting: Exporting, tmp_path: Path
) -> None:
    alone = panel.wish
    assert alone.animation == AnimationOptions(SMALL, seconds=1.0)
    qtbot.keyClick(panel.theme, Key.Key_End)
    qtbot.keyClick(panel.part, Key.Key_End)
    qtbot.keyClicks(panel.times, "1")
    qtbot.keyClicks(panel.words["caption"], "In slow motion")
    qtbot.keyClick(panel.speed, Key.Key_Down)
    qtbot.keyClick(panel.speed, Key.Key_Down)
    assert not panel.seconds.isEnabled()
    wish = panel.wish
    assert wish.animation is not None
    assert wish.animation.speed == 0.5 and wish.animation.seconds is None
    assert wish.options.theme == "dark" and wish.options.caption == "In slow motion"
    assert wish.options.excerpt.steps == "1"
    panel.draw_now()
    picture = panel.picture
    assert isinstance(picture, AnimationPicture)
    animation = picture.animation
    assert animation.seconds == pytest.approx(animation.length / 1e9 / 0.5)
    assert f"{len(animation.times)} frames" in panel.size_label.text()
    with qtbot.waitSignal(exporting.animation.done, timeout=WAIT_MS):
        save(qtbot, panel, tmp_path / "part.gif")
    film = opened(tmp_path / "part.gif")
    assert film.n_frames == len(animation.times)
    corner = film.convert("RGB").getpixel((2, 2))
    assert isinstance(corner, tuple) and max(corner) < 80


def test_inapplicable_fields_are_disabled_and_only_animations_have_a_duration(
    qtbot: QtBot, panel: FigurePanel
) -> None:
    panel.draw_now()
    assert panel.seconds.isVisible() and panel.speed.isVisible()
    for field in (panel.font_pt, panel.colours, panel.others[1], panel.copy):
        assert not field.isEnabled()
    assert panel.lanes.isEnabled()
    qtbot.keyClick(panel.preset, Key.Key_Home)
    assert not panel.seconds.isVisible() and panel.wish.animation is None
    panel.draw_now()
    assert panel.copy.isEnabled() and "PNG" in panel.size_label.text()


def test_cancel_ends_an_animation_and_leaves_no_file(
    qtbot: QtBot,
    panel: FigurePanel,
    exporting: Exporting,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dialogs, "SHOWN_AFTER_MS", 0)
    type_number(qtbot, panel.seconds, 30)
    before = set(tmp_path.iterdir())
    save(qtbot, panel, tmp_path / "long.webp")
    progress = exporting.animation_progress
    qtbot.waitUntil(
        lambda: progress.dialog is not None and progress.dialog.value() > 0, timeout=WAIT_MS
    )
    assert progress.dialog is not None and progress.dialog.isVisible()
    cancel = progress.dialog.findChild(QPushButton)
    with qtbot.waitSignal(exporting.animation.ended):
        qtbot.mouseClick(cancel, LEFT)
    assert not exporting.animation.running and progress.dialog is None
    assert set(tmp_path.iterdir()) == before


def test_a_full_disk_is_reported_in_one_line_in_the_dialog(
    qtbot: QtBot, window: MainWindow, panel: FigurePanel, exporting: Exporting, tmp_path: Path
) -> None:
    path = tmp_path / "run.gif"
    with full_disk(), qtbot.waitSignal(exporting.animation.failed, timeout=WAIT_MS):
        save(qtbot, panel, path)
    line = f"{path} cannot be written: File too large"
    assert panel.problem.text() == window.banner.label.text() == line
    assert panel.problem.isVisible() and not path.exists()
    qtbot.keyClick(panel.theme, Key.Key_Down)
    panel.draw_now()
    assert panel.problem.isHidden()


def test_an_unknown_suffix_is_reported_in_one_line(
    qtbot: QtBot, panel: FigurePanel, exporting: Exporting, tmp_path: Path
) -> None:
    path = tmp_path / "run.mp4"
    with qtbot.waitSignal(exporting.animation.failed, timeout=WAIT_MS):
        save(qtbot, panel, path)
    assert panel.problem.text() == f"{path} cannot be written: use a name with .gif or .webp"
    assert not path.exists()


def test_a_file_that_is_open_is_not_replaced(
    panel: FigurePanel, exporting: Exporting, runs: list[Path]
) -> None:
    panel.draw_now()
    before = runs[0].read_bytes()
    assert isinstance(panel.picture, AnimationPicture)
    exporting.animation_to(panel.picture, runs[0])
    assert "that file is an input; name another file" in panel.problem.text()
    assert not exporting.animation.running and runs[0].read_bytes() == before


def test_a_window_that_closes_ends_the_animation(
    qtbot: QtBot, window: MainWindow, panel: FigurePanel, exporting: Exporting, tmp_path: Path
) -> None:
    type_number(qtbot, panel.seconds, 30)
    before = set(tmp_path.iterdir())
    save(qtbot, panel, tmp_path / "long.webp")
    assert exporting.animation.running
    window.close()
    assert not exporting.animation.running
    assert not [one for one in threading.enumerate() if one.name.startswith("animation")]
    assert not [path for path in set(tmp_path.iterdir()) - before if path.suffix == ".webp"]
