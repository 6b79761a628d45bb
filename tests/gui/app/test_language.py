"""Languages: all texts are translated, placeholders are kept, and a change applies at once."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from PySide6.QtCore import QCoreApplication, Qt, QTranslator
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QTableView,
    QTreeWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.engine.messages import Ended, Outcome
from core.lessons.lesson import read_heading, read_lesson, shipped
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.devices import Hardware
from core.plan.specification import Specification
from core.sweep.sweep import Point
from core.sweep.table import UnmeasuredError, sweep_row
from gui.app.check import check_specification
from gui.app.language import LOCALES, in_language, speak, system_language
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.keys.keys import KeySheet
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.look.catalogue import use_catalogue
from gui.look.text import ntr, problem_text, tr
from gui.report.run import write_run_report
from gui.window.start import Application
from tests.gui.catalogues import extracted, po_file, read_catalogue, translations
from tests.gui.fake_client import FakeClient
from tests.gui.marks import Marked, is_bare
from tests.gui.pictures import until
from tests.gui.report.test_report import Reader
from tests.gui.window.test_window import MakeWindow, perform
from tests.make_believe import batches, specification, trace_of


@pytest.fixture(autouse=True)
def english_again(qapp: QApplication) -> Iterator[None]:
    yield
    speak(qapp, "en")


@pytest.fixture(scope="module")
def template() -> Catalog:
    """Return every text of the sources, as `make messages-extract` finds them."""
    return extracted()


@pytest.mark.parametrize("locale", LOCALES.values())
def test_the_catalogues_translate_every_text_and_no_other(template: Catalog, locale: str) -> None:
    known = {message.id: message for message in read_catalogue(locale) if message.id}
    wanted = {message.id for message in template if message.id}
    assert wanted - set(known) == set()
    assert set(known) - wanted == set()
    missing = [id for id, one in known.items() if one.fuzzy or not all(translations(one))]
    assert missing == []


def test_file_types_in_dialogs_are_translated(template: Catalog) -> None:
    texts = {message.id for message in template}
    kind = re.compile(r'"([^"`\n]+ \(\*\.[^"\n]+\))"')
    for path in (PROJECT_ROOT / "gui").rglob("*.py"):
        found = kind.findall(path.read_text("utf-8"))
        assert set(found) <= texts, path


def test_no_text_is_inside_an_f_string_where_babel_cannot_find_it() -> None:
    for folder in ("bubblescope", "core", "gui"):
        for path in (PROJECT_ROOT / folder).rglob("*.py"):
            assert not re.search(r"\{n?tr\(['\"]", path.read_text("utf-8")), path


@pytest.mark.parametrize("locale", LOCALES.values())
def test_the_compiled_catalogue_is_up_to_date(locale: str) -> None:
    compiled = BytesIO()
    write_mo(compiled, read_catalogue(locale))
    assert po_file(locale).with_suffix(".mo").read_bytes() == compiled.getvalue()


@pytest.mark.parametrize("locale", LOCALES.values())
def test_translations_keep_placeholders_ellipses_and_leading_spaces(locale: str) -> None:
    for message in read_catalogue(locale):
        text = message.id if isinstance(message.id, str) else message.id[1]
        for other in translations(message) if text else ():
            assert _placeholders(text) == _placeholders(other), text
            assert text.endswith("…") == other.endswith("…"), text
            assert (text[:1] == " ") == (other[:1] in (" ", "（")), text


def _placeholders(text: str) -> set[tuple[str, str | None]]:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:  # braces that are not placeholders
        return set()
    return {(name, spec) for _, name, spec, _ in parts if name is not None}


def test_counts_use_the_plural_forms_of_their_language(qapp: QApplication) -> None:
    for language, one, many in (
        ("en", "1 lane", "1,024 lanes"),
        ("ko", "레인 1개", "레인 1,024개"),
    ):
        speak(qapp, language)
        told = [ntr("{n:,} lane", "{n:,} lanes", n) for n in (1, 1024)]
        assert told == [one, many]


def test_the_first_supported_language_of_the_system_is_used(
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


def test_the_language_changes_at_once_and_open_panels_stay_open(
    qapp: QApplication, qtbot: QtBot, settings: Settings
) -> None:
    client = FakeClient()
    application = Application(qapp, Session(client), settings)
    before = application.window
    before.show()
    before.session.start()
    before.session.tick()
    for steps in (2, 3):
        perform(before, client, specification(steps=steps))
    first, second = before.session.runs
    before.show_run(first)
    before.action("language_ko").trigger()
    qtbot.waitUntil(lambda: application.window is not before)
    after = application.window
    assert after.isVisible() and not before.isVisible() and not client.closed
    assert after.run_shown is first and after.feature(RunsFeature).tabs.runs == [first, second]
    assert after.action("stop").text() == "중지" and settings.language == "ko"
    assert after.action("language_ko").isChecked()
    perform(after, client, specification(steps=4))
    assert after.run_shown is after.session.runs[-1]
    after.action("language_en").trigger()
    qtbot.waitUntil(lambda: application.window is not after)
    assert application.window.action("stop").text() == "Stop"
    application.window.close()
    assert client.closed
    application.window.deleteLater()


def test_a_run_continues_when_the_language_changes(qapp: QApplication, settings: Settings) -> None:
    client = FakeClient()
    application = Application(qapp, Session(client), settings)
    window = application.window
    window.show()
    window.session.start()
    window.session.tick()
    window.feature(RunFeature).form.set_specification(specification(steps=2))
    window.action("run").trigger()
    header, made = batches(client.asked[-1])
    client.say(header, *made[:2])
    window.session.tick()
    application.change_language("zh")
    run, after = window.session.live, application.window
    assert run is not None and after.run_shown is run and not client.stopped
    client.say(*made[2:], Ended(Outcome.FINISHED))
    while after.session.live is not None:
        after.session.tick()
    row = after.feature(RunsFeature).panel.widget.topLevelItem(0)
    assert run.trace.steps and row.text(2) == "已完成"
    after.close()
    after.deleteLater()


def test_another_language_keeps_the_panel_in_front_and_the_first_page(
    qapp: QApplication, settings: Settings, qtbot: QtBot
) -> None:
    client = FakeClient()
    application = Application(qapp, Session(client), settings)
    application.window.show()
    perform(application.window, client, specification(steps=1))
    application.window.bring("marks")
    application.window.bring("why")
    application.change_language("zh")
    assert {"why", "marks"} <= set(application.window.docks.front_pages)
    assert application.window.docks.pages["why"].isVisible()
    assert not application.window.centre.shows_first_page
    application.window.centre.show_first_page()
    application.change_language("en")
    assert application.window.centre.shows_first_page
    assert application.window.run_shown is not None
    application.window.close()
    application.window.deleteLater()


def test_a_refusal_is_translated_and_so_are_the_counts_in_it(qapp: QApplication) -> None:
    asked = specification(stages=9, steps=2)
    speak(qapp, "ko")
    refusal = check_specification(asked, Hardware(2, 64 * 10**9), known=True)
    assert isinstance(refusal, str)
    assert refusal.startswith("스테이지 9개에는 최소 블록 9개가 필요하지만 ")
    speak(qapp, "en")
    refusal = check_specification(asked, Hardware(2, 64 * 10**9), known=True)
    assert isinstance(refusal, str)
    assert refusal.startswith("9 stages need at least 9 blocks, but ")


class MarkedQt(QTranslator):
    """A translator that puts marks around every text of Qt."""

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, *_: object) -> str:
        return f"⟦{source}⟧"


@pytest.fixture
def marks(qapp: QApplication) -> Iterator[None]:
    """Put marks around every text."""
    use_catalogue(Marked())
    marked = MarkedQt(qapp)
    qapp.installTranslator(marked)
    yield
    qapp.removeTranslator(marked)


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return everything that was painted as text."""
    found: set[str] = set()
    paint = QPainter.drawText

    def paint_and_tell(painter: QPainter, *words: object) -> object:
        found.update(word for word in words if isinstance(word, str))
        return paint(painter, *words)

    monkeypatch.setattr(QPainter, "drawText", paint_and_tell)
    return found


