"""Explains large steps on a thread, so that the window goes on."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.explain.gaps import GapReport
from core.explain.lanes import Gap
from gui.explanations.explained import Explained, WorkedOut
from gui.look.text import tr


class Explainer(QObject):
    """`explained` comes whenever a step that was asked for is at hand."""

    explained = Signal()
    _made = Signal(object, int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._under_way: set[tuple[Explained, int]] = set()
        self._made.connect(self._take)

    def ask(self, explained: Explained, steps: Sequence[int]) -> None:
        """Work out steps of a trace that does not grow, unless they are under way."""
        wanted = [(explained, step) for step in steps]
        wanted = [one for one in wanted if one not in self._under_way]
        if not wanted:
            return
        self._under_way.update(wanted)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=self._work, args=(wanted,), daemon=True, name="explaining")
        self._threads.append(thread)
        thread.start()

    def reason(self, explained: Explained, gap: Gap, live: bool) -> tuple[GapReport | None, str]:
        """Why a lane is idle; while that is not known, a sentence, and it is asked for."""
        note = why_not_yet(explained, gap.step, live)
        if not note:
            return explained.report(gap.lane, gap.start), ""
        if not live and not explained.problem(gap.step):
            self.ask(explained, [gap.step])
        return None, note

    def close(self) -> None:
        """End every thread, after the step that it is at."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _work(self, wanted: Sequence[tuple[Explained, int]]) -> None:
        for explained, step in wanted:
            if self._stop.is_set():
                return
            try:
                self._made.emit(explained, step, explained.work_out(step))
            except (ValueError, MemoryError) as error:
                self._made.emit(explained, step, str(error) or tr("There is not enough memory."))

    def _take(self, explained: Explained, step: int, made: WorkedOut | str) -> None:
        self._under_way.discard((explained, step))
        if isinstance(made, str):
            explained.refuse(step, made)
        else:
            explained.keep(step, made)
        self.explained.emit()


def why_not_yet(explained: Explained, step: int, live: bool) -> str:
    """What keeps a step from being explained now, in a sentence; "" if it is at hand."""
    if explained.at_hand(step):
        return ""
    if problem := explained.problem(step):
        return problem
    tasks = f"{explained.tasks(step):,}"
    if live:
        return tr("This step has {n} tasks: it is explained when the run has ended.", n=tasks)
    return tr("This step has {n} tasks: explaining it takes some seconds.", n=tasks)
