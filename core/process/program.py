"""Runs programs: an installed Python module that ends with this process, or any command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from core.process.child import environment
from core.process.starts import LIFELINE

END_SECONDS = 5.0
POLL_SECONDS = 0.05
"""Time between two checks whether a program has ended by itself."""
Running = subprocess.Popen[bytes]


def start_program(words: Sequence[str], variables: Mapping[str, str]) -> Running:
    """Start a command in this process's terminal and group, with only these environment variables.

    Raises OSError if it cannot start.
    """
    return subprocess.Popen(words, env=variables)


def run_module(
    words: Sequence[str],
    lifeline: str,
    variables: Mapping[str, str],
    listener: Callable[[str], None],
    stop: threading.Event | None = None,
) -> int:
    """Run a module with arguments until it ends; returns its status, negative for a signal.

    It is asked to end when `stop` is set. `listener` gets each printed line, on another thread. A
    named pipe at the path `lifeline` lets the program's own children detect the end of this
    process. Raises KeyboardInterrupt on Ctrl+C, after the program has ended.
    """
    with _named_pipe(lifeline) as pipe:
        process = subprocess.Popen(
            # -P: the current folder may contain another `core`.
            [sys.executable, "-P", "-m", LIFELINE, str(pipe), *words],
            pass_fds=[pipe],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**environment(), "PYTHONSAFEPATH": "1", **variables},
            process_group=0,  # only this process gets Ctrl+C, and ends the others
        )
        # Read at once, because a full pipe would block the program.
        reader = threading.Thread(target=_read, args=(process, listener), daemon=True)
        reader.start()
        try:
            code = _wait(process, stop)
        # Only this process gets Ctrl+C (process_group above), so it must end the program.
        except BaseException:
            _end(process)
            raise
    # The pipe is closed now, so remaining child processes of the program end. Until then
    # they keep its output open.
    reader.join(END_SECONDS)
    return code


def _read(process: subprocess.Popen[str], listener: Callable[[str], None]) -> None:
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            listener(line)


def _wait(process: subprocess.Popen[str], stop: threading.Event | None) -> int:
    """Wait until a process ends, and end it if `stop` is set; return its status."""
    while stop is not None and process.poll() is None:
        if stop.wait(POLL_SECONDS):
            _end(process)
    return process.wait()


def _end(process: subprocess.Popen[str]) -> None:
    """Send SIGTERM, and SIGKILL after END_SECONDS."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _named_pipe(path: str) -> Iterator[int]:
    """Create a named pipe that closes when this process ends; yields its read end."""
    os.mkfifo(path)
    # In this order: opening for writing waits for a reader, and only reading has O_NONBLOCK.
    read = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write = os.open(path, os.O_WRONLY)
    try:
        yield read
    finally:
        os.close(write)
        os.close(read)
