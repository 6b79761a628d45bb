"""Explains large steps on a thread, so that the window goes on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.explain.gaps import GapReport
from core.explain.lanes import Gap
from gui.app.jobs import Runner, Work
from gui.look.text import problem_text, tr
from gui.timeline.state.explained import Explained, WorkedOut

Made = tuple[Explained, int, WorkedOut | str]
"""Of a trace's step what there is to know, or why there is nothing."""


class Explainer(QObject):
    """`explained` comes whenever a step that was asked for is at hand."""

    explained = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = Runner(self, "explaining")
        self._runner.done.connect(self._take)
        # A panel asks again each time that it is refreshed, also while the answer is on its way.
        self._under_way: set[tuple[Explained, int]] = set()

    def ask(self, explained: Explained, steps: Sequence[int]) -> None:
        """Work out steps of a trace that does not grow, unless they are under way."""
        wanted = [step for step in steps if (explained, step) not in self._under_way]
        self._under_way.update((explained, step) for step in wanted)
        self._runner.add(*(_worked_out(explained, step) for step in wanted), thread=True)

    def reason(self, explained: Explained, gap: Gap, live: bool) -> tuple[GapReport | None, str]:
        """Why a lane is idle; while that is not known, a sentence, and it is asked for."""
        note = why_not_yet(explained, gap.step, live)
        if not note:
            return explained.report(gap.lane, gap.start), ""
        if not live and not explained.problem(gap.step):
            self.ask(explained, [gap.step])
        return None, note

    def cancel(self) -> None:
        """Give up all that is under way."""
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


def _worked_out(explained: Explained, step: int) -> Work[Made]:
    yield 0.0
    try:
        return explained, step, explained.work_out(step)
    # Returned, not raised: the Runner's `failed` does not say of which step it is.
    except (ValueError, MemoryError) as error:
        return explained, step, problem_text(error)


def why_not_yet(explained: Explained, step: int, live: bool) -> str:
    """What keeps a step from being explained now, in a sentence; "" if it is at hand."""
    if explained.at_hand(step):
        return ""
    if problem := explained.problem(step):
        return problem
    tasks = f"{explained.extent(step).tasks:,}"
    if live:
        return tr("This step has {n} tasks: it is explained when the run has ended.", n=tasks)
    return tr("This step has {n} tasks: explaining it takes some seconds.", n=tasks)
