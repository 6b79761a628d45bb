"""Names from files, on labels and tooltips: shown literally, never as HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

import gui
from core.recording.recording import RecordingFile
from gui.features.recordings.feature import RecordingsFeature
from gui.widgets.label import Label, plain_tip
from gui.window.window import MainWindow
from tests.make_believe import batches, specification

NAME = "<b>run</b><img src='file:///etc/passwd'>\x1b[31m\u202e"


def hostile(path: Path) -> Path:
    """Return a recording in which every name contains markup or control characters."""
    header, made = batches(specification(steps=2))
    lanes = tuple(replace(lane, name=NAME, sharing=NAME) for lane in header.lanes)
    model = replace(header.model, name=NAME)
    file = RecordingFile(path, replace(header, lanes=lanes, model=model, started=NAME))
    for batch in made:
        file.write(batch)
    file.close()
    return path


def test_no_label_of_a_window_renders_a_name_as_html(window: MainWindow, tmp_path: Path) -> None:
    window.feature(RecordingsFeature).files.open_from(hostile(tmp_path / "run.arrow"))
    labels = [label for label in window.findChildren(QLabel) if label.text()]
    assert labels
    for label in labels:
        rich = label.textFormat() is not Qt.TextFormat.PlainText
        assert not (rich and "run</b>" in label.text()), label.text()
        assert "\x1b" not in label.text() and "\u202e" not in label.text()
    assert any("<b>run</b>" in label.text() for label in labels)


def test_every_label_shows_plain_text() -> None:
    root = Path(gui.__file__).parent
    made = {
        path.relative_to(root).as_posix(): len(re.findall(r"(?<!\w)QLabel\(", path.read_text()))
        for path in root.rglob("*.py")
    }
    assert {name: count for name, count in made.items() if count} == {
        "features/steps/panel.py": 1,  # a legend of coloured letters, without names
    }


def test_a_tooltip_shows_html_as_text(qapp: object) -> None:
    assert plain_tip("cpu:0\n2 ms") == "cpu:0\n2 ms"
    shown = QLabel()
    shown.setTextFormat(Qt.TextFormat.RichText)
    shown.setText(plain_tip("<b>a</b>\n& b"))
    assert "&lt;b&gt;a&lt;/b&gt;\n&amp; b" in shown.text()


def test_a_label_shows_no_control_characters(qapp: object) -> None:
    assert Label("a\x1b\nb").text() == "a\\x1b\nb"
