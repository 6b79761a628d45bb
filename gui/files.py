"""Opening, saving and exporting: dialogs, and one clear line when something cannot be done."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtWidgets import QFileDialog, QWidget

from core.trace.recording import Opened, is_large
from core.trace.trace import Trace
from gui.banner import Banner
from gui.opening import OpeningStrip
from gui.session import Run, Session
from gui.settings import Settings
from gui.text import tr
from gui.timeline.export import export_image
from gui.timeline.viewport import Viewport

RECORDINGS = "Recordings (*.arrow)"
FIGURES = ("PNG image (*.png)", "SVG drawing (*.svg)", "PDF document (*.pdf)")


class Shown(Protocol):
    """What the window shows now."""

    @property
    def run_shown(self) -> Run | None:
        """The run in the timeline."""

    def visible_part(self) -> Viewport:
        """The time that is visible."""

    def theme_name(self) -> str:
        """Name of the theme."""

    def memory_shown(self) -> bool:
        """Whether what the lanes hold is shown below them."""

    def path_shown(self) -> bool:
        """Whether the critical path is shown."""

    def prediction_shown(self) -> Trace | None:
        """The prediction that is shown below the lanes, or None."""

    def show_run(self, run: Run) -> None:
        """Show a run, listing it if it is new."""

    def note(self, text: str) -> None:
        """Say in the status bar that something was done."""


class Files:
    """What the File menu does. The `…_to` and `…_from` methods take a path and ask nothing."""

    def __init__(
        self, window: QWidget, shown: Shown, session: Session, banner: Banner, settings: Settings
    ) -> None:
        self._window, self._shown, self._session = window, shown, session
        self._banner, self._settings = banner, settings
        self.opening = OpeningStrip()
        self.opening.opened.connect(self._take_opened)
        self.opening.failed.connect(banner.say)

    def open(self) -> None:
        """Ask for a recording and show it."""
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            tr("Open recording"),
            self._settings.folder,
            f"{tr(RECORDINGS)};;{tr('All files (*)')}",
        )
        if name:
            self.open_from(Path(name))

    def open_from(self, path: Path) -> None:
        """Show a recording; a cut one is shown as far as it goes, with one warning.

        A large one is shown once it is there; its strip tells how far it is.
        """
        self.opening.cancel()
        if is_large(path):
            self.opening.open(path)
            return
        try:
            run, warning = self._session.open(path)
        except (ValueError, OSError) as error:
            self._banner.say(str(error))
            return
        self._show_opened(path, run, warning)

    def _take_opened(self, path: Path, opened: Opened) -> None:
        self._show_opened(path, self._session.add_opened(path, opened), opened.warning)

    def _show_opened(self, path: Path, run: Run, warning: str) -> None:
        self._settings.folder = str(path.parent)
        self._shown.show_run(run)
        if warning:
            self._banner.say(warning, "warning")
        else:
            self._banner.hide()
            self._shown.note(tr("Opened {name}.", name=path.name))

    def save(self) -> None:
        """Ask for a file and save the run that is shown."""
        if self._nothing_shown():
            return
        name = self._ask(tr("Save recording"), "run.arrow", [tr(RECORDINGS)])
        if name is not None:
            self.save_to(name if name.suffix else name.with_suffix(".arrow"))

    def save_to(self, path: Path) -> None:
        """Save the run that is shown."""
        run = self._shown.run_shown
        if run is None:
            return
        try:
            run.save(path)
        except OSError as error:
            self._banner.say(str(error))
            return
        self._done(path, tr("Saved {name}.", name=path.name))

    def export(self) -> None:
        """Ask for a file and write the last measured steps as a figure."""
        if self._nothing_shown():
            return
        path = self._ask_figure()
        if path is not None:
            self.export_to(path)

    def export_visible(self) -> None:
        """Ask for a file and write what is visible as a figure."""
        if self._nothing_shown():
            return
        path = self._ask_figure()
        if path is not None:
            self.export_to(path, self._shown.visible_part())

    def export_to(self, path: Path, part: Viewport | None = None) -> None:
        """Write a figure: of the visible `part`, or of the last measured steps."""
        run = self._shown.run_shown
        if run is None:
            return
        ends = {} if part is None else {"start": int(part.start), "end": int(part.end)}
        try:
            export_image(
                run.trace, path, theme=self._shown.theme_name(), memory=self._shown.memory_shown(),
                prediction=self._shown.prediction_shown(),
                path_shown=self._shown.path_shown(), **ends,
            )  # fmt: skip
        except ValueError as error:
            self._banner.say(str(error))
            return
        self._done(path, tr("Exported {name}.", name=path.name))

    def _ask_figure(self) -> Path | None:
        path = self._ask(tr("Export figure"), "timeline.png", [tr(kind) for kind in FIGURES])
        return path if path is None or path.suffix else path.with_suffix(".png")

    def _ask(self, title: str, name: str, kinds: list[str]) -> Path | None:
        start = str(Path(self._settings.folder) / name)
        chosen, kind = QFileDialog.getSaveFileName(self._window, title, start, ";;".join(kinds))
        if not chosen:
            return None
        path = Path(chosen)
        suffix = kind.partition("(*")[2].rstrip(")")
        return path.with_suffix(suffix) if suffix and not path.suffix else path

    def _done(self, path: Path, text: str) -> None:
        self._settings.folder = str(path.parent)
        self._banner.hide()
        self._shown.note(text)

    def _nothing_shown(self) -> bool:
        if self._shown.run_shown is not None:
            return False
        self._banner.say(
            tr("There is no run to write yet: press Run, or open a recording."), "info"
        )
        return True