def test_no_text_of_the_window_escapes_translation(
    marks: None, painted: set[str], make_window: MakeWindow, settings: Settings, client: FakeClient
) -> None:
    window = make_window(client, settings)
    window.session.start()
    window.session.tick()
    shown = set(_texts(window))
    data_parallel = Specification("dp", ModelSettings("tutorial"), "8xcpu", batch=30, steps=2)
    for spec in (data_parallel, specification(steps=2, verify=True)):
        perform(window, client, spec)
        until(lambda: not window.showing.figures.runner.running)
        window.action("bubble").trigger()
        for name in window.docks.pages:
            panel = window.bring(name)
            QCoreApplication.processEvents()
            window.grab()
            shown |= set(_texts(panel))
        shown |= set(_texts(window))
    window.action("sheet").trigger()
    window.findChild(KeySheet).grab()
    headings = [read_heading(path) for path in shipped()]
    lessons = {text for heading in headings for text in (heading.title, heading.about)}
    assert {text for text in shown | painted if is_bare(text)} - lessons == set()


def _texts(top: QWidget) -> Iterator[str]:
    """Return all texts of the widgets in `top`, with tooltips and accessible names."""
    for widget in (top, *top.findChildren(QWidget)):
        yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
        yield from _own_texts(widget)
    for action in top.findChildren(QAction):
        yield from (action.text(), action.toolTip())


