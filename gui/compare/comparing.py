"""Comparing: puts another run below the one that is shown, and keeps both in step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QElapsedTimer, QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QWidget

from core.compare.alignment import Alignment, at_moments
from core.compare.differences import Difference
from core.compare.pieces import NO_PIECES, pieces_of
from core.compare.runs import TwoRuns
from core.recording.recording import is_large, open_recording
from core.recording.stream import Opened
from gui.app.dialogs import ask_save
from gui.app.session import Run, Session
from gui.app.settings import Settings
from gui.compare.chooser import Other, RunChooser, other_of, others, titles
from gui.compare.frame import CompareFrame
from gui.compare.linking import LinkedViews
from gui.compare.mirror import Mirror, Pair
from gui.compare.panel import ComparePanel
from gui.compare.worker import CompareWorker
from gui.look.text import problem_text, tr
from gui.look.theme import LIGHT, Theme
from gui.runs.faults import banner_text, faults_of
from gui.timeline.state.scene import Scene

LOW = 800  # pixels: lower windows have no room for two timelines and an overview
LIVE_MS = 1000  # between two rounds while one of the runs is live
IN_STRIP_A = {"compare_align": "Align", "compare_scale": "Equal", "compare_joins": "Join"}
IN_STRIP_B = {"compare_export": "Export", "compare": "Change", "compare_leave": "✕"}
"""The buttons beside the titles, and what they are called there: they have little room."""
FIGURES = (
    "PNG image (*.png)", "SVG drawing (*.svg)", "PDF document (*.pdf)", "HTML report (*.html)",
)  # fmt: skip


class WindowState(Protocol):
    """What comparing needs of the window."""

    run_shown: Run | None


class Comparing(QObject):
    """Compare mode of a window: run A is the one that it shows, run B the other one.

    `begun` and `left` say that it is entered and left, `said` carries a note for the status bar,
    `failed` what went wrong, `opened` a run that was opened for it.
    """

    begun = Signal()
    left = Signal()
    said = Signal(str)
    failed = Signal(str)
    opened = Signal(object)

    def __init__(
        self, window: WindowState, frame: CompareFrame, panel: ComparePanel, session: Session,
        settings: Settings,
    ) -> None:  # fmt: skip
        super().__init__(frame)
        self._window, self._session, self._settings = window, session, settings
        self.frame, self.panel, self.a = frame, panel, frame.a
        self.other: Other | None = None
        self.two: TwoRuns | None = None
        self._scene_b: Scene | None = None
        self._pair: Pair | None = None
        self._over: int | None = None
        self._moments: tuple[float, float] | None = None
        self._fit = self._joins = self._fresh = False
        self._row: Difference | None = None
        self._theme = LIGHT
        self._actions: dict[str, QAction] = {}
        self._worker = CompareWorker(self)
        self._worker.done.connect(self._take)
        self._worker.failed.connect(self._take)
        self._clock = QElapsedTimer()
        panel.row_chosen.connect(self.outline)
        panel.steps_chosen.connect(self._choose_steps)
        panel.asked.connect(self.choose)
        frame.opening.opened.connect(self._take_opened)
        frame.opening.failed.connect(self.failed)
        frame.a.state.strips_changed.connect(lambda _: self._show_strips())
        session.ticked.connect(self._tick)
        session.run_ended.connect(self._end)

    # What the user does

    def choose(self) -> None:
        """Offer the runs that the one that is shown can be compared with."""
        run = self._window.run_shown
        if run is None:
            self.failed.emit(tr("There is no run to compare yet: press Run, or open a recording."))
            return
        offered = others(self._session.runs, run)
        chooser = RunChooser(self.frame.window(), run, offered, self._settings.folder)
        chooser.chosen.connect(self.begin)
        chooser.wanted.connect(self.open)
        chooser.show()

    def open(self, path: Path) -> None:
        """Compare with a recording; with a large one, once it is there."""
        try:
            if is_large(path):
                self.frame.opening.open(path)
            else:
                self._take_opened(path, open_recording(path))
        except Exception as error:
            self.failed.emit(problem_text(error))

    def _take_opened(self, path: Path, opened: Opened) -> None:
        run = self._session.add_opened(path, opened)
        self._settings.remember(path)
        self.opened.emit(run)
        for text in (opened.warning, banner_text(faults_of(opened.trace), path)):
            if text:
                self.failed.emit(text)
        self.begin(other_of(run))

    @property
    def shown(self) -> Run | None:
        """Run A: the one that the window shows, if it shows any."""
        return self._window.run_shown

    def begin(self, other: Other) -> None:
        """Put another run below the one that is shown."""
        if self._window.run_shown is None:
            return
        self.begun.emit()  # first: what gives way to the second timeline leaves its room to it
        b, _ = self.frame.divide()
        if self._pair is None:
            self._pair = Pair(LinkedViews(self.a.state, b.state), Mirror(self.a.state, b.state))
        self.other, self._fresh = other, True
        self._scene_b = Scene(other.trace)
        b.state.set_theme(self._theme)
        b.state.show_scene(self._scene_b)
        self.a.state.show_strips(prediction=False)  # two comparisons at once are too many
        self._show_strips()
        self._enable(True)
        self.refresh()

    def leave(self) -> None:
        """Show the run alone again."""
        if self.other is None:
            return
        self._worker.cancel()
        self.other = self.two = self._scene_b = None
        if self._pair is not None:
            self._pair.views.unlink()
            self._pair.mirror.two = None
            self._pair.views.b.show_scene(None)
        self.outline(None)
        self.frame.unite()
        self.a.state.show_strips(prediction=self._settings.prediction)
        self.panel.clear()
        self._enable(False)
        self.a.setFocus()
        self.left.emit()

    def escape(self) -> None:
        """Select nothing; if nothing is selected, leave the comparison."""
        if self.a.state.selection is not None:
            self.a.selector.clear()
        elif self._row is not None:
            self.panel.table.choose_nothing()
        else:
            self.leave()

    def align(self, here: bool) -> None:
        """Lay the selected spans over each other, or again the beginnings of the steps."""
        self._moments = None
        if here and self._pair is not None and self.other is not None:
            self._moments = self._pair.mirror.starts
            if self._moments is None:
                self.said.emit(tr("Select a span in each run first, then align here."))
        self._check("compare_align", self._moments is not None)
        self._lay_over()

    def scale(self, fit: bool) -> None:
        """Draw both steps equally long, or both in true time."""
        self._fit = fit
        self._lay_over()

    def join(self, wanted: bool) -> None:
        """Draw thin lines between all matched tasks on screen, or only the selected one's."""
        self._joins = wanted
        self._show_marks()

    def step_in_b(self, by: int) -> None:
        """Select the next span on B's lane (1) or the previous one, without its match in A."""
        if self._pair is not None and self.other is not None:
            self._pair.mirror.step_in_b(by)

    def export(self) -> None:
        """Ask for a file and write what is seen of both runs."""
        if self.two is None:
            self.failed.emit(tr("There is no comparison to write yet."))
            return
        start = Path(self._settings.folder) / "compared.png"
        kinds = [tr(kind) for kind in FIGURES]
        ask_save(self.frame.window(), tr("Export comparison"), start, kinds, self.export_to)

    def export_to(self, path: Path) -> None:
        """Write what is seen of both runs."""
        from gui.compare.picture import Both  # the window is there sooner without
        from gui.compare.report import write_both

        run = self._window.run_shown
        if self.two is None or self.other is None or run is None or self._pair is None:
            return
        both = Both(
            self.two, (run.trace, self.other.trace), self._pair.views.alignment,
            part=(self.a.state.viewport.start, self.a.state.viewport.end), joins=self._joins,
        )  # fmt: skip
        try:
            write_both(both, path, self._theme.name)
        except ValueError as error:
            self.failed.emit(str(error))
            return
        self._settings.folder = str(path.parent)
        self.said.emit(tr("Exported {name}.", name=path.name))

    # What the window says

    def attach(self, actions: Mapping[str, QAction], dock: QDockWidget, overview: QWidget) -> None:
        """Take the window's actions by name, the panel's dock, and what stands below the timeline.

        A comparison's actions, and its dock, are there while there is one; in a low window the
        overview gives way to the second timeline.
        """
        self._actions = {n: action for n, action in actions.items() if n.startswith("compare")}
        for strip, names in (
            (self.frame.strip_a, IN_STRIP_A), (self.frame.strip_b, IN_STRIP_B)
        ):  # fmt: skip
            strip.add({tr(text): self._actions[name] for name, text in names.items()})
        self._enable(False)
        self.begun.connect(lambda: overview.setVisible(overview.window().height() >= LOW))
        self.begun.connect(dock.show)
        self.begun.connect(dock.raise_)
        self.left.connect(dock.hide)
        self.left.connect(overview.show)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        if self.frame.b is not None:
            self.frame.b.state.set_theme(theme)

    def show_run(self) -> None:
        """Another run is shown: it is A now. Without one, or if it is B, nothing is compared."""
        if self.other is None:
            return
        if self.shown is None or self.shown is self.other.run:
            self.leave()
            return
        self._fresh = True
        self.refresh()

    # Working it out

    def refresh(self) -> None:
        """Compare the chosen steps anew."""
        run, other = self._window.run_shown, self.other
        if run is None or other is None:
            return
        self._clock.start()
        a, b = self.panel.steps(run.trace, run.live, other.trace, other.live, other.run is None)
        if not a or not b:
            name = "A" if not a else "B"
            self._take(tr("Run {name} has no whole step to compare yet.", name=name))
        else:
            self._worker.ask(run.trace, other.trace, a, b)
            if self._worker.running:
                self.panel.say(tr("Comparing two large steps…"))

    def _choose_steps(self) -> None:
        self._fresh = True
        self.refresh()

    def outline(self, row: Difference | None) -> None:
        """Outline what a row of the table sums up in both timelines, or nothing."""
        self._row = row
        self._show_marks()

    def _take(self, answer: TwoRuns | str) -> None:
        if self.other is None:
            return
        if isinstance(answer, str):
            self.two = None
            self.panel.say(answer)
        else:
            self._fresh |= self.two is None
            self.two = answer
            self.panel.show_two(answer)
        self._say_titles()
        if self._fresh or not self._live:
            self._lay_over()
        self._show_marks()
        self._fresh = False

    def _lay_over(self) -> None:
        """Align both views; at the beginning A moves to the step that is compared.

        While a live run is followed, B's step stands under the step that the run is in, and stays
        under it afterwards.
        """
        run, other, two, pair = self._window.run_shown, self.other, self.two, self._pair
        if pair is None or run is None or other is None:
            return
        pair.mirror.two = two
        if two is None:
            starts = float(run.trace.bounds[0]), float(other.trace.bounds[0])
            pair.views.link(Alignment(*starts), starts[0])
            return
        if self._fresh:
            self._over = self._moments = None
            self._check("compare_align", False)
        if follows := self._follows:
            self._over = run.trace.steps[-1]
        over = two.step_a if self._over is None else self._over
        pair.mirror.over = over
        bounds_a, bounds_b = run.trace.step_bounds(over), other.trace.step_bounds(two.step_b)
        moments = self._moments or (bounds_a[0], bounds_b[0])
        step_a = run.trace.step_bounds(two.step_a)
        laid = at_moments(moments[0], moments[1], step_a, bounds_b, self._fit)
        pair.views.link(laid, bounds_a[0])
        if self._fresh and not follows:
            first = min(bounds_a[0], laid.to_a(bounds_b[0]))
            self.a.navigator.fit_between(first, max(bounds_a[1], laid.to_a(bounds_b[1])))

    @property
    def _follows(self) -> bool:
        """Whether B's step is to stand under the newest of a live run."""
        run = self._window.run_shown
        return run is not None and run.live and self.a.state.following and self._moments is None

    @property
    def _live(self) -> bool:
        run = self._window.run_shown
        return (run is not None and run.live) or (self.other is not None and self.other.live)

    def _show_marks(self) -> None:
        overlay = self.frame.overlay
        if overlay is None:
            return
        overlay.shown.joins = self._joins
        overlay.shown.matches = None if self.two is None else self.two.matches
        overlay.shown.of_a = overlay.shown.of_b = NO_PIECES
        if self.two is not None and self._row is not None:
            overlay.shown.of_a = pieces_of(self._row, self.two.a.explanation)
            overlay.shown.of_b = pieces_of(self._row, self.two.b.explanation)
        overlay.update()

    def _say_titles(self) -> None:
        run, other = self._window.run_shown, self.other
        if run is not None and other is not None:
            texts = titles(run, other, self.two)
            for strip, text in zip((self.frame.strip_a, self.frame.strip_b), texts, strict=True):
                strip.title.show_text(text)

    def _show_strips(self) -> None:
        """Show below B's lanes what is shown below A's."""
        if self.frame.b is not None and self.other is not None:
            wanted = self.a.state.stack
            self.frame.b.state.show_strips(memory=wanted.memory, path=wanted.path)

    def _tick(self) -> None:
        other, run = self.other, self._window.run_shown
        if other is None or run is None or self._pair is None:
            return
        if other.live and self._scene_b is not None:
            self._scene_b.update()
            self._pair.views.b.refresh(None)
        if self.two is not None and self._follows and self._over != run.trace.steps[-1]:
            self._lay_over()
        if self._live and self._clock.hasExpired(LIVE_MS) and not self._worker.running:
            self.refresh()

    def _end(self, run: Run) -> None:
        if self.other is None:
            return
        if run is self.other.run and self._scene_b is not None and self._pair is not None:
            self._scene_b.update()
            self._scene_b.sum_up()
            self._pair.views.b.refresh(None)
        if run in (self.other.run, self._window.run_shown):
            self.refresh()

    def _enable(self, comparing: bool) -> None:
        for name, action in self._actions.items():
            if name != "compare":
                action.setEnabled(comparing)
        self._check("compare_align", False)

    def _check(self, name: str, on: bool) -> None:
        if name in self._actions:
            self._actions[name].setChecked(on)
