"""The SQL panel: examples, keys, errors, a row that leads to its span, and no thread left."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.app.settings import Settings
from gui.features.sql.feature import SqlFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import MakeWindow, perform
from tests.make_believe import specification

pytest.importorskip("duckdb")


@pytest.fixture
def window(make_window: MakeWindow, settings: Settings, client: FakeClient) -> MainWindow:
    made = make_window(client, settings)
    made.show()
    made.bring("sql")
    return made


def ask(window: MainWindow, qtbot: object, query: str) -> None:
    """Type a query and run it by keys."""
    panel = window.feature(SqlFeature).panel.widget
    panel.query.setFocus()
    panel.query.clear()
    QTest.keyClicks(panel.query, query)
    QTest.keyClick(panel.query, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not panel.runner.running)


def test_without_a_run_or_a_query_the_panel_says_what_to_do(
    window: MainWindow, qtbot: object
) -> None:
    panel = window.feature(SqlFeature).panel.widget
    QTest.mouseClick(panel.go, Qt.MouseButton.LeftButton)
    assert panel.status.text() == "Type a query, or choose an example."
    ask(window, qtbot, "SELECT 1")
    assert panel.status.text().startswith("There is no run to query")


def test_an_example_queries_all_runs(window: MainWindow, client: FakeClient, qtbot: object) -> None:
    panel = window.feature(SqlFeature).panel.widget
    for name in ("dp", "pipeline"):
        perform(window, client, specification(name))
    panel.examples.setCurrentIndex(9)
    panel.examples.activated.emit(9)
    qtbot.waitUntil(lambda: not panel.runner.running)
    shown = {panel.model.index(n, 0).data() for n in range(panel.model.rowCount())}
    assert shown == {str(run.number) for run in window.session.runs}
    heads = [panel.model.headerData(n, Qt.Orientation.Horizontal) for n in range(5)]
    assert heads == ["run", "step", "measured", "ms", "loss"]
    assert panel.status.text().startswith(f"{panel.model.rowCount()} rows · ")


def test_a_row_leads_to_its_span_in_its_run(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    panel = window.feature(SqlFeature).panel.widget
    perform(window, client, specification("dp", steps=2))
    first = window.run_shown
    perform(window, client, specification(steps=2))
    assert window.run_shown is not first
    query = (
        f"SELECT run, step, task FROM spans WHERE run = {first.number} AND step = 2 AND task = 4"
    )
    ask(window, qtbot, query)
    at = panel.table.visualRect(panel.model.index(0, 0)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    span = window.timeline.state.selection
    assert window.run_shown is first and (span.step, span.task) == (2, 4)


def test_an_error_is_shown_in_a_line_and_the_last_answer_stays(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    panel = window.feature(SqlFeature).panel.widget
    perform(window, client, specification())
    ask(window, qtbot, "SELECT count(*) AS n FROM lanes")
    assert panel.model.index(0, 0).data() == "2"
    ask(window, qtbot, "SELECT nothing FROM lanes")
    assert "nothing" in panel.status.text() and "\n" not in panel.status.text()
    assert panel.model.index(0, 0).data() == "2"


LONG = {
    "to answer": "SELECT count(*) FROM range(10000000) a, range(10000000) b",
    # DuckDB's parser takes hours for it, and lets no other thread of its process run.
    "to read": "SELECT " + "(" * 20_000 + "1",
}


@pytest.mark.parametrize("query", LONG.values(), ids=LONG)
def test_a_long_query_is_stopped_and_leaves_no_thread(
    window: MainWindow, client: FakeClient, qtbot: object, query: str
) -> None:
    panel = window.feature(SqlFeature).panel.widget
    perform(window, client, specification())
    before = threading.active_count()
    panel.query.setPlainText(query)
    QTest.mouseClick(panel.go, Qt.MouseButton.LeftButton)
    assert panel.runner.running and panel.go.text() == "Stop query"
    QTest.qWait(200)
    QTest.mouseClick(panel.go, Qt.MouseButton.LeftButton)
    assert panel.status.text() == "Stopped." and panel.go.text() == "Run query"
    qtbot.waitUntil(lambda: threading.active_count() <= before)
    panel.ask()
    panel.runner.close()  # as the window does when it closes
    assert threading.active_count() <= before