def _own_texts(widget: QWidget) -> Iterator[str]:
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QGroupBox():
            yield widget.title()
        case QLineEdit():
            yield widget.placeholderText()
        case QComboBox():
            yield from (widget.itemText(n) for n in range(widget.count()))
        case QTabBar():
            yield from (widget.tabText(n) for n in range(widget.count()))
        case QTreeWidget():
            heads = widget.headerItem()
            items = [heads, *(widget.topLevelItem(n) for n in range(widget.topLevelItemCount()))]
            yield from (item.text(n) for item in items for n in range(widget.columnCount()))
        case QTableView():
            model, whole = widget.model(), Qt.Orientation.Horizontal
            for column in range(model.columnCount()):
                yield str(model.headerData(column, whole) or "")
                for row in range(model.rowCount() if widget.accessibleName() != "⟦Log⟧" else 0):
                    yield str(model.index(row, column).data() or "")


def test_no_text_of_a_report_escapes_translation(marks: None, tmp_path: Path) -> None:
    write_run_report(trace_of(specification(steps=2, verify=True)), tmp_path / "run.html")
    words = Reader((tmp_path / "run.html").read_text("utf-8")).words
    values = {"pipeline", "mlp", "Generated with Qt"}
    assert {text for text in words if text not in values and is_bare(text)} == set()


def test_a_report_declares_its_language(qapp: QApplication, tmp_path: Path) -> None:
    for name, lang, word in (("zh", "zh-CN", "关键路径"), ("en", "en", "Critical path")):
        speak(qapp, name)
        write_run_report(trace_of(specification(steps=2)), tmp_path / "run.html")
        page = (tmp_path / "run.html").read_text("utf-8")
        assert f'<html lang="{lang}">' in page and word in page


@pytest.mark.parametrize("folder", LOCALES.values())
def test_every_lesson_exists_in_every_language_and_does_the_same(folder: str) -> None:
    for path in shipped():
        ours, theirs = read_lesson(path), read_lesson(path.parent / folder / path.name)
        assert ours.title != theirs.title
        for one, other in zip(ours.steps, theirs.steps, strict=True):
            assert (one.runs, one.point) == (other.runs, other.point)
            for part in ("text", "question", "answer"):
                told = [sorted(FIGURE.findall(getattr(step, part))) for step in (one, other)]
                assert told[0] == told[1], (path, part)
                assert getattr(one, part) != getattr(other, part)


def test_a_file_is_read_in_the_current_language(qapp: QApplication, tmp_path: Path) -> None:
    first = shipped()[0]
    assert in_language(first) == first
    speak(qapp, "ko")
    assert in_language(first) == first.parent / "ko" / first.name
    assert in_language(tmp_path / first.name) == tmp_path / first.name


FIGURE = re.compile(r"\{[^}]*\}")


def test_a_sweep_explains_a_missing_result_in_the_windows_language(qapp: QApplication) -> None:
    speak(qapp, "ko")
    trace = trace_of(specification(steps=2, warmup=0))
    with pytest.raises(UnmeasuredError) as refused:
        sweep_row(Point(0, 1), trace, Outcome.STOPPED, "")
    assert str(refused.value) == "the run was stopped"
    assert tr("stopped") != "stopped"
    assert problem_text(refused.value) == f"실행 결과: {tr('stopped')}"
    speak(qapp, "en")
