"""Saves a sweep: its chart as a picture, and its runs as a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from core.files import write_whole
from core.message import N_
from core.sweep.results import Results
from core.sweep.table import table_text
from gui.app.saving import IMAGES, Saver
from gui.app.settings import Settings
from gui.features.sweep.picture import sweep_picture
from gui.figures.picture import write_picture
from gui.look.text import tr
from gui.look.theme import LIGHT, THEMES

TABLE = N_("Table (*.csv)")


class SweepFiles(Saver):
    """Writes the results that `results` returns; writes nothing if it returns None."""

    def __init__(
        self, above: QWidget, settings: Settings, results: Callable[[], Results | None]
    ) -> None:
        super().__init__(above, settings)
        self._results = results

    def ask_image(self) -> None:
        """Ask for a file, and write the chart."""
        self.ask(tr("Save picture"), "sweep.png", IMAGES, self.image_to)

    def ask_table(self) -> None:
        """Ask for a file, and write the table."""
        self.ask(tr("Save table"), "sweep.csv", [TABLE], self.table_to)

    def image_to(self, path: Path) -> None:
        """Write the chart; the suffix chooses the format."""
        theme = THEMES.get(self._settings.theme, LIGHT).name
        results = self._results()
        if results is not None:
            self.write(path, lambda: write_picture(sweep_picture(results, theme), path))

    def table_to(self, path: Path) -> None:
        """Write a row for each run; the command line can continue the sweep from this table."""
        results = self._results()
        if results is not None:
            text = table_text(results.sweep, results.measured)
            self.write(path, lambda: write_whole(path, text))
