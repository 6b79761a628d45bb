"""Comparing: puts another run below the one that is shown, and keeps both in step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, Signal

from core.compare.differences import Difference
from core.compare.runs import TwoRuns
from gui.app.feature import Shell
from gui.app.session import Run
from gui.features.compare.aligner import Aligner
from gui.features.compare.chooser import Other, titles
from gui.features.compare.choosing import OtherChoice
from gui.features.compare.exporting import ComparisonExport
from gui.features.compare.frame import CompareFrame
from gui.features.compare.panel import ComparePanel
from gui.features.compare.worker import CompareWorker
from gui.look.text import tr
from gui.look.theme import Theme
from gui.timeline.state.scene import Scene

if TYPE_CHECKING:
    from gui.features.compare.picture import Both

LIVE_MS = 1000  # between two rounds while one of the runs is live


class Comparing(QObject):
    """Compare mode of a window: run A is the one that it shows, run B the other one.

    `begun` and `left` say that it is entered and left. Its parts have their own signals: `choice`
    of run B, the `aligner` of both timelines, and the `files` that are written.
    """

    begun = Signal()
    left = Signal()

    def __init__(self, shell: Shell) -> None:
        self.frame, self.panel = CompareFrame(shell.timeline), ComparePanel()
        super().__init__(self.frame)
        self._shell, self._settings = shell, shell.settings
        self.a, self._b = self.frame.a, self.frame.b.state
        session, frame, panel = shell.session, self.frame, self.panel
        self.other: Other | None = None
        self.two: TwoRuns | None = None
        self._fresh = False
        self._row: Difference | None = None
        # Asked when it is needed: another run may be shown by then.
        self.choice = OtherChoice(frame, lambda: shell.run_shown, session, shell.settings)
        self.choice.chosen.connect(self.begin)
        self.aligner = Aligner(frame.a, frame.b.state)
        self.files = ComparisonExport(frame, self._seen, shell.settings)
        self._worker = CompareWorker(self)
        self._worker.done.connect(self._take)
        # An error arrives as a str, a result as a TwoRuns: `_take` tells them apart.
        self._worker.failed.connect(self._take)
        self._clock = QElapsedTimer()
        panel.row_chosen.connect(self.outline)
        panel.steps_chosen.connect(self._refresh_anew)
        panel.asked.connect(self.choice.choose)
        frame.a.state.strips_changed.connect(lambda _: self._show_strips())
        session.ticked.connect(self._tick)
        session.run_ended.connect(self._end)

    # What the user does

    @property
    def shown(self) -> Run | None:
        """Run A: the one that the window shows, if it shows any."""
        return self._shell.run_shown

    def begin(self, other: Other) -> None:
        """Put another run below the one that is shown."""
        if self._shell.run_shown is None:
            return
        self.begun.emit()  # first: what gives way to the second timeline leaves its room to it
        self.frame.divide()
        self.other, self._fresh = other, True
        self._b.set_theme(self.a.state.theme)
        self._b.show_scene(Scene(other.trace))
        self.frame.colour()
        self.a.state.show_strips(prediction=False)  # two comparisons at once are too many
        self._show_strips()
        self.refresh()

    def leave(self) -> None:
        """Show the run alone again."""
        if self.other is None:
            return
        self._worker.cancel()
        # First: what the rest of this tells of must find no comparison to work on.
        self.other = self.two = None
        self.aligner.leave()
        self._b.show_scene(None)
        self.outline(None)
        self.frame.unite()
        self.a.state.show_strips(prediction=self._settings.prediction)
        self.panel.clear()
        self.aligner.aligned.emit(False)
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

    # What the window says

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._b.set_theme(theme)

    def show_run(self) -> None:
        """Another run is shown: it is A now. Without one, or if it is B, nothing is compared."""
        if self.other is None:
            return
        if self.shown is None or self.shown is self.other.run:
            self.leave()
        else:
            self._refresh_anew()

    # Working it out

    def refresh(self) -> None:
        """Compare the chosen steps anew."""
        run, other = self._shell.run_shown, self.other
        if run is None or other is None:
            return
        self._clock.start()
        a, b = self.panel.steps(run.trace, run.live, other.trace, other.live, other.run is None)
        if not a or not b:
            name = "A" if not a else "B"
            self._take(tr("Run {name} has no whole step to compare yet.", name=name))
        else:
            self._worker.ask(run.trace, other.trace, a, b)
            # Few tasks were compared within `ask`, and `_take` has shown the answer already.
            if self._worker.running:
                self.panel.say(tr("Comparing two large steps…"))

    def _refresh_anew(self) -> None:
        self._fresh = True
        self.refresh()

    def outline(self, row: Difference | None) -> None:
        """Outline what a row of the table sums up in both timelines, or nothing."""
        self._row = row
        self.frame.overlay.show_two(self.two, row)

    def _take(self, answer: TwoRuns | str) -> None:
        run, other = self._shell.run_shown, self.other
        if run is None or other is None:
            return
        if isinstance(answer, str):
            self.two = None
            self.panel.say(answer)
        else:
            # After a line that said why there is no comparison, no view of it is there to be kept.
            self._fresh |= self.two is None
            self.two = answer
            self.panel.show_two(answer)
        self.aligner.show(run, other, self.two)
        self._say_titles(run, other)
        # While a run is live, `_tick` has the aligner follow its steps; the answers that come every
        # LIVE_MS must not move the view besides.
        if self._fresh or not (run.live or other.live):
            self.aligner.lay_over(self._fresh)
        self.frame.overlay.show_two(self.two, self._row)
        self._fresh = False

    def _say_titles(self, run: Run, other: Other) -> None:
        strips = self.frame.strip_a, self.frame.strip_b
        for strip, text in zip(strips, titles(run, other, self.two), strict=True):
            strip.show_title(text)

    def _seen(self) -> tuple[Both, str] | None:
        """What is seen of both runs, and in which theme."""
        from gui.features.compare.picture import Both  # the window is there sooner without

        run, state = self._shell.run_shown, self.a.state
        if self.two is None or self.other is None or run is None:
            return None
        both = Both(
            self.two, (run.trace, self.other.trace), self.aligner.alignment,
            part=(state.viewport.start, state.viewport.end), joins=self.frame.overlay.joins,
        )  # fmt: skip
        return both, state.theme.name

    def _show_strips(self) -> None:
        """Show below B's lanes what is shown below A's."""
        if self.other is not None:
            wanted = self.a.state.stack.chosen
            self._b.show_strips(memory=wanted.memory, path=wanted.path, counters=wanted.counters)

    def _tick(self) -> None:
        other, run = self.other, self._shell.run_shown
        if other is None or run is None:
            return
        if other.live:
            self._refresh_b()
        self.aligner.follow()
        waited = self._clock.hasExpired(LIVE_MS) and not self._worker.running
        if waited and (run.live or other.live):
            self.refresh()

    def _end(self, run: Run) -> None:
        if self.other is None:
            return
        if run is self.other.run:
            self._refresh_b(ended=True)
        if run in (self.other.run, self._shell.run_shown):
            self.refresh()

    def _refresh_b(self, ended: bool = False) -> None:
        if (scene := self._b.scene) is not None:
            scene.update()
            self._b.refresh(None)
            if ended:
                scene.update_figures()
