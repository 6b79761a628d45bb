"""Starts the engine on another machine, and checks the first line that it sends.

`ssh` starts `bubblescope engine` (core.engine.relay) there. On its standard output it sends a line
with its versions, and then the wire. It reads commands from its standard input, and ends when that
closes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from core.engine.messages import WIRE, EngineMessage, Unusable, receive
from core.message import Message, message
from core.plain import plain
from core.plan.devices import Hardware
from core.process.child import Started
from core.process.ssh import SSH, SSH_FAILED, ssh_words
from core.process.starts import ProgramStart
from core.trace.header import Header
from core.version import VERSION

GREETING = b"bubblescope-engine "
"""Start of the line before the wire; the rest is JSON. A login shell may print lines before it."""
MOST_BEFORE = 1 << 16
"""Bytes that may precede the greeting."""
FOLDER = ".local/share/bubblescope"
"""Folder of `bubblescope push` in the home folder there."""
PUSHED = f"$HOME/{FOLDER}/venv/bin/bubblescope"
SCRIPT = "; ".join(
    (
        f'if [ -x "{PUSHED}" ]',
        f'then exec "{PUSHED}" engine',
        "elif command -v bubblescope >/dev/null",
        "then exec bubblescope engine",
        f'else echo "{GREETING.decode()}{{}}"',
        "fi",
    )
)
"""Starts the pushed Bubblescope, or else the one on the PATH; an empty greeting means neither."""


def greeting() -> bytes:
    """Return the line that precedes the wire."""
    return GREETING + json.dumps({"version": VERSION, "wire": WIRE}).encode() + b"\n"


class RemoteStart:
    """Starts the engine on a host. Used for one connection.

    `host` must be checked (core.process.ssh.checked_host).
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self._program = ProgramStart(ssh_words(host, SCRIPT))
        self._is_greeted = False

    @property
    def name(self) -> str:
        """Name of the host."""
        return self.host

    def begin(self) -> Started:
        """Start ssh. Raises OSError if that is impossible."""
        try:
            return self._program.begin()
        except FileNotFoundError as error:
            raise OSError(
                message("--on {host}: this machine has no {program}", host=self.host, program=SSH)
            ) from error

    def receive(self, file: BinaryIO) -> Iterator[EngineMessage]:
        """Yield the engine's messages, or an Unusable with the reason.

        The name of the host is added to the hardware and to the header of a run. The run's origin
        is set to the header's time of arrival, because the two machines' clocks have no common
        zero.
        """
        found = _read_greeting(file)
        if found is None:
            return
        problem = _mismatch(self.host, found)
        if problem is not None:
            yield Unusable(problem)
            return
        self._is_greeted = True
        self._program.pass_on()
        for received in receive(file):
            if isinstance(received, Header):
                hardware = {**received.hardware, "host": self.host}
                now = time.perf_counter_ns()
                received = replace(received, hardware=hardware, origin_ns=now)
            elif isinstance(received, Hardware):
                received = replace(received, host=self.host)
            yield received

    def end_text(self, code: int) -> Message:
        """Describe the end of the connection by ssh's return code; the machine is the subject."""
        if self._is_greeted and code != SSH_FAILED:
            self._program.pass_rest_on()  # it is the model's output
            return message("is no longer connected")
        line = plain(self._program.last_line())
        if self._is_greeted and line:
            return message("is no longer connected: {reason}", reason=line)
        if self._is_greeted:
            return message("is no longer connected")
        if code == SSH_FAILED:
            reason = line or message("ssh could not connect")
            return message("cannot be reached: {reason}", reason=reason)
        return message(
            "did not start Bubblescope ({reason}); `bubblescope push {host}` installs it",
            host=self.host,
            reason=line or self._program.end_text(code),
        )


@dataclass(frozen=True, slots=True)
class _Greeting:
    """Versions of the package and the wire on a host; None if Bubblescope is not installed."""

    version: str | None
    wire: int | None


def _read_greeting(file: BinaryIO) -> _Greeting | None:
    """Return the greeting; None if it is not within the first MOST_BEFORE bytes."""
    left = MOST_BEFORE
    while left > 0:
        line = file.readline(left)
        if not line:
            return None
        left -= len(line)
        if line.startswith(GREETING):
            return _parse_greeting(line.removeprefix(GREETING))
    return None


def _parse_greeting(text: bytes) -> _Greeting:
    values: dict[str, Any] = json.loads(text)
    return _Greeting(values.get("version"), values.get("wire"))


def _mismatch(host: str, found: _Greeting) -> Message | None:
    """Return the reason against using an engine, with a remedy; None if its versions match."""
    if found.version is None:
        return message(
            "the machine {host} has no Bubblescope: `bubblescope push {host}` installs it",
            host=host,
        )
    if found.version != VERSION:
        return message(
            "the machine {host} has Bubblescope {theirs:.40}, this machine has {ours}: "
            "`bubblescope push {host}` installs {ours} there",
            host=host,
            theirs=plain(found.version),
            ours=VERSION,
        )
    if found.wire != WIRE:
        return message(
            "the machine {host} has another build of Bubblescope {version}, with wire "
            "{theirs:.20} and not {ours}: `bubblescope push {host}` installs this one there",
            host=host,
            version=VERSION,
            theirs=str(found.wire),
            ours=WIRE,
        )
    return None
