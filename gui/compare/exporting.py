"""Asks for a file and writes what is seen of two runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gui.app.dialogs import ask_save
from gui.app.settings import Settings
from gui.look.text import tr

if TYPE_CHECKING:
    from gui.compare.picture import Both  # the window is there sooner without

FIGURES = (
    "PNG image (*.png)", "SVG drawing (*.svg)", "PDF document (*.pdf)", "HTML report (*.html)",
)  # fmt: skip


class ComparisonExport(QObject):
    """`both_of` has what is seen, with the name of the theme: None while there is no comparison.

    `message` carries a note for the status bar, `failed` what went wrong.
    """

    message = Signal(str)
    failed = Signal(str)

    def __init__(
        self, parent: QWidget, both_of: Callable[[], tuple[Both, str] | None], settings: Settings
    ) -> None:
        super().__init__(parent)
        self._parent, self._both_of, self._settings = parent, both_of, settings

    def export(self) -> None:
        """Ask for a file and write what is seen of both runs."""
        if self._both_of() is None:
            self.failed.emit(tr("There is no comparison to write yet."))
            return
        start = Path(self._settings.folder) / "compared.png"
        kinds = [tr(kind) for kind in FIGURES]
        ask_save(self._parent.window(), tr("Export comparison"), start, kinds, self.export_to)

    def export_to(self, path: Path) -> None:
        """Write what is seen of both runs."""
        from gui.compare.report import write_both

        shown = self._both_of()
        if shown is None:
            return
        try:
            write_both(shown[0], path, shown[1])
        except ValueError as error:
            self.failed.emit(str(error))
            return
        self._settings.folder = str(path.parent)
        self.message.emit(tr("Exported {name}.", name=path.name))
