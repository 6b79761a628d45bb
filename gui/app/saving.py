"""Saves files for parts of the window: asks for a path, writes, and reports the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.files import check_is_no_input
from core.message import N_
from gui.app.dialogs import ask_save
from gui.app.settings import Settings
from gui.look.text import problem_text, tr

IMAGES = (N_("PNG image (*.png)"), N_("SVG drawing (*.svg)"), N_("PDF document (*.pdf)"))
"""File kinds of pictures."""


class Saver(QObject):
    """Asks for paths in the last used folder, writes files, and reports the result.

    `message` and `failed` have one line of text.
    """

    message = Signal(str)
    failed = Signal(str)
    inputs: Callable[[], Sequence[Path]] = staticmethod(tuple)
    """Returns the files that are open and must not be replaced; the window sets it."""

    def __init__(self, above: QWidget, settings: Settings) -> None:
        super().__init__(above)
        self._above = above
        self._settings = settings

    def ask(
        self,
        title: str,
        name: str,
        kinds: Sequence[str],
        then: Callable[[Path], None],
        above: QWidget | None = None,
    ) -> None:
        """Ask for a path, suggesting `name`; call `then` with it unless the user cancels."""
        start = Path(self._settings.folder) / name
        above = above or self._above.window()
        ask_save(above, title, start, [tr(kind) for kind in kinds], then)

    def write(self, path: Path, write: Callable[[], object], said: str = "") -> None:
        """Call `write`, which writes the file, and report success, or its OSError or ValueError.

        `said` is the message on success (default: the name of the file).
        """
        try:
            self.check(path)
            write()
        except (OSError, ValueError) as error:
            self.failed.emit(problem_text(error))
            return
        self.done(path, said)

    def check(self, path: Path) -> None:
        """Raise a one-line PlanError if `path` is one of the open files."""
        check_is_no_input(tr("Export"), path, self.inputs())

    def done(self, path: Path, said: str = "") -> None:
        """Report that a file was written, and remember its folder."""
        self._settings.folder = str(path.parent)
        self.message.emit(said or tr("Exported {name}.", name=path.name))
