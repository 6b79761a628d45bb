"""A worker computes what it is given, says when it dies, and ends with its parent."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from core.process import worker as process_worker
from core.process.child import environment
from core.process.worker import Worker, report
from tests.hostile_folder import fill_with_modules, ran_modules
from tests.processes import is_alive, wait_gone

SECONDS = 30

pytestmark = pytest.mark.starts_processes


def count_to(end: int) -> int:
    """Report every number below `end`."""
    for number in range(end):
        report(number)
    return end


def leave_nothing(path: str) -> None:
    """Write a file and wait for ever; it is gone if the process is asked to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Path(path).touch()
    try:
        report("written")
        # Not one long sleep: a signal that arrives just before it would end only with it.
        while True:
            time.sleep(0.01)
    finally:
        Path(path).unlink()


def loaded(names: list[str]) -> list[str]:
    """The modules of `names` that this process has imported."""
    return [name for name in names if name in sys.modules]


def search_path() -> list[str]:
    """Return the search path of this process's modules."""
    return sys.path


def stuck(path: str) -> None:
    """One native call of many seconds that never lets go of the interpreter's lock."""
    Path(path).touch()
    sum(range(10**11))


@pytest.fixture
def worker():
    """A worker, and what it told."""
    told = []
    made = Worker(told.append, lambda: told.append("gone"))
    yield made, told
    made.close()


def test_all_that_a_call_reports_is_told_before_its_future_calls_back(worker):
    made, told = worker
    seen = []
    future = made.submit(count_to, 1000)
    future.add_done_callback(lambda _: seen.append(len(told)))
    assert future.result(SECONDS) == 1000
    made.submit(os.getpid).result(SECONDS)
    assert seen == [1000] and told == list(range(1000))


def test_a_call_that_hears_sigterm_ends_by_itself(worker, tmp_path):
    made, told = worker
    future = made.submit(leave_nothing, str(tmp_path / "half"))
    while not told:
        time.sleep(0.001)
    made.terminate()
    assert isinstance(future.exception(SECONDS), SystemExit)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_has_not_come_up_is_ended_at_once(worker, tmp_path):
    made, _ = worker
    future = made.submit(leave_nothing, str(tmp_path / "half"))
    made.terminate()
    assert isinstance(future.exception(SECONDS), BrokenExecutor)
    assert list(tmp_path.iterdir()) == []


def test_what_a_call_raises_its_future_raises_and_the_next_call_is_done(worker):
    made, _ = worker
    with pytest.raises(ZeroDivisionError):
        made.submit(divmod, 1, 0).result(SECONDS)
    assert made.submit(divmod, 7, 2).result(SECONDS) == (3, 1)


def test_a_worker_imports_neither_qt_nor_torch(worker):
    made, _ = worker
    assert made.submit(loaded, ["PySide6", "torch", "core"]).result(SECONDS) == ["core"]


def test_a_worker_that_is_killed_while_it_rests_is_told_once(worker):
    made, told = worker
    pid = made.submit(os.getpid).result(SECONDS)
    assert pid == made.pid
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + SECONDS
    while not told and time.monotonic() < deadline:
        time.sleep(0.005)
    assert told == ["gone"] and made.is_over
    with pytest.raises(BrokenExecutor):
        made.submit(os.getpid).result(SECONDS)


@pytest.mark.alone
def test_closing_ends_a_native_call_at_once_and_tells_nobody(worker, tmp_path):
    made, told = worker
    future = made.submit(stuck, str(tmp_path / "stuck"))
    while not (tmp_path / "stuck").exists():
        time.sleep(0.005)
    began = time.monotonic()
    made.close()
    assert time.monotonic() - began < 2
    with pytest.raises(ProcessLookupError):
        os.kill(made.pid, 0)
    assert isinstance(future.exception(SECONDS), BrokenExecutor)
    assert told == []


@pytest.mark.alone
def test_closing_before_the_process_has_come_up_waits_for_nothing():
    before = set(threading.enumerate())
    began = time.monotonic()
    made = Worker()
    started = time.monotonic()
    made.close()
    assert not is_alive(made.pid)
    assert started - began < 1 and time.monotonic() - started < 1
    assert set(threading.enumerate()) <= before


PARENT = """
import sys, time
from core.process.worker import Worker
from tests.core.process.test_worker import stuck
if __name__ == "__main__":
    worker = Worker()
    worker.submit(stuck, sys.argv[1])
    print(worker.pid, flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("started", ["as a file", "by -c"])
def test_a_worker_ends_with_its_parent_even_inside_native_code(tmp_path, started):
    (tmp_path / "parent.py").write_text(PARENT)
    program = [str(tmp_path / "parent.py")] if started == "as a file" else ["-c", PARENT]
    with subprocess.Popen(
        [sys.executable, *program, str(tmp_path / "stuck")], stdout=subprocess.PIPE, text=True,
        cwd=tmp_path, env=environment(),
    ) as parent:  # fmt: skip
        pid = int(parent.stdout.readline())
        while not (tmp_path / "stuck").exists():
            time.sleep(0.005)
        parent.kill()
        wait_gone([pid])


def test_ctrl_c_is_left_to_the_parent(worker):
    made, told = worker
    os.kill(made.pid, signal.SIGINT)
    assert made.submit(os.getpgid, 0).result(SECONDS) == made.pid
    os.kill(made.pid, signal.SIGINT)
    assert made.submit(divmod, 7, 2).result(SECONDS) == (3, 1)
    assert told == []


def half_a_result():
    """Begin to write a result, and be killed, as a closing window does it."""
    wire = process_worker._wire
    wire.write(pickle.dumps(b"x" * 1000)[:500])
    wire.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_while_it_writes_a_result_is_known_to_be_gone():
    over = threading.Event()
    worker = Worker(on_exit=over.set)
    with pytest.raises(BrokenExecutor):
        worker.submit(half_a_result).result(20)
    assert over.wait(20)
    worker.close()


@pytest.mark.alone
def test_a_long_argument_does_not_make_the_caller_wait(worker, tmp_path):
    made, _ = worker
    busy = made.submit(time.sleep, 1.0)
    began = time.monotonic()
    length = made.submit(len, b"x" * (8 << 20))
    assert time.monotonic() - began < 0.5
    assert not busy.done()
    assert length.result(SECONDS) == 8 << 20


def test_what_cannot_be_sent_is_raised_by_the_future_alone(worker):
    made, _ = worker
    with pytest.raises(TypeError, match="cannot pickle"):
        made.submit(len, threading.Lock()).result(SECONDS)
    with pytest.raises(RuntimeError, match="TypeError: cannot pickle"):
        made.submit(threading.Lock).result(SECONDS)
    assert made.submit(divmod, 7, 2).result(SECONDS) == (3, 1)


def test_a_worker_runs_no_module_of_the_current_folder(tmp_path, monkeypatch):
    fill_with_modules(tmp_path)
    monkeypatch.chdir(tmp_path)
    # An empty part of it means the current folder, and is left behind by `PYTHONPATH=$UNSET:/lib`.
    monkeypatch.setenv("PYTHONPATH", f":{os.environ.get('PYTHONPATH', '')}:")
    made = Worker()
    try:
        path = made.submit(search_path).result(SECONDS)
    finally:
        made.close()
    assert ran_modules(tmp_path) == ""
    assert str(tmp_path) not in path and "" not in path
