"""Work in the background, one way for all: a generator, in slices between events or on a thread.

After superqt's `create_worker`: a generator says how far it is, and can be cancelled wherever it
yields. That library runs work on threads alone; NumPy lets go of Python only now and then, so what
reads a trace that grows has to take turns with whatever makes it grow.
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

SLICE_S = 0.008  # of the time between two frames
PAUSE_MS = 20  # before work that waits for something is asked again

Result = TypeVar("Result")
Work = Generator[float | None, None, Result]
"""Yields the share that is done, 0 to 1, or None while it waits for something; returns a result."""


class _News(NamedTuple):
    """What comes of work: the share that is done, its result if it is over, or what went wrong."""

    value: object
    over: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """Work with where it is done, and what a thread that does it looks at."""

    work: Work[object]
    thread: bool
    stop: threading.Event

    def next(self) -> _News:
        """Go on up to the next yield."""
        try:
            return _News(next(self.work))
        except StopIteration as end:
            return _News(end.value, over=True)
        except Exception as error:  # nobody else would hear of it
            return _News(None, over=True, problem=problem_text(error))


class Runner(QObject):
    """Does one piece of work at a time; its signals are emitted in the window's thread.

    `advanced` carries the share that is done. At the end come `ended` and then `done` with the
    result, or `failed` with one line. Of work that is cancelled only `ended` comes: what a thread
    still sends is stale, and dropped.
    """

    advanced = Signal(float)
    ended = Signal()
    done = Signal(object)
    failed = Signal(str)
    _came = Signal(object, object)

    def __init__(self, parent: QObject | None, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._current: _Task | None = None
        self._waiting: list[_Task] = []
        # More than one: work that was given up may still run up to its next yield when other
        # begins.
        self._threads: list[threading.Thread] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(lambda: self._go_on(SLICE_S))
        # Threads emit `_came`. Since `_take` is a method of an object that lives in the window's
        # thread, Qt queues the call there, and all that follows runs in one thread and needs no
        # lock.
        self._came.connect(self._take)

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return self._current is not None

    def start(
        self,
        work: Work[object],
        at_once_s: float = 0.0,
        thread: bool = False,
        stop: threading.Event | None = None,
    ) -> None:
        """Do this in place of all that is under way: on a thread of its own, or in slices.

        In slices it begins at once, for `at_once_s` or up to its first yield. On a thread it stops
        where it yields next; `stop` is set for what it calls that looks there more often.
        """
        self.cancel()
        self._begin(_Task(work, thread, stop or threading.Event()), at_once_s)

    def add(self, *works: Work[object], thread: bool = False) -> None:
        """Do these in their order, before what waits; the first at once if nothing is under way."""
        self._waiting += [_Task(work, thread, threading.Event()) for work in reversed(works)]
        if self._current is None and self._waiting:
            self._begin(self._waiting.pop())

    def cancel(self) -> None:
        """Give up all work. A thread may go on up to its next yield."""
        # Forgotten before `ended` is told: whoever listens may start other work at once.
        task, self._current = self._current, None
        self._waiting.clear()
        self._timer.stop()
        if task is not None:
            task.stop.set()
            if not task.thread:
                task.work.close()
            self.ended.emit()

    def close(self) -> None:
        """Give up all work, and wait until nothing is left of it."""
        self.cancel()
        # After `cancel`, which sets each one's `stop`: else this would wait for all of its work.
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
            # A daemon: should its work hang, in a read say, the process can still end.
            target=self._work_apart,
            args=(task,),
            name=self.objectName(),
            daemon=True,
        )
        self._threads.append(thread)
        thread.start()

    def _go_on(self, seconds: float) -> None:
        """Work for so long; then the window has its turn."""
        task, end = self._current, time.perf_counter() + seconds
        if task is None:
            return
        news = task.next()
        while not news.over and news.value is not None and time.perf_counter() < end:
            news = task.next()
        if not news.over:
            # Before `_take`: its listeners may cancel, which has to find the timer running to stop
            # it.
            self._timer.start(PAUSE_MS if news.value is None else 0)
        self._take(task, news)

    def _work_apart(self, task: _Task) -> None:
        # A generator that runs cannot be closed from elsewhere (ValueError): this thread closes its
        # own.
        news = _News(None)
        while not news.over and not task.stop.is_set():
            news = task.next()
            with suppress(RuntimeError):  # the window was deleted meanwhile
                self._came.emit(task, news)
        task.work.close()

    def _take(self, task: _Task, news: _News) -> None:
        """Forward progress, result or error of the current work; drop those of any other."""
        # From a thread, this may have been queued before the work was given up.
        if task is not self._current:
            return
        if not news.over:
            if news.value is not None:
                self.advanced.emit(news.value)
            return
        self._current = None
        self.ended.emit()
        if news.problem:
            self.failed.emit(news.problem)
        else:
            self.done.emit(news.value)
        # A listener of `done` may have started other work, which then goes before what waits.
        if self._current is None and self._waiting:
            self._begin(self._waiting.pop())


def close_all(owner: QObject) -> None:
    """End all work of an object and of what is in it: no thread, timer or file of it is left."""
    for runner in owner.findChildren(Runner):
        runner.close()
