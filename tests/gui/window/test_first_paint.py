from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.window import first_paint
from gui.window.first_paint import FirstPaint


class Canvas(QWidget):
    """A widget that records its paint events."""

    def __init__(self, events: list[str]) -> None:
        super().__init__()
        self._events = events

    def paintEvent(self, event: object) -> None:
        self._events.append("paint")


def test_work_starts_once_and_in_order_after_the_first_paint(qtbot: object) -> None:
    events: list[str] = []
    canvas = Canvas(events)
    qtbot.addWidget(canvas)
    FirstPaint(canvas, [lambda: events.append("one"), lambda: events.append("two")])
    canvas.show()
    qtbot.waitUntil(lambda: "two" in events)
    assert events[0] == "paint"
    assert [event for event in events if event != "paint"] == ["one", "two"]


def test_a_window_that_is_not_painted_does_not_keep_the_work_waiting(
    qtbot: object, monkeypatch: object
) -> None:
    monkeypatch.setattr(first_paint, "LATEST_MS", 20)
    events: list[str] = []
    canvas = Canvas(events)
    qtbot.addWidget(canvas)
    FirstPaint(canvas, [lambda: events.append("work")])
    qtbot.waitUntil(lambda: events == ["work"])
