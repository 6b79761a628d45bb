"""Ctrl+C and SIGTERM, whatever a command is doing."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT
from tests.make_believe import record, specification
from tests.processes import family

pytest.importorskip("torch")

INTERRUPTED = 130
COSTS = '{"forward_ms": 1, "backward_ms": 1, "step_ms": 1, "transfer_ms": 1}'
FOREVER = """
import os, torch
def build():
    os.close(os.open("fifo", os.O_RDONLY))
    while True:
        pass
def batch(rows, generator):
    return torch.zeros(rows, 2), torch.zeros(rows, 2)
"""
TWO = "--devices 2xcpu"
WAITING = [
    ("export fifo --image x.svg", signal.SIGINT),
    ("export fifo --report x.html", signal.SIGTERM),
    ("compare fifo fifo", signal.SIGINT),
    (f"predict --costs fifo.json {TWO}", signal.SIGTERM),
    (f"plan --model mine.py {TWO}", signal.SIGINT),
    (f"calibrate --model mine.py {TWO} --costs made.json", signal.SIGTERM),
]
"""Commands that read a pipe in which nothing comes, or whose model never ends."""


@contextmanager
def started(folder, command):
    """`main.py` with the words of a command, in a group of its own, which is gone in the end."""
    process = subprocess.Popen(
        [sys.executable, str(PROJECT_ROOT / "main.py"), *command.split()],
        cwd=folder, start_new_session=True, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def eventually(happened):
    until = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_query_that_takes_hours_to_read_ends_with_one_line(tmp_path):
    record(specification(steps=1), tmp_path / "own.arrow")
    command = f"sql own.arrow SELECT{'(' * 20_000}1"
    with started(tmp_path, command) as process:
        eventually(lambda: is_reading(process.pid))
        time.sleep(3)  # DuckDB has been imported by now
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert said == "bubblescope: interrupted\n"


def is_reading(pid):
    """Return True if a process has loaded DuckDB, itself or in a child."""
    with contextlib.suppress(FileNotFoundError):
        return any("duckdb" in Path(f"/proc/{one}/maps").read_text() for one in family(pid))
    return False


@pytest.mark.parametrize(("command", "number"), WAITING)
def test_a_command_that_would_never_end_ends_with_one_line(tmp_path, command, number):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "fifo.json").symlink_to("fifo")
    (tmp_path / "mine.py").write_text(FOREVER)
    before = sorted(os.listdir(tmp_path))
    with started(tmp_path, command) as process:
        waiting = os.open(tmp_path / "fifo", os.O_WRONLY)  # once the command reads it
        os.killpg(process.pid, number)
        os.killpg(process.pid, number)
        _, said = process.communicate(timeout=20)
        os.close(waiting)
    assert said.count("\n") <= 1 and "Traceback" not in said, said
    assert process.returncode in (INTERRUPTED, -number)  # the second one came behind the end
    assert sorted(set(os.listdir(tmp_path)) - {"__pycache__"}) == before


def test_a_question_to_the_engine_ends_with_one_line(tmp_path):
    with started(tmp_path, "devices") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        eventually(lambda: children.read_text())
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=20)[1] == "bubblescope: interrupted\n"
    assert process.returncode == INTERRUPTED


@pytest.mark.parametrize("library", ["_multiarray_umath", "libQt6Core"])
def test_a_signal_while_libraries_load_ends_a_command_without_a_traceback(tmp_path, library):
    (tmp_path / "run.json").write_text('[{"ph": "X", "ts": 1, "dur": 2, "name": "a"}]')
    with started(tmp_path, "export run.json --report x.html") as process:
        maps = Path(f"/proc/{process.pid}/maps")
        eventually(lambda: library in maps.read_text())
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert said in ("", "bubblescope: interrupted\n")
    assert process.returncode in (INTERRUPTED, -signal.SIGINT)


STUBBORN = """
import time
from bubblescope.api import interrupts
interrupts.UNWIND_SECONDS = interrupts.END_SECONDS = 0.3
with interrupts.ending_when_asked():
    while True:
        try:
            print("there", flush=True)
            while True:  # a signal just before one long sleep would end only with it
                time.sleep(0.01)
        except KeyboardInterrupt:
            print("caught", flush=True)
"""


def test_a_command_that_catches_every_interrupt_is_ended():
    process = subprocess.Popen(
        [sys.executable, "-c", STUBBORN], cwd=PROJECT_ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == "there\n"
    process.send_signal(signal.SIGTERM)
    out, said = process.communicate(timeout=20)
    assert out == "caught\nthere\n" * 2
    assert (process.returncode, said) == (
        INTERRUPTED,
        "bubblescope: did not end in time and was stopped\n",
    )


def test_the_handlers_that_were_there_are_there_again():
    from bubblescope.api.interrupts import ending_when_asked

    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(KeyboardInterrupt), ending_when_asked():
        signal.raise_signal(signal.SIGTERM)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
