"""Pictures of the window, made from the sample recordings, for the README and for comparison.

    make pictures      (python -m tests.gui.pictures FOLDER [NAME ...])

`tests/gui/test_pictures.py` makes some of them again and compares them. No engine is needed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QEventLoop, QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.plan.task import Kind
from gui.app.feature import Dock
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.compare.feature import CompareFeature
from gui.features.first_page.samples import DATA_PARALLEL, DISTRIBUTED, PIPELINE
from gui.features.predict.feature import PredictFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.spans.feature import SpansFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.styling import forget_style

SIZE = (1440, 900)
WAIT_MS = 20_000
FOLDER = Path(__file__).parents[2] / "resources" / "screenshots"
"""Folder of the stored pictures."""


def until(reached: Callable[[], bool]) -> None:
    """Process events until a condition holds; raise TimeoutError if it does not."""
    clock = QElapsedTimer()
    clock.start()
    while not reached():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
        if clock.hasExpired(WAIT_MS):
            raise TimeoutError("the window does not come to rest")


def wait_for_rest() -> None:
    """Wait until the panels, which are updated one after the other, are up to date."""
    rest = QElapsedTimer()
    rest.start()
    until(lambda: rest.hasExpired(400))


def opened(window: MainWindow, *paths: Path) -> None:
    """Open recordings, and wait for the last one's prediction."""
    window.feature(RecordingsFeature).files.open_paths(paths)
    until(lambda: window.run_shown is not None and window.run_shown.prediction is not None)


def show_dock(window: MainWindow, name: str) -> None:
    """Bring a dock to the front."""
    window.bring(name)


def first_page(window: MainWindow) -> None:
    """The first page."""


def gap_explained(window: MainWindow) -> None:
    """The longest bubble of a pipeline, and its reasons."""
    opened(window, PIPELINE.path)
    window.action("bubble").trigger()
    window.action("zoom_back").trigger()


def why_ladder(window: MainWindow) -> None:
    """The ladder from the ideal to the measured step."""
    opened(window, PIPELINE.path)
    show_dock(window, "why")
    window.resizeDocks([window.docks.docks[Dock.WHY]], [420], Qt.Orientation.Vertical)


def dp_finished(window: MainWindow) -> None:
    """A data-parallel step whose gather is selected."""
    opened(window, DATA_PARALLEL.path)
    scene = window.scene
    assert scene is not None
    step = scene.described
    found = next(s for s in scene.trace if s.kind is Kind.GATHER and s.step == step)
    window.timeline.selector.select_span(found.lane, found.index)


def pipeline_dark(window: MainWindow) -> None:
    """A pipeline in the dark theme, with its critical path, coloured by micro-batch."""
    opened(window, PIPELINE.path)
    for name in ("theme", "critical_path", "colour_by_microbatch"):
        window.action(name).trigger()


def what_if(window: MainWindow) -> None:
    """The What-if panel with other devices and micro-batches, at the costs of the shown run."""
    opened(window, PIPELINE.path)
    show_dock(window, "try")
    until(lambda: window.feature(PredictFeature).what_if.panel.picture.answer is not None)


def statistics(window: MainWindow) -> None:
    """A range over two lanes, and its statistics."""
    opened(window, PIPELINE.path)
    show_dock(window, "statistics")
    area = window.timeline.viewport()
    QTest.mousePress(area, Qt.MouseButton.LeftButton, pos=QPoint(330, 150))
    for x, y in ((500, 200), (720, 250)):
        QTest.mouseMove(area, QPoint(x, y))
    QTest.mouseRelease(area, Qt.MouseButton.LeftButton, pos=QPoint(720, 250))


def search(window: MainWindow) -> None:
    """Hits of a search on the lanes and on the whole run, next to the table of spans."""
    opened(window, PIPELINE.path)
    window.action("search").trigger()
    field = window.feature(SpansFeature).search.field
    QTest.keyClicks(field, "kind:backward >2ms")
    QTest.keyClick(field, Qt.Key.Key_Return)
    until(lambda: window.timeline.state.selection is not None)
    show_dock(window, "spans")


def compared(window: MainWindow) -> None:
    """Data parallel next to distributed data parallel."""
    opened(window, DATA_PARALLEL.path)
    window.feature(CompareFeature).comparing.choice.open(DISTRIBUTED.path)
    until(lambda: window.feature(CompareFeature).comparing.two is not None)


SCENES: dict[str, Callable[[MainWindow], None]] = {
    "first-page": first_page,
    "gap-explained": gap_explained,
    "why-ladder": why_ladder,
    "dp-finished": dp_finished,
    "pipeline-dark": pipeline_dark,
    "statistics": statistics,
    "search": search,
    "what-if": what_if,
    "compare": compared,
}


def difference(one: QImage, other: QImage) -> float:
    """Return the difference of pictures, 0 to 1: the mean over squares of 8 pixels, in grey.

    Letters of another font hardly count at that size; parts that moved or are missing do.
    """
    small = [_shades(image) for image in (one, other)]
    return float(np.abs(small[0] - small[1]).mean())


def _shades(image: QImage) -> NDArray[np.float64]:
    wide, high = SIZE[0] // 8, SIZE[1] // 8
    small = image.scaled(wide, high, mode=Qt.TransformationMode.SmoothTransformation)
    grey = small.convertToFormat(QImage.Format.Format_Grayscale8)
    lines = np.frombuffer(grey.constBits(), np.uint8).reshape(high, grey.bytesPerLine())
    return lines[:, :wide] / 255


def picture(name: str, window: MainWindow) -> QImage:
    """Return a picture of one of SCENES; the window must be new and have a FakeClient."""
    window.resize(*SIZE)
    window.session.start()
    window.session.tick()
    SCENES[name](window)
    wait_for_rest()
    return window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def main() -> None:
    """Make the named pictures, or all of them, in a folder."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder, names = Path(sys.argv[1]), sys.argv[2:] or list(SCENES)
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Bubblescope")
    for name in names:
        with tempfile.TemporaryDirectory() as kept:
            forget_style(app)
            window = MainWindow(Session(FakeClient()), Settings(Path(kept) / "settings.ini"))
            window.show()
            picture(name, window).save(str(folder / f"{name}.png"))
            window.close()


if __name__ == "__main__":
    main()
