"""Languages: nothing escapes translation, placeholders stay, and a change goes on at once."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.app.language import FILES, FOLDER, OWN, speak, system_language
from gui.app.session import Session
from gui.app.settings import Settings
from gui.look.text import tr
from gui.window.start import Sitting
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.translations import CONTEXT, every_text, translated
from tests.gui.window.test_window import perform
from tests.make_believe import specification


@pytest.fixture(autouse=True)
def english_again(qapp: QApplication) -> Iterator[None]:
    yield
    speak(qapp, "en")


@pytest.mark.parametrize("name", FILES.values())
def test_every_text_is_translated_and_the_window_reads_what_linguist_shows(name: str) -> None:
    known = translated(FOLDER / f"{OWN}_{name}.ts")
    texts = every_text()
    assert [text for text in texts if text not in known] == []
    read = QTranslator()
    assert read.load(f"{OWN}_{name}", str(FOLDER))
    assert [t for t in texts if read.translate(CONTEXT, t) != known[t]] == []


@pytest.mark.parametrize("name", FILES.values())
def test_translations_have_the_placeholders_and_the_ends_of_their_texts(name: str) -> None:
    for text, other in translated(FOLDER / f"{OWN}_{name}.ts").items():
        assert _placeholders(text) == _placeholders(other), text
        assert text.endswith("…") == other.endswith("…"), text
        assert (text[:1] == " ") == (other[:1] == " "), text


def _placeholders(text: str) -> set[str]:
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError:  # braces that are no placeholders
        return set()


def test_the_first_language_of_the_system_that_is_known_is_spoken(
    monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    wished = ["fr-FR", "fr", "ko-KR", "en-US"]
    monkeypatch.setattr(
        "gui.app.language.QLocale.system",
        lambda: type("L", (), {"uiLanguages": lambda _: wished})(),
    )
    assert system_language() == "ko"
    speak(qapp, "")
    assert tr("Stop") == "중지"
    speak(qapp, "en")
    assert tr("Stop") == "Stop"
    wished[:] = ["fr-FR"]
    assert system_language() == "en"


def test_another_language_is_spoken_at_once_and_what_is_open_stays_so(
    qapp: QApplication, qtbot: QtBot, settings: Settings
) -> None:
    client = FakeClient()
    sitting = Sitting(qapp, Session(client), settings)
    before = sitting.window
    before.show()
    before.session.start()
    before.session.tick()
    for steps in (2, 3):
        perform(before, client, specification(steps=steps))
    first, second = before.session.runs
    before.show_run(first)
    before.actions_by_name["language_ko"].trigger()
    qtbot.waitUntil(lambda: sitting.window is not before)
    after = sitting.window
    assert after.isVisible() and not before.isVisible() and not client.closed
    assert after.run_shown is first and after.tabs.runs == [first, second]
    assert after.actions_by_name["stop"].text() == "중지" and settings.language == "ko"
    assert after.actions_by_name["language_ko"].isChecked()
    perform(after, client, specification(steps=4))
    assert after.run_shown is after.session.runs[-1]
    after.actions_by_name["language_en"].trigger()
    qtbot.waitUntil(lambda: sitting.window is not after)
    assert sitting.window.actions_by_name["stop"].text() == "Stop"
    sitting.window.close()
    assert client.closed
    sitting.window.deleteLater()


class Marked(QTranslator):
    """Puts every text in marks, so that one that nobody translates stands out."""

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, *_: object) -> str:
        return f"⟦{source}⟧"


def test_no_text_of_the_window_escapes_translation(
    qapp: QApplication, make_window: object, settings: Settings, client: FakeClient
) -> None:
    marked = Marked(qapp)
    qapp.installTranslator(marked)
    try:
        window = make_window(client, settings)
        window.session.start()
        window.session.tick()
        perform(window, client, specification(steps=2))
        for dock in window.findChildren(QDockWidget):
            dock.show()
            QCoreApplication.processEvents()
        left = {text for text in _texts(window) if _is_bare(text)}
        assert left == set()
    finally:
        qapp.removeTranslator(marked)


def _texts(window: MainWindow) -> Iterator[str]:
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        if isinstance(widget, QGroupBox):
            yield widget.title()
        if isinstance(widget, QComboBox):
            yield from (widget.itemText(n) for n in range(widget.count()))
        if isinstance(widget, QTabBar):
            yield from (widget.tabText(n) for n in range(widget.count()))
        yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    for action in window.actions_by_name.values():
        yield from (action.text(), action.toolTip())


DATA = re.compile(
    r"cpu(:\d)?|virtual|Ctrl|Shift|Alt|float\d+|bfloat\d+|[\w-]+\.(arrow|py|csv)|GB/s|ms|MB|kB|µs"
    r"|\b[a-z]+(-[a-z0-9]+)*\b(?=$)"
)


def _is_bare(text: str) -> bool:
    """Whether words stand outside of the marks that are no names, units or keys."""
    depth, outside = 0, []
    for sign in text:
        depth += (sign == "⟦") - (sign == "⟧")
        outside.append(sign if depth == 0 and sign != "⟧" else " ")
    return re.search(r"[A-Za-z]{3,}", DATA.sub(" ", "".join(outside))) is not None
