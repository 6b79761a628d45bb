"""The commands `record`, which records a training job, and `listen`, which receives recordings."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import NoReturn

from bubblescope.api.interrupts import handling, holding_interrupts
from bubblescope.cli.hosts import host_of
from bubblescope.cli.parser import BAD_INPUT
from core.files import check_is_no_dash
from core.message import Message, Text
from core.paths import PROJECT_ROOT
from core.plain import plain, say
from core.process.program import Running, start_program
from core.process.remote_programs import LOOPBACK, Forward
from core.recorder.wire import Address, is_address, parse_address, record_command
from core.recording.handshakes import Refusals
from core.recording.listener import Listener
from core.recording.rank_folder import RankFolder

SITE = PROJECT_ROOT / "core" / "recorder" / "site"
"""Folder of the `sitecustomize` module that starts recording. The recorder itself needs torch, and
is not imported here."""
FROM_KEYS = (signal.SIGINT, signal.SIGQUIT)
"""Signals that a terminal sends to all processes in its foreground: Ctrl+C and Ctrl+\\."""
PASSED_ON = (
    *FROM_KEYS,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCONT,
)
"""Signals that `record` passes on to the job, such as a batch system's warning before the limit."""
FORWARDED = (LOOPBACK, "localhost", "0.0.0.0")
"""Addresses of `listen` that a forwarded port can reach."""


def record_job(given: argparse.Namespace) -> int:
    """Run a command in an environment that makes its ranks record themselves.

    Returns the command's exit status. If it succeeded but recorded nothing, prints that to standard
    error and returns BAD_INPUT. Raises ValueError for a missing command, an invalid address of a
    listener, or `-` as the folder; OSError if the command cannot be run.
    """
    check_is_no_dash("--out", given.out)
    words = given.words
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise ValueError("give the command that trains: bubblescope record -- torchrun train.py")
    if shutil.which(words[0]) is None:
        raise ValueError(f"{words[0]}: there is no such command")
    to_listener = is_address(given.out)
    if to_listener:
        out = listener_address("--out", given.out).with_token
    else:
        out = str(Path(given.out).absolute())
    # Python imports the module `sitecustomize` whenever it starts. So each rank that torchrun
    # starts records itself, without a change to the training script.
    paths = [str(SITE)]
    given_path = os.environ.get("PYTHONPATH")
    if given_path:
        paths.append(given_path)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "BUBBLESCOPE_RECORD": out,
    }
    before = _recordings(out)
    status = _run(words, environment)
    # A listener itself reports the recordings that it has received.
    if to_listener or _recordings(out) != before:
        return status
    say(
        f"bubblescope: nothing was recorded in {plain(given.out)}: no Python process of "
        f"{plain(words[0])} began a training step with torch",
        sys.stderr,
    )
    return status or BAD_INPUT


def listener_address(option: str, out: str) -> Address:
    """Return the address of a listener. Raises ValueError, naming the option, if it is invalid."""
    try:
        return parse_address(out)
    except ValueError as error:
        raise ValueError(f"{option} {error}") from error


def _recordings(folder: str) -> dict[Path, int]:
    """Return the modification time, in ns, of each rank's recording in a folder."""
    return {path: path.stat().st_mtime_ns for path in Path(folder).glob("rank-*.arrow")}


def _run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command and return its exit status: after a signal, 128 plus the signal's number.

    Signals are passed on, except for those that the terminal itself has sent to the command.
    """
    running: list[Running] = []
    early: list[int] = []

    def pass_on(number: int) -> None:
        if number in FROM_KEYS and _is_in_foreground():
            return
        if running:
            running[0].send_signal(number)
        else:  # the command is being started
            early.append(number)

    with handling(pass_on, PASSED_ON):
        running.append(start_program(words, environment))
        for number in early:
            running[0].send_signal(number)
        code = running[0].wait()
    return 128 - code if code < 0 else code


def _is_in_foreground() -> bool:
    """Return True if the keys of a terminal send signals to this process and its command.

    A signal's handler cannot tell who has sent it. So a signal of a key that another program sends
    to this process alone is not passed on in the foreground of a terminal.
    """
    try:
        with open("/dev/tty", "rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:  # this process has no terminal
        return False


def listen(given: argparse.Namespace) -> None:
    """Receive recordings until interrupted.

    Prints the command for the job to standard output, and arrivals to standard error. With `--on`,
    receives jobs of another machine, on which a forwarded port leads to this one. Raises ValueError
    or OSError for an invalid address or an unusable host, and ValueError for `-` as the folder.
    """
    check_is_no_dash("--out", given.out)
    remote = host_of(given)
    # rpartition, because an IPv6 address contains colons. Its brackets are removed for the socket.
    host, _, port = given.address.rpartition(":")
    where = f"--address {given.address}"
    if not (host and port.isdecimal() and len(port) <= 5 and int(port) < 1 << 16):
        raise ValueError(f"{where}: use HOST:PORT, a port from 0 to 65535, such as 127.0.0.1:0")
    if remote and host not in FORWARDED:
        raise ValueError(f"{where}: a port of {remote} leads to {LOOPBACK}; leave --address out")

    def report(text: Text) -> None:
        # The reader of standard error may have ended, which must not end a recording.
        with suppress(OSError):
            say(f"bubblescope: {text}", sys.stderr)

    folder = RankFolder(Path(given.out), report)
    refusals = Refusals(report)
    try:
        listener = Listener(host.strip("[]"), int(port), folder.receive, report, refusals)
    except (OSError, UnicodeError) as error:
        # An impossible host name raises UnicodeError, which has no `strerror`.
        reason = getattr(error, "strerror", None) or "that is not a host name"
        # Python adds details in brackets to some reasons.
        reason, _, _ = reason.partition(" (")
        raise OSError(
            f"{where}: {reason}; use an address of this machine and a port that is free, such as "
            "127.0.0.1:0, or 0.0.0.0:0 for all of its addresses"
        ) from error
    with closing(listener):
        try:
            if remote:
                _wait_for_jobs_of(remote, listener.where)
            print(f"{record_command(listener.where)} -- COMMAND", flush=True)
            # Wait for Ctrl+C, which raises here. The listener has its own threads.
            threading.Event().wait()
        finally:
            folder.end()


def _wait_for_jobs_of(host: str, where: Address) -> NoReturn:
    """Forward a port of a host to the listener until the connection ends, which raises OSError."""
    events: SimpleQueue[int | Message] = SimpleQueue()
    with ExitStack() as stack:
        with holding_interrupts():  # a half-started ssh could not be closed
            stack.enter_context(closing(Forward(host, where.port, events.put)))
        event = events.get()  # or Ctrl+C, which raises here
        if isinstance(event, int):
            address = replace(where, host=LOOPBACK, port=event)
            print(f"{record_command(address)} -- COMMAND", flush=True)
            event = events.get()
        raise OSError(event)
