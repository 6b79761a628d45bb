"""Programs of `ssh` that run to their end, and ports of a host that lead here."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable

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
LIFELINE = "exec cat >/dev/null"
"""Ends, and with it ssh, when this process ends, because its standard input closes then."""
_ALLOCATED = re.compile(r"Allocated port (\d+) for remote forward")


class RemoteError(OSError):
    """A host cannot be reached, or a program there has failed."""


def run_there(host: str, script: str, data: bytes) -> str:
    """Run a script of `sh` on a host with `data` as its standard input, and return its output.

    `host` must be checked (core.process.ssh). Raises RemoteError with the last line of its standard
    error if it fails.
    """
    try:
        done = subprocess.run(ssh_words(host, script), input=data, capture_output=True)
    except OSError as error:
        raise RemoteError(_not_started(host, error)) from error
    if done.returncode:
        raise RemoteError(_failed(host, done.returncode, done.stderr))
    return done.stdout.decode(errors="replace")


class Forward:
    """A port of a host, on its loopback interface, whose connections arrive at a port here.

    It lasts until `close`, or until the connection to the host ends: then `on_end` is called with a
    sentence, on another thread. `host` must be checked (core.process.ssh). Raises RemoteError.
    """

    def __init__(self, host: str, port: int, on_end: Callable[[Message], None]) -> None:
        self._host, self._on_end = host, on_end
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
        self.port = self._wait_for_port()
        """The port on the host."""
        self._thread = threading.Thread(target=self._watch, daemon=True, name=f"{host} forward")
        self._thread.start()

    def close(self) -> None:
        """End the forwarding, and wait for the end of ssh."""
        self._is_closed = True
        self._process.kill()
        self._thread.join(CLOSE_SECONDS)

    def _wait_for_port(self) -> int:
        assert self._process.stderr is not None
        lines: list[bytes] = []
        for line in self._process.stderr:
            found = _ALLOCATED.search(line.decode(errors="replace"))
            if found is not None:
                return int(found[1])
            lines.append(line)
        code = self._process.wait()
        self._close_pipes()
        raise RemoteError(_failed(self._host, code, b"".join(lines)))

    def _watch(self) -> None:
        assert self._process.stderr is not None
        for _ in self._process.stderr:  # it must be read, or ssh would wait
            pass
        self._process.wait()
        self._close_pipes()
        if not self._is_closed:
            self._on_end(message("the machine {host} is no longer connected", host=self._host))

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stderr):
            if pipe is not None:
                pipe.close()


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
