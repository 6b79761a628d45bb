"""Opens a trace in the real window, and zooms there; prints JSON as drive.py does.

python -m tests.benchmarks.peers.ours TRACE [PICTURE]
"""

import json
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from core.engine.client import EngineClient
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.recordings.feature import RecordingsFeature
from gui.window.window import MainWindow

SIZE = (1600, 900)
FRAMES = 60
WAIT_S = 60.0


def until(app: QApplication, reached) -> None:
    end = time.monotonic() + WAIT_S
    while not reached():
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.monotonic() > end:
            sys.exit("the window is not there")


def main() -> None:
    app = QApplication(sys.argv)
    app.setApplicationName("Bubblescope")
    session = Session(EngineClient())
    ready = []
    session.ready.connect(ready.append)
    window = MainWindow(session, Settings())
    window.resize(*SIZE)
    window.show()
    session.start()
    until(app, lambda: ready)  # as the browsers, it is open before the trace is
    timeline = window.timeline
    before = time.perf_counter()
    window.feature(RecordingsFeature).files.open_from(Path(sys.argv[1]))
    until(app, lambda: timeline.state.scene is not None and timeline.is_drawn)
    first = 1e3 * (time.perf_counter() - before)
    times = []
    centre = QPointF(timeline.viewport().rect().center())
    for number in range(FRAMES):
        turn = QPoint(0, 60 if number % 20 < 10 else -60)
        event = QWheelEvent(
            centre, timeline.viewport().mapToGlobal(centre), QPoint(), turn,
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        before = time.perf_counter()
        app.sendEvent(timeline.viewport(), event)
        app.processEvents()
        assert timeline.is_drawn  # it was painted anew
        times.append(1e3 * (time.perf_counter() - before))
    if len(sys.argv) > 2:
        window.grab().save(sys.argv[2])
    window.close()
    print(json.dumps({"first": first, "times": times}))


main()
