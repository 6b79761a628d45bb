"""The panel of figures, and copying, saving and reports in the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from core.engine.messages import Ended, Outcome
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.trace.excerpt import ExcerptOptions
from gui.app.figure_options import FigureOptions
from gui.app.settings import Settings
from gui.features.compare.chooser import others
from gui.features.compare.feature import CompareFeature
from gui.features.figures.feature import FiguresFeature
from gui.features.figures.panel import FigurePanel
from gui.features.figures.preview import Preview, size_text
from gui.features.figures.tables import write_table
from gui.features.figures.wish import Wish
from gui.features.first_page.samples import PIPELINE
from gui.features.recordings.feature import RecordingsFeature
from gui.figures.make import figure_of
from gui.figures.picture import SVG, Picture, image_of, write_picture
from gui.timeline.layout.axis import ticks
from gui.timeline.state.scene import Scene
from gui.window.window import MainWindow
from tests.gui.dialogs import save_as
from tests.gui.fake_client import FakeClient
from tests.gui.features.figures.test_export import words_of
from tests.make_believe import batches, record, specification, trace_of


@pytest.fixture(scope="module")
def scene(qapp: object) -> Scene:
    return Scene(trace_of(specification(devices="4xcpu", steps=3)))


@pytest.fixture
def panel(qtbot: QtBot, scene: Scene) -> FigurePanel:
    made = FigurePanel(lambda wish: figure_of([scene], wish.options))
    qtbot.addWidget(made)
    made.set_options(FigureOptions("one-column"))
    made.draw_now()
    return made


def choose(panel: FigurePanel, name: str, value: str) -> None:
    field = getattr(panel, name)
    field.setCurrentIndex(field.findData(value))


def test_the_panel_returns_the_options_that_it_was_given(panel: FigurePanel) -> None:
    for options in (
        FigureOptions("slide", "dark", 200.0, 14.0, 3.0, True, legend=False, idle=False),
        FigureOptions("one-column", greyscale=True, title="", caption="Mine"),
        FigureOptions(theme="dark", axis=False, makespan=False),
    ):
        panel.set_options(options)
        assert panel.wish == Wish(options, False)


def test_a_printed_figure_is_light_and_fields_that_do_not_apply_are_disabled(
    panel: FigurePanel,
) -> None:
    choose(panel, "preset", "slide")
    choose(panel, "theme", "dark")
    assert panel.wish.options.theme == "dark"
    choose(panel, "preset", "two-column")
    assert not panel.theme.isEnabled() and panel.wish.options.theme == "light"
    choose(panel, "preset", "")
    assert not panel.font_pt.isEnabled() and not panel.colours.isEnabled()


def test_steps_and_times_are_typed_into_one_field(panel: FigurePanel) -> None:
    choose(panel, "part", "named")
    panel.times.setText("2-3")
    panel.lanes.setText("0-1")
    assert panel.wish.options.excerpt == ExcerptOptions(steps="2-3", lanes="0-1")
    panel.times.setText("10ms:40ms")
    assert panel.wish.options.excerpt == ExcerptOptions(range="10ms:40ms", lanes="0-1")


def test_a_figure_that_cannot_be_drawn_shows_the_reason_and_cannot_be_saved(
    panel: FigurePanel,
) -> None:
    choose(panel, "part", "named")
    panel.times.setText("9")
    panel.draw_now()
    assert panel.problem.text().startswith("Steps 9: the run has the measured steps 1 to 3")
    assert panel.picture is None and not panel.save.isEnabled() and not panel.copy.isEnabled()
    panel.times.setText("3")
    panel.draw_now()
    assert panel.problem.isHidden() and panel.save.isEnabled()


def test_the_preview_follows_every_change_after_a_moment(qtbot: QtBot, panel: FigurePanel) -> None:
    panel.show()
    qtbot.waitExposed(panel)
    before = panel.picture
    qtbot.mouseClick(panel.parts["legend"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.picture is not before)
    assert panel.picture is not None and before is not None
    assert panel.picture.height < before.height
    grabbed = panel.preview.grab().toImage()
    seen = {grabbed.pixelColor(x, grabbed.height() // 2).name() for x in range(grabbed.width())}
    assert len(seen) > 4


def test_the_size_is_shown_on_paper_and_in_pixels(panel: FigurePanel) -> None:
    assert panel.size_label.text().startswith("85 × ") and "2008 × " in panel.size_label.text()
    assert size_text(None) == ""


def test_save_and_copy_use_settings_that_were_typed_just_now(
    qtbot: QtBot, panel: FigurePanel
) -> None:
    panel.words["title"].setText("Typed just now")
    with qtbot.waitSignal(panel.save_asked) as saved:
        panel.save.click()
    assert isinstance(saved.args[0], Picture) and saved.args[0].title == "Typed just now"


def test_settings_keep_the_last_figure_and_survive_unreadable_values(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "s.ini")
    assert settings.figure == FigureOptions("two-column")
    settings.figure = FigureOptions("slide", "dark", idle=False, excerpt=ExcerptOptions(steps="3"))
    assert Settings(tmp_path / "s.ini").figure == FigureOptions("slide", "dark", idle=False)
    settings.store.setValue("figure", '{"preset": "poster"}')
    assert settings.figure == FigureOptions("two-column")


def test_the_window_makes_figures_copies_and_reports(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert window.feature(FiguresFeature).exporting.panel is None and window.banner.isVisible()

    record(specification(devices="4xcpu", steps=3), tmp_path / "run.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "run.arrow")
    qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    panel = window.feature(FiguresFeature).exporting.panel
    assert panel is not None and panel.isVisible() and not panel.isModal()
    choose(panel, "preset", "one-column")
    panel.copy.click()
    assert bytes(QGuiApplication.clipboard().mimeData().data(SVG).data()).count(b"B7") > 0
    panel.save.click()
    asked = panel.findChild(QFileDialog)
    assert asked is not None and asked.isVisible()
    asked.done(0)
    window.feature(FiguresFeature).exporting.save_to(panel.picture, tmp_path / "x.png")
    assert QImage(str(tmp_path / "x.png")).width() == 2008
    panel.close()
    assert window.settings.figure == FigureOptions("one-column")

    part, origin = (
        replace(window.timeline.state.viewport, width=1404.0),
        window.timeline.state.frame.origin,
    )
    wanted = {tick.number.replace("\u00a0", " ") for tick in ticks(part, origin)}
    window.feature(FiguresFeature).exporting.export_to(tmp_path / "seen.svg", visible=True)
    assert wanted <= set(words_of(tmp_path / "seen.svg"))  # the axis counts as on screen

    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    qtbot.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.mimeData().hasImage() and clipboard.mimeData().hasFormat(SVG)

    window.feature(FiguresFeature).exporting.report_to(tmp_path / "run.html")
    with qtbot.waitSignal(window.feature(FiguresFeature).exporting.report.done):
        pass
    assert "Critical path" in (tmp_path / "run.html").read_text()


def test_in_a_comparison_the_figure_and_the_table_show_both_runs(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    for schedule in ("zb-h1", "gpipe", "1f1b"):
        path = tmp_path / f"{schedule}.arrow"
        record(specification(devices="4xcpu", schedule=schedule, steps=3), path)
        window.feature(RecordingsFeature).files.open_from(path)
    run, comparing = window.run_shown, window.feature(CompareFeature).comparing
    assert run is not None
    offered = others(window.session.runs, run)
    comparing.begin(next(other for other in offered if "GPipe" in other.title))
    button = next(b for b in comparing.frame.strip_b.findChildren(QToolButton)
                  if b.defaultAction() is window.action("export"))  # fmt: skip
    button.click()
    exporting = window.feature(FiguresFeature).exporting
    panel = exporting.panel
    assert panel is not None and "GPipe" in panel.others[0].currentText()
    choose(panel, "preset", "one-column")
    panel.draw_now()
    assert panel.picture is not None and panel.picture.millimetres[0] == pytest.approx(85.0)
    write_picture(panel.picture, tmp_path / "both.svg")
    text = words_of(tmp_path / "both.svg")
    for trace, heading in ((run.trace, "Pipeline 1F1B"), (comparing.other.trace, "Pipeline GPipe")):
        median = summarise(trace).median
        bubble = f"{100 * median.bubble_by_makespan:.1f} %"
        assert text.index(heading) < next(
            place for place, word in enumerate(text) if word.startswith(f"Bubble {bubble},")
        )
    # Exactly what is visible: half of A's step, and as much of B's.
    choose(panel, "part", "visible")
    panel.draw_now()
    assert panel.picture is not None, panel.problem.text()

    qtbot.keyClick(panel.others[1], Qt.Key.Key_End)
    choose(panel, "part", "automatic")
    panel.draw_now()
    write_picture(panel.picture, tmp_path / "three.svg")
    assert {"Pipeline ZB-H1", "Pipeline 1F1B", "Pipeline GPipe"} <= set(
        words_of(tmp_path / "three.svg")
    )
    panel.table.click()
    asked = panel.findChild(QFileDialog)
    assert asked is not None and asked.isVisible()
    asked.done(0)
    traces = [run.trace, *(other.trace for other in panel.wish.others)]
    write_table(exporting, traces, tmp_path / "runs.csv")
    rows = (tmp_path / "runs.csv").read_text().splitlines()
    assert [row.partition(",")[0] for row in rows[1:]] == [
        "Pipeline 1F1B", "Pipeline GPipe", "Pipeline ZB-H1",
    ]  # fmt: skip
    # A picture of the window has at most two runs, the ones that are compared.
    choose(panel, "preset", "")
    panel.draw_now()
    assert panel.picture is None and "Choose a slide" in panel.problem.text()
    panel.others[1].setCurrentIndex(0)
    panel.draw_now()
    assert panel.picture is not None and " | " in panel.picture.title
    panel.close()


def test_a_report_is_about_the_run_on_screen_when_the_dialog_opened(
    qtbot: QtBot, window: MainWindow, client: FakeClient, tmp_path: Path
) -> None:
    record(specification("dp"), tmp_path / "other.arrow")
    window.action("run").trigger()
    header, made = batches(specification(steps=3))
    client.say(header, *made[:6])
    window.session.tick()
    first = window.run_shown
    assert first.live and first.trace.span_count
    window.action("report").trigger()
    # Another run is shown, and the first one ends, before the user has named the file.
    window.feature(RecordingsFeature).files.open_from(tmp_path / "other.arrow")
    client.say(*made[6:], Ended(Outcome.FINISHED))
    while window.session.live is not None:
        window.session.tick()
    assert window.run_shown is not first
    with qtbot.waitSignal(window.feature(FiguresFeature).exporting.report.done):
        save_as(window, tmp_path / "asked.html")
    window.show_run(first)
    with qtbot.waitSignal(window.feature(FiguresFeature).exporting.report.done):
        window.feature(FiguresFeature).exporting.report_to(tmp_path / "again.html")
    assert (tmp_path / "asked.html").read_text() == (tmp_path / "again.html").read_text()


def test_a_report_that_is_cancelled_leaves_no_file(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    record(specification(steps=3), tmp_path / "run.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "run.arrow")
    window.feature(FiguresFeature).exporting.report_to(tmp_path / "run.html")
    job, progress = (
        window.feature(FiguresFeature).exporting.report,
        window.feature(FiguresFeature).exporting.progress,
    )
    with qtbot.assertNotEmitted(job.done):
        progress.dialog.findChild(QPushButton).click()
        qtbot.waitUntil(lambda: not job.running)
    assert progress.dialog is None
    assert not (tmp_path / "run.html").exists()


def _ticks(image: QImage) -> int:
    """Return the largest number of separate purple marks in a row of an image."""
    rgb = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(rgb.constBits(), np.uint8).reshape(rgb.height(), rgb.width(), 4)
    blue, green, red = (pixels[..., channel].astype(int) for channel in range(3))
    purple = np.minimum(red, blue) - green > 10
    begins = purple[:, 1:] & ~purple[:, :-1]
    return int(begins.sum(axis=1).max())


def test_the_preview_shows_every_copy_that_the_file_shows(qtbot: object) -> None:
    scene = Scene(open_recording(PIPELINE.path).trace)
    picture = figure_of([scene], FigureOptions(preset="one-column", legend=False))
    preview = Preview()
    qtbot.addWidget(preview)
    preview.resize(620, 460)
    fitted = preview._fitted(picture)
    assert fitted.width() <= 620 and fitted.height() <= 460
    assert _ticks(fitted) == _ticks(image_of(picture)) == 16
