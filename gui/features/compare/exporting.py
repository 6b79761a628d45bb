"""Export of a comparison as a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from core.message import N_
from gui.app.saving import Saver
from gui.app.settings import Settings
from gui.look.text import tr

if TYPE_CHECKING:
    # Importing it would delay the first paint.
    from gui.features.compare.picture import Both

REPORT = (N_("HTML report (*.html)"),)


class ComparisonExport(Saver):
    """Writes reports. `both_of` returns the visible comparison and the theme's name, or None."""

    def __init__(
        self, parent: QWidget, both_of: Callable[[], tuple[Both, str] | None], settings: Settings
    ) -> None:
        super().__init__(parent, settings)
        self._both_of = both_of

    def export(self) -> None:
        """Ask for a file and write a report on both runs."""
        if self._both_of() is None:
            self.failed.emit(tr("There is no comparison to write yet."))
            return
        self.ask(tr("Export comparison report"), "compared.html", REPORT, self.export_to)

    def export_to(self, path: Path) -> None:
        """Write a report, or with another suffix a picture of the visible part of both runs."""
        from gui.features.compare.report import write_both

        # Asked again: runs go on while the file dialog is open, and the comparison may have ended.
        shown = self._both_of()
        if shown is not None:
            self.write(path, lambda: write_both(shown[0], path, shown[1]))
