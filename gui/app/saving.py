"""Files that a part of the window writes: where to, with one line of what came of it."""

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
"""The kinds of files that pictures are written as."""


class Saver(QObject):
    """Asks for files, over a window, in the folder that was written to last, and writes them.

    `message` and `failed` carry a line.
    """

    message = Signal(str)
    failed = Signal(str)
    inputs: Callable[[], Sequence[Path]] = staticmethod(tuple)
    """Gives the files that were opened, which are not replaced; the window sets it."""

    def __init__(self, above: QWidget, settings: Settings) -> None:
        super().__init__(above)
        self._above, self._settings = above, settings

    def ask(
        self, title: str, name: str, kinds: Sequence[str], then: Callable[[Path], None],
        above: QWidget | None = None,
    ) -> None:  # fmt: skip
        """Ask for a file, `name` being offered; `then` gets its path unless one cancels."""
        start = Path(self._settings.folder) / name
        above = above or self._above.window()
        ask_save(above, title, start, [tr(kind) for kind in kinds], then)

    def write(self, path: Path, write: Callable[[], object], said: str = "") -> None:
        """Have a file written by what raises OSError or ValueError, in one line, if it cannot."""
        try:
            self.check(path)
            write()
        except (OSError, ValueError) as error:
            self.failed.emit(problem_text(error))
            return
        self.done(path, said)

    def check(self, path: Path) -> None:
        """Raise PlanError in one line if `path` is a file that was opened."""
        check_is_no_input(tr("Export"), path, self.inputs())

    def done(self, path: Path, said: str = "") -> None:
        """Something was written: say so, and offer its folder from now on."""
        self._settings.folder = str(path.parent)
        self.message.emit(said or tr("Exported {name}.", name=path.name))
