"""Controller of the verdict on the run shown or, while it runs, on its last whole step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.trace.complete import is_over
from gui.app.jobs import Runner, Work
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.timeline.state.scene import Scene, shown_steps

if TYPE_CHECKING:  # imported when first used, because it would slow the start of the window
    from core.report.verdict import Verdict
    from gui.features.verdict.suggestion import Suggestion


class VerdictController(QObject):
    """`text_changed` carries the line to show, `judged` the verdict of a run that ended, or None.

    `suggested` carries the change that the verdict suggests, or None. `sentence` is the main
    sentence of the line, "" if it has none.
    """

    text_changed = Signal(str)
    judged = Signal(object)
    suggested = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = Runner(self, "verdict")
        self._runner.done.connect(self._take)
        self._about: tuple[Scene, int | None] | None = None
        self.sentence = ""

    def show_scene(self, scene: Scene, live: bool) -> None:
        """Judge the run that is shown; while it runs, its last whole step."""
        if live:
            self._judge_last_step(scene)
            return
        # Called at each refresh of the window, but computed only once for each state of the trace.
        about = scene, scene.trace.version
        if self._about == about:
            return
        if self._about is None or self._about[0] is not scene:
            self.text_changed.emit(tr("Looking for what limits a step…"))
        self._forget()
        self._about = about
        # On a thread without a snapshot: the run is over, so its trace does not grow.
        self._runner.start(_judged(scene), thread=True)

    def show_nothing(self) -> None:
        """Clear the verdict: no run is shown."""
        self._forget()
        self.text_changed.emit("")

    def _judge_last_step(self, scene: Scene) -> None:
        """Show the causes of the idle time in the last whole step, if they are quickly known."""
        latest = shown_steps(scene.trace, True)[-1:]
        whole = [step for step in latest if is_over(scene.trace, step)]
        # Compared by step, not by the trace's version, which changes while the next step runs.
        about = scene, whole[0] if whole else None
        if self._about == about:
            return
        self._forget()
        self._about = about
        if not whole:
            self.text_changed.emit(tr("Running the first step…"))
        elif scene.explained.at_hand(whole[0]):
            self.text_changed.emit(_idle_text(scene, whole[0]))

    def _forget(self) -> None:
        self._runner.cancel()
        self._about = None
        self.sentence = ""
        self.judged.emit(None)
        self.suggested.emit(None)

    def _take(self, found: tuple[Verdict | None, Suggestion | None]) -> None:
        verdict, change = found
        self.sentence = "" if verdict is None else translated(verdict.sentence)
        self.text_changed.emit("" if verdict is None else translated(verdict.text))
        self.judged.emit(verdict)
        self.suggested.emit(change)


def _judged(scene: Scene) -> Work[tuple[Verdict | None, Suggestion | None]]:
    from core.report.verdict import verdict
    from gui.features.verdict.suggestion import suggestion

    yield 0.0
    found = verdict(scene.trace)
    return found, suggestion(scene.trace, None if found is None else found.kind)


def _idle_text(scene: Scene, step: int) -> str:
    """Return the causes of a step's idle time, in words."""
    from core.report.idling import Idling, idle_sentences

    source = scene.trace.header.source
    idling = Idling.of([scene.explained.explanation(step)], source=source)
    return translated(idle_sentences(idling))
