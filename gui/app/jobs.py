"""Background work: generators that run in slices between events, or on a thread.

Modelled on superqt's `create_worker`: a generator yields its progress, and can be cancelled where
it yields. That library runs work only on threads. NumPy rarely releases Python's lock, so work that
reads a growing trace has to take turns with the code that makes it grow.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from gui.look.text import problem_text

SLICE_S = 0.008  # less than the time between two frames
PAUSE_MS = 20  # before work that waits for something is resumed

Result = TypeVar("Result")
Work = Generator[float | None, None, Result]
"""Yields its progress, 0 to 1, or None while it waits for something; returns a result."""


class _Progress(NamedTuple):
    """State of a piece of work: `value` is its progress, or its result once it is `over`."""

    value: object
    over: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """A piece of work; `thread` is true if a thread does it, and `stop` stops that thread."""

    work: Work[object]
    thread: bool
    stop: threading.Event

    def next(self) -> _Progress:
        """Run to the next yield."""
        try:
            return _Progress(next(self.work))
        except StopIteration as end:
            return _Progress(end.value, over=True)
        except Exception as error:  # no caller could handle it
            return _Progress(None, over=True, problem=problem_text(error))


class Runner(QObject):
    """Does one piece of work at a time; its signals are emitted in the window's thread.

    `advanced` has the progress, 0 to 1. At the end `ended` is emitted, then `done` with the result
    or `failed` with one line. After a cancellation only `ended` is emitted; later messages of a
    thread are dropped.
    """

    advanced = Signal(float)
    ended = Signal()
    done = Signal(object)
    failed = Signal(str)
    _progressed = Signal(object, object)

    def __init__(self, parent: QObject | None, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._current: _Task | None = None
        self._waiting: list[_Task] = []
        # Several: cancelled work may run up to its next yield while other work begins.
        self._threads: list[threading.Thread] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(lambda: self._go_on(SLICE_S))
        # Threads emit `_progressed`. Because `_take` is a method of an object that lives in the
        # window's thread, Qt queues the call there. So everything after it runs in one thread and
        # needs no lock.
        self._progressed.connect(self._take)

    @property
    def running(self) -> bool:
        """True if work is under way."""
        return self._current is not None

    def start(
        self,
        work: Work[object],
        at_once_s: float = 0.0,
        thread: bool = False,
        stop: threading.Event | None = None,
    ) -> None:
        """Cancel all work, and do this instead: on a new thread, or in slices.

        In slices, it begins immediately and runs for `at_once_s`, at least to its first yield. On a
        thread, cancelled work stops at its next yield; code that it calls may check `stop` more
        often.
        """
        self.cancel()
        self._begin(_Task(work, thread, stop or threading.Event()), at_once_s)

    def add(self, *works: Work[object], thread: bool = False) -> None:
        """Do these in order, before other waiting work; start at once if no work is under way."""
        self._waiting += [_Task(work, thread, threading.Event()) for work in reversed(works)]
        if self._current is None and self._waiting:
            self._begin(self._waiting.pop())

    def cancel(self) -> None:
        """Cancel all work. A thread may run up to its next yield."""
        # Reset before `ended` is emitted, because listeners may start other work.
        task = self._current
        self._current = None
        self._waiting.clear()
        self._timer.stop()
        if task is not None:
            task.stop.set()
            if not task.thread:
                task.work.close()
            self.ended.emit()

    def close(self) -> None:
        """Cancel all work, and wait for its threads to end."""
        self.cancel()
        # After `cancel`, which sets `stop`: otherwise each thread would first finish its work.
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _begin(self, task: _Task, at_once_s: float = 0.0) -> None:
        self._current = task
        if not task.thread:
            self._go_on(at_once_s)
            return
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(
            # A daemon: if its work hangs, for example in a read, the process can still end.
            target=self._work_apart,
            args=(task,),
            name=self.objectName(),
            daemon=True,
        )
        self._threads.append(thread)
        thread.start()

    def _go_on(self, seconds: float) -> None:
        """Work for `seconds`, then return to the event loop."""
        task = self._current
        end = time.perf_counter() + seconds
        if task is None:
            return
        progress = task.next()
        while not progress.over and progress.value is not None and time.perf_counter() < end:
            progress = task.next()
        if not progress.over:
            # Before `_take`: its listeners may cancel, which must be able to stop the timer.
            self._timer.start(PAUSE_MS if progress.value is None else 0)
        self._take(task, progress)

    def _work_apart(self, task: _Task) -> None:
        # A running generator cannot be closed from another thread (ValueError), so this thread
        # closes it.
        progress = _Progress(None)
        while not progress.over and not task.stop.is_set():
            progress = task.next()
            with suppress(RuntimeError):  # the window was deleted meanwhile
                self._progressed.emit(task, progress)
        task.work.close()

    def _take(self, task: _Task, progress: _Progress) -> None:
        """Forward progress, result or problem of the current work; ignore any other work."""
        # A thread may have queued this before the work was cancelled.
        if task is not self._current:
            return
        if not progress.over:
            if progress.value is not None:
                self.advanced.emit(progress.value)
            return
        self._current = None
        self.ended.emit()
        if progress.problem:
            self.failed.emit(progress.problem)
        else:
            self.done.emit(progress.value)
        # A listener of `done` may have started other work, which precedes the waiting work.
        if self._current is None and self._waiting:
            self._begin(self._waiting.pop())


def close_all(owner: QObject) -> None:
    """Cancel the work of all runners below an object, and wait for their threads to end."""
    for runner in owner.findChildren(Runner):
        runner.close()
