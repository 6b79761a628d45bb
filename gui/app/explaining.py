"""Explains large steps on a thread, so that the window stays responsive."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.explain.gaps import GapReport
from core.explain.lanes import Gap
from gui.app.jobs import Runner, Work
from gui.look.text import problem_text, tr
from gui.timeline.state.explained import ExplanationCache, StepResults

Made = tuple[ExplanationCache, int, StepResults | str]
"""A trace's explanations, a step, and the step's explanation or the reason why there is none."""


class Explainer(QObject):
    """Explains steps; `explained` is emitted when the answer for a step is available."""

    explained = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = Runner(self, "explaining")
        self._runner.done.connect(self._take)
        # Panels ask again at each refresh, also while the answer is being computed.
        self._under_way: set[tuple[ExplanationCache, int]] = set()

    def ask(self, explained: ExplanationCache, steps: Sequence[int]) -> None:
        """Start explaining steps of a trace that no longer grows, unless they are under way."""
        wanted = [step for step in steps if (explained, step) not in self._under_way]
        self._under_way.update((explained, step) for step in wanted)
        self._runner.add(*(_worked_out(explained, step) for step in wanted), thread=True)

    def reason(
        self, explained: ExplanationCache, gap: Gap, live: bool
    ) -> tuple[GapReport | None, str]:
        """Return the report on a gap and "", or None and a sentence on why there is none yet.

        In the second case, start explaining the step, unless the run is live or that has failed.
        """
        note = why_not_yet(explained, gap.step, live)
        if not note:
            return explained.report(gap.lane, gap.start), ""
        if not live and not explained.problem(gap.step):
            self.ask(explained, [gap.step])
        return None, note

    def cancel(self) -> None:
        """Cancel all work."""
        self._runner.cancel()
        self._under_way.clear()

    def _take(self, made: Made) -> None:
        explained, step, found = made
        self._under_way.discard((explained, step))
        if isinstance(found, str):
            explained.refuse(step, found)
        else:
            explained.keep(step, found)
        self.explained.emit()


def _worked_out(explained: ExplanationCache, step: int) -> Work[Made]:
    yield 0.0
    try:
        return explained, step, explained.compute(step)
    # Returned, not raised: the Runner's `failed` does not name the step.
    except (ValueError, MemoryError) as error:
        return explained, step, problem_text(error)


def why_not_yet(explained: ExplanationCache, step: int, live: bool) -> str:
    """Return a sentence on why a step is not explained yet; "" if it is."""
    if explained.at_hand(step):
        return ""
    problem = explained.problem(step)
    if problem:
        return problem
    tasks = f"{explained.progress(step).tasks:,}"
    if live:
        return tr("This step has {n} tasks: it is explained when the run has ended.", n=tasks)
    return tr("This step has {n} tasks: explaining it takes some seconds.", n=tasks)
