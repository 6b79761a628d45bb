"""Figures, animations, copies and reports of the run that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from core.errors import PlanError
from core.message import N_
from core.override import override
from gui.app.dialogs import ProgressDialogs, to_front
from gui.app.feature import Shell
from gui.app.figure_options import FigureOptions
from gui.app.jobs import Runner
from gui.app.run import Run, opened_files
from gui.app.run_names import file_name
from gui.app.saving import IMAGES, Saver
from gui.features.compare.chooser import others
from gui.features.compare.feature import CompareFeature
from gui.features.figures.drawing import RunDrawing
from gui.features.figures.panel import FigurePanel
from gui.features.figures.tables import ask_table
from gui.features.figures.wish import Wish
from gui.figures.animation import AnimationPicture, write_animation
from gui.figures.picture import Picture, copy_picture, write_picture
from gui.look.text import problem_text, tr
from gui.look.theme import LIGHT, THEMES
from gui.timeline.state.scene import Scene

DOCUMENTS = IMAGES[::-1]
ANIMATIONS = (N_("GIF animation (*.gif)"), N_("WebP animation (*.webp)"))
REPORT = N_("Web page (*.html)")


class Exporting(Saver):
    """Writes figures, animations and reports; the `…_to` methods take a path and do not ask."""

    def __init__(self, shell: Shell) -> None:
        window = shell.main_window
        super().__init__(window, shell.settings)
        self._shell = shell
        self._window = window
        self._banner = shell.banner
        self._timeline = shell.timeline.state
        self._explainer = shell.explainer
        self.inputs = lambda: opened_files(shell.session.runs)
        self.panel: FigurePanel | None = None
        self._drawing = RunDrawing(shell)
        self.report = Runner(self, "report")
        self.progress = ProgressDialogs(window, self.report, tr("Writing the report…"))
        self.report.failed.connect(self._banner.say)
        self.report.done.connect(self.done)
        self.animation = Runner(self, "animation")
        words = tr("Drawing the animation…")
        self.animation_progress = ProgressDialogs(window, self.animation, words)
        self.animation.failed.connect(self.failed)
        self.animation.done.connect(self.done)

    def open(self) -> None:
        """Show the dialog for figures; during a comparison, the second run is chosen in it."""
        run = self._shell.run_shown
        if self.scene() is None or run is None:
            return
        if self.panel is None:
            self.panel = FigurePanel(self._drawing.draw, self._window)
            self.panel.set_options(self._settings.figure)
            self.panel.save_asked.connect(self._ask_figure)
            self.panel.copy_asked.connect(self._copy)
            self.panel.table_asked.connect(self._ask_table)
            self.panel.finished.connect(self._keep)
            # The banner of the window may be behind the dialog.
            self.failed.connect(self.panel.show_problem)
        comparing = self._shell.feature(CompareFeature).under_way
        other = None if comparing is None else comparing.other
        chosen = [] if other is None else [other]
        self.panel.offer(others(self._shell.session.runs, run), chosen)
        self.panel.draw_now()
        to_front(self.panel)

    def export_visible(self) -> None:
        """Ask for a file and write exactly the visible part into it."""
        if self.scene() is not None:
            # Drawn before the user names a file: the visible time may change meanwhile.
            picture = self._drawing.draw(self._on_screen())
            self._ask_picture(picture, ".png", IMAGES)

    def export_to(self, path: Path, visible: bool = False) -> None:
        """Write the timeline as the window shows it; the suffix sets the format.

        With `visible`, write exactly the visible time; otherwise, the last measured steps.
        """
        if self.scene() is not None:
            wish = Wish(self._on_screen().options, visible)
            self.save_to(self._drawing.draw(wish), path)

    def copy_visible(self) -> None:
        """Copy the visible part to the clipboard, as an image and as SVG."""
        if self.scene() is not None:
            picture = self._drawing.draw(self._on_screen())
            self._copy(picture)

    def export_report(self) -> None:
        """Ask for a file and write a report on the run into it."""
        scene = self.scene()
        run = self._shell.run_shown
        if scene is not None and run is not None:
            # This run, although another one may be shown before the user has named a file.
            write = partial(self._write_report, scene, run)
            self.ask(tr("Export report"), self.offered(".html"), [REPORT], write)

    def report_to(self, path: Path) -> None:
        """Write a report in slices, so that the window responds and the user can cancel it."""
        scene = self.scene()
        run = self._shell.run_shown
        if scene is not None and run is not None:
            self._write_report(scene, run, path)

    def _write_report(self, scene: Scene, run: Run, path: Path) -> None:
        from gui.report.job import report_work  # not at start-up

        try:
            self.check(path)
        except PlanError as error:
            self._banner.say(problem_text(error))
            return
        # The scene of a run that is no longer on screen has not been kept up to date.
        scene.live = run.live
        scene.update()
        scene.update_figures()
        self.report.start(report_work(scene, path, self._explainer, run.live))

    def save_to(self, picture: Picture, path: Path) -> None:
        """Write a picture; the suffix sets the format."""
        self.write(path, lambda: write_picture(picture, path))

    def animation_to(self, picture: AnimationPicture, path: Path) -> None:
        """Write an animation in slices, so that the window responds and the user can cancel it."""
        try:
            self.check(path)
        except PlanError as error:
            self.failed.emit(problem_text(error))
            return
        self.animation.start(write_animation(picture.animation, path))

    def _ask_figure(self, picture: Picture) -> None:
        self._keep()
        if isinstance(picture, AnimationPicture):
            save = partial(self.animation_to, picture)
            self.ask(tr("Save animation"), self.offered(".gif"), ANIMATIONS, save, self.panel)
        else:
            self._ask_picture(picture, ".pdf", DOCUMENTS, self.panel)

    def _ask_table(self, wish: Wish) -> None:
        scene = self.scene()
        if scene is not None:
            traces = [scene.trace, *(other.trace for other in wish.others)]
            ask_table(self, self.offered(".tex"), traces, self.panel)

    def _ask_picture(
        self, picture: Picture, ending: str, kinds: Sequence[str], above: QWidget | None = None
    ) -> None:
        save = partial(self.save_to, picture)
        self.ask(tr("Save figure"), self.offered(ending), kinds, save, above)

    def offered(self, ending: str) -> str:
        """Return a file name made from the name of the run shown."""
        run = self._shell.run_shown
        return ("run" if run is None else Path(file_name(run)).stem) + ending

    def _copy(self, picture: Picture) -> None:
        copy_picture(picture)
        self.message.emit(tr("Copied as an image and as SVG."))

    def _keep(self, *_: object) -> None:
        if self.panel is None:
            return
        wish = self.panel.wish
        if wish.animation is None:
            self._settings.figure = wish.options

    @override
    def done(self, path: Path, said: str = "") -> None:
        self._banner.hide()
        super().done(path, said)

    def scene(self) -> Scene | None:
        """Return the scene to write; if there is none, say so in the banner and return None."""
        scene = self._timeline.scene
        if scene is not None and not scene.trace.is_empty:
            return scene
        words = tr("There is no run to write yet: press Run, or open a recording.")
        if scene is not None:
            words = tr("This run has recorded no spans: there is nothing to export.")
        self._banner.say(words, "info")
        return None

    def _on_screen(self) -> Wish:
        return Wish(FigureOptions(theme=THEMES.get(self._settings.theme, LIGHT).name), True)
