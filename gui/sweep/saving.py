"""A sweep as files: its chart, and its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.files import write_whole
from core.sweep.results import Results
from core.sweep.table import table_text
from gui.app.dialogs import ask_save
from gui.app.settings import Settings
from gui.figures.picture import write_picture
from gui.look.text import tr
from gui.look.theme import LIGHT, THEMES
from gui.sweep.picture import sweep_picture

IMAGES = ("PNG image (*.png)", "SVG drawing (*.svg)", "PDF document (*.pdf)")
TABLE = "Table (*.csv)"


class SweepFiles(QObject):
    """Asks for a file, over the window `above`, and writes what `results` gives then.

    `message` and `failed` carry a line.
    """

    message = Signal(str)
    failed = Signal(str)

    def __init__(
        self, above: QWidget, settings: Settings, results: Callable[[], Results | None]
    ) -> None:
        super().__init__(above)
        self._above, self._settings, self._results = above, settings, results

    def ask_image(self) -> None:
        """Ask where the chart is to be written."""
        start = Path(self._settings.folder) / "sweep.png"
        kinds = [tr(kind) for kind in IMAGES]
        ask_save(self._above, tr("Save picture"), start, kinds, self.image_to)

    def ask_table(self) -> None:
        """Ask where the rows are to be written."""
        start = Path(self._settings.folder) / "sweep.csv"
        ask_save(self._above, tr("Save table"), start, [tr(TABLE)], self.table_to)

    def image_to(self, path: Path) -> None:
        """Write the chart; its format follows from the suffix."""
        theme = THEMES.get(self._settings.theme, LIGHT).name
        results = self._results()
        if results is not None:
            try:
                write_picture(sweep_picture(results, theme), path)
            except ValueError as error:
                self.failed.emit(str(error))
                return
            self._written(path)

    def table_to(self, path: Path) -> None:
        """Write the rows, from which the command can go on too."""
        results = self._results()
        if results is not None:
            try:
                write_whole(path, table_text(results.sweep, results.measured))
            except OSError as error:
                self.failed.emit(str(error))
                return
            self._written(path)

    def _written(self, path: Path) -> None:
        self._settings.folder = str(path.parent)
        self.message.emit(tr("Exported {name}.", name=path.name))
