"""Runs programs: an installed Python module that ends with this process, or any command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from core.process.child import LIFELINE, environment

END_SECONDS = 5.0
Running = subprocess.Popen[bytes]


def start(words: Sequence[str], variables: Mapping[str, str]) -> Running:
    """Start a command in this process's terminal and group, with these environment variables alone.

    Raises OSError if it cannot be run.
    """
    return subprocess.Popen(words, env=variables)


def run_module(
    words: Sequence[str],
    lifeline: str,
    variables: Mapping[str, str],
    listener: Callable[[str], None],
) -> int:
    """Run a module with its arguments until it ends; returns its status, negative for a signal.

    `listener` gets each line that it prints, on another thread. At the path `lifeline` is a named
    pipe meanwhile: what the program starts finds there whether this process still lives. Raises
    KeyboardInterrupt on Ctrl+C, once the program has ended.
    """
    with _named_pipe(lifeline) as pipe:
        process = subprocess.Popen(
            # -P: a folder of the user's may hold a `core` of its own.
            [sys.executable, "-P", "-m", LIFELINE, str(pipe), *words],
            pass_fds=[pipe],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**environment(), "PYTHONSAFEPATH": "1", **variables},
            process_group=0,  # Ctrl+C is for this process, which ends the others
        )
        # All it prints is read at once: a pipe that is full would stop it.
        reader = threading.Thread(target=_read, args=(process, listener), daemon=True)
        reader.start()
        try:
            code = process.wait()
        # Ctrl+C comes to this process alone (process_group above), so the
        # program must be asked to end.
        except BaseException:
            _end(process)
            raise
        # Something that the program has left behind may hold its output open.
        reader.join(END_SECONDS)
    return code


def _read(process: subprocess.Popen[str], listener: Callable[[str], None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        listener(line)


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
    """A named pipe that is closed when this process ends; its read end."""
    os.mkfifo(path)
    # In this order: opening a named pipe waits for its other end, but for reading it need not.
    read = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write = os.open(path, os.O_WRONLY)
    try:
        yield read
    finally:
        os.close(write)
        os.close(read)
