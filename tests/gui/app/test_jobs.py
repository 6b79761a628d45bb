"""Background work: one piece at a time, signals in the window's thread, no threads left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from gui.app import jobs
from gui.app.jobs import Runner, Work, close_all


@pytest.fixture
def owner(qapp: object) -> QObject:
    return QObject()


@pytest.fixture
def runner(owner: QObject, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    """Return a runner whose slices end with every yield."""
    monkeypatch.setattr(jobs, "SLICE_S", 0.0)
    made = Runner(owner, "testing")
    yield made
    made.close()


@pytest.fixture
def signals(runner: Runner) -> list[object]:
    """Collect the runner's signals, and check that they are emitted in the window's thread."""
    found: list[object] = []

    def note(name: str, *given: object) -> None:
        assert threading.current_thread() is threading.main_thread()
        found.append((name, *given))

    for name in ("advanced", "ended", "done", "failed"):
        getattr(runner, name).connect(partial(note, name))
    return found


def counted(count: int, closed: list[str]) -> Work[str]:
    """Work of `count` parts that notes when it is closed or finished."""
    try:
        for number in range(count):
            yield number / count
        return "result"
    finally:
        closed.append("closed")


def broken() -> Work[None]:
    yield 0.5
    raise ZeroDivisionError("put in on purpose")


def work_at_a_gate(gate: threading.Event, begun: Callable[[], object], name: str) -> Work[str]:
    """Return work that stays in the middle of a part until the gate opens."""
    begun()
    gate.wait(30)
    yield 0.5
    return name


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "testing"]


@pytest.mark.parametrize("thread", [False, True])
def test_work_reports_its_progress_and_then_its_result(
    runner: Runner, signals: list[object], qtbot: QtBot, thread: bool
) -> None:
    closed: list[str] = []
    runner.start(counted(3, closed), thread=thread)
    assert runner.running
    qtbot.waitUntil(lambda: not runner.running)
    shares = [("advanced", share) for share in (0.0, 1 / 3, 2 / 3)]
    qtbot.waitUntil(lambda: signals == [*shares, ("ended",), ("done", "result")])
    assert closed == ["closed"]


@pytest.mark.parametrize("thread", [False, True])
def test_failed_work_is_reported_in_one_line(
    runner: Runner, signals: list[object], qtbot: QtBot, thread: bool
) -> None:
    runner.start(broken(), thread=thread)
    qtbot.waitUntil(lambda: not runner.running)
    line = "This could not be done: ZeroDivisionError: put in on purpose"
    assert signals == [("advanced", 0.5), ("ended",), ("failed", line)]


def test_short_work_ends_at_once(runner: Runner, signals: list[object]) -> None:
    runner.start(counted(3, []), at_once_s=30)
    assert signals == [("ended",), ("done", "result")] and not runner.running


def test_the_window_handles_events_between_slices(runner: Runner, qtbot: QtBot) -> None:
    turns: list[float] = []
    timer = QTimer(interval=0)
    timer.timeout.connect(lambda: turns.append(0.0))
    timer.start()
    runner.start(counted(20, []))
    qtbot.waitUntil(lambda: not runner.running)
    timer.stop()
    assert len(turns) > 5


def test_waiting_work_is_resumed_and_reports_nothing_meanwhile(
    runner: Runner, signals: list[object], qtbot: QtBot
) -> None:
    there: list[str] = []

    def waiting() -> Work[str]:
        while not there:
            yield None
        return there[0]

    runner.start(waiting(), at_once_s=30)
    assert signals == [] and runner.running
    there.append("it came")
    qtbot.waitUntil(lambda: signals == [("ended",), ("done", "it came")])


def test_cancelled_work_is_closed_at_its_yield_and_reports_no_more(
    runner: Runner, signals: list[object], qtbot: QtBot
) -> None:
    closed: list[str] = []
    runner.start(counted(3, closed))
    runner.cancel()
    assert closed == ["closed"] and not runner.running
    qtbot.wait(20)
    assert signals == [("advanced", 0.0), ("ended",)]
    runner.cancel()
    assert len(signals) == 2, "there was nothing to end"


def test_late_messages_of_a_cancelled_thread_are_dropped(
    runner: Runner, signals: list[object], qtbot: QtBot
) -> None:
    gate, begun = threading.Event(), threading.Event()
    runner.start(work_at_a_gate(gate, begun.set, "old"), thread=True)
    assert begun.wait(30)
    stop = threading.Event()
    runner.start(work_at_a_gate(stop, gate.set, "new"), thread=True, stop=stop)
    gate.set()
    runner.cancel()
    signals.clear()
    opened = threading.Event()
    opened.set()
    runner.start(work_at_a_gate(opened, lambda: None, "newest"), thread=True)
    qtbot.waitUntil(lambda: not runner.running)
    assert signals == [("advanced", 0.5), ("ended",), ("done", "newest")]


def test_cancelling_work_on_a_thread_sets_its_stop_event(runner: Runner) -> None:
    stop, begun = threading.Event(), threading.Event()
    runner.start(work_at_a_gate(stop, begun.set, "called"), thread=True, stop=stop)
    assert begun.wait(30) and not stop.is_set()
    runner.close()
    assert stop.is_set() and not threads()


def test_added_work_waits_and_the_latest_is_done_first(
    runner: Runner, signals: list[object], qtbot: QtBot
) -> None:
    gate, begun = threading.Event(), list[str]()
    for name in "abc":
        runner.add(work_at_a_gate(gate, partial(begun.append, name), name), thread=True)
    qtbot.waitUntil(lambda: begun == ["a"])
    gate.set()
    qtbot.waitUntil(lambda: signals[-1:] == [("done", "b")])
    assert begun == ["a", "c", "b"]
    assert [one for one in signals if one[0] == "done"] == [("done", name) for name in "acb"]


def test_closing_an_owner_ends_all_work_in_it(owner: QObject, runner: Runner) -> None:
    deeper = QObject(owner)
    other, closed, begun = Runner(deeper, "testing"), list[str](), threading.Event()
    stop = threading.Event()
    other.start(work_at_a_gate(stop, begun.set, "thread"), thread=True, stop=stop)
    runner.start(counted(3, closed))
    assert begun.wait(30)
    close_all(owner)
    assert not threads() and closed == ["closed"]
    assert not any(timer.isActive() for timer in owner.findChildren(QTimer))


def test_a_thread_may_outlive_the_window(qtbot: QtBot) -> None:
    owner, gate, begun = QObject(), threading.Event(), threading.Event()
    Runner(owner, "testing").start(work_at_a_gate(gate, begun.set, "late"), thread=True)
    assert begun.wait(30)
    with suppress(RuntimeError):
        owner.deleteLater()
    qtbot.wait(10)
    del owner
    gate.set()
    qtbot.waitUntil(lambda: not threads())


def test_jobs_that_are_added_together_are_done_in_order(runner: Runner, qtbot: QtBot) -> None:
    begun: list[str] = []
    gate = threading.Event()
    runner.add(
        *(work_at_a_gate(gate, partial(begun.append, name), name) for name in "abcd"), thread=True
    )
    runner.add()
    gate.set()
    qtbot.waitUntil(lambda: begun == list("abcd"))
