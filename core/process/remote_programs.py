"""Runs programs on a host through `ssh`, and forwards ports of a host to this machine."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from io import FileIO

from core.message import Message, message
from core.plain import plain
from core.process.child import CLOSE_SECONDS
from core.process.ssh import SSH_FAILED, ssh_words

LOOPBACK = "127.0.0.1"
FORWARDING = (
    "-oExitOnForwardFailure=yes",
    "-oLogLevel=INFO",  # the allocated port is printed at this level
    "-oControlPath=none",  # a shared connection would print the port elsewhere
)
MOST_LINES = 20
"""Number of last lines of ssh's standard error that are kept."""
LIFELINE = "exec cat >/dev/null"
"""Command that ends, and ssh with it, when this process ends and its standard input closes."""
_ALLOCATED = re.compile(r"Allocated port (\d+) for remote forward")


class RemoteError(OSError):
    """A host cannot be reached, or a program there has failed."""


def run_there(host: str, script: str, data: bytes) -> str:
    """Run a script of `sh` on a host and return its output.

    The script gets `data` on its standard input, which stays open until the script or this process
    ends. `host` must be checked (core.process.ssh). Raises RemoteError with the last line of
    standard error if the script or ssh fails.
    """
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb", buffering=0) as standard_input:
        try:
            process = subprocess.Popen(
                ssh_words(host, script),
                stdin=read_end,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,  # only this process gets Ctrl+C, and ends ssh
            )
        except OSError as error:
            raise RemoteError(_not_started(host, error)) from error
        finally:
            os.close(read_end)
        writer = threading.Thread(target=_write, args=(standard_input, data), daemon=True)
        writer.start()
        try:
            output, errors = process.communicate()
        finally:
            process.kill()
            process.wait()
            writer.join()
    if process.returncode:
        raise RemoteError(_failed(host, process.returncode, errors))
    return output.decode(errors="replace")


def _write(file: FileIO, data: bytes) -> None:
    """Write all data; stop if the reader closes."""
    left = memoryview(data)
    with suppress(OSError):
        while left:
            left = left[file.write(left) :]


class Forward:
    """A port of a host, on its loopback interface, whose connections arrive at a port here.

    It lasts until `close`, or until the connection to the host ends. On another thread `listener`
    is called with the port there once it is open and, unless it was closed, with a sentence about
    the end. `host` must be checked (core.process.ssh). Raises RemoteError if ssh cannot be started.
    """

    def __init__(self, host: str, port: int, listener: Callable[[int | Message], None]) -> None:
        self._host = host
        self._listener = listener
        self._is_closed = False
        leading_here = f"-R{LOOPBACK}:0:{LOOPBACK}:{port}"
        options = (*FORWARDING, leading_here)
        try:
            self._process = subprocess.Popen(
                ssh_words(host, LIFELINE, options),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                process_group=0,  # only this process gets Ctrl+C
            )
        except OSError as error:
            raise RemoteError(_not_started(host, error)) from error
        self._thread = threading.Thread(target=self._watch, daemon=True, name=f"{host} forward")
        self._thread.start()

    def close(self) -> None:
        """End the forwarding, and wait for the end of ssh."""
        self._is_closed = True
        self._process.kill()
        self._thread.join(CLOSE_SECONDS)

    def _watch(self) -> None:
        """Report the port and the end of the connection."""
        assert self._process.stderr is not None
        is_open = False
        last: deque[bytes] = deque(maxlen=MOST_LINES)
        for line in self._process.stderr:  # read to its end, or ssh would block
            last.append(line)
            found = _ALLOCATED.search(line.decode(errors="replace"))
            if found is not None and not is_open:
                is_open = True
                self._listener(int(found[1]))
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stderr):
            if pipe is not None:
                pipe.close()
        if self._is_closed:
            return
        if is_open:
            self._listener(message("the machine {host} is no longer connected", host=self._host))
        else:
            self._listener(_failed(self._host, code, b"".join(last)))


def _not_started(host: str, error: OSError) -> Message:
    return message("{host}: ssh cannot be started: {reason}", host=host, reason=error.strerror)


def _failed(host: str, code: int, errors: bytes) -> Message:
    """Describe a failure of ssh or of its program by the last line of its standard error."""
    lines = [line.strip() for line in errors.decode(errors="replace").splitlines()]
    last = next((plain(line) for line in reversed(lines) if line), "")
    reason = last or message("it ended with status {code}", code=code)
    if code == SSH_FAILED:
        return message("the machine {host} cannot be reached: {reason}", host=host, reason=reason)
    return message("the machine {host}: {reason}", host=host, reason=reason)
