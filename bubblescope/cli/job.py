"""Training jobs of one's own: `record` runs one that records itself, `listen` takes its stream."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from bubblescope.cli.arguments import BAD_INPUT
from bubblescope.cli.interrupts import handling
from core.paths import PROJECT_ROOT
from core.plain import plain, say
from core.process.program import Running, start
from core.recorder.wire import Address, is_address, parse_address, record_command
from core.recording.handshakes import Refusals
from core.recording.listener import Listener
from core.recording.rank_folder import RankFolder

SITE = PROJECT_ROOT / "core" / "recorder" / "site"
"""Where Python finds the sitecustomize that begins to record; the recorder is not imported
here, since it needs torch."""


def record(given: argparse.Namespace) -> int:
    """Run the command that was given, with what makes it record in its environment.

    Returns the command's exit status, and BAD_INPUT for a success that recorded nothing: that, and
    why, is said on standard error. Raises ValueError if there is no command or the listener's
    address is none, OSError if the command cannot be run.
    """
    words = given.words[1:] if given.words[:1] == ["--"] else given.words
    if not words:
        raise ValueError("give the command that trains: bubblescope record -- torchrun train.py")
    if shutil.which(words[0]) is None:
        raise ValueError(f"{words[0]}: there is no such command")
    to_listener = is_address(given.out)
    if to_listener:
        out = listener_address("--out", given.out).with_token
    else:
        out = str(Path(given.out).absolute())
    known = os.environ.get("PYTHONPATH")
    # Python imports a module `sitecustomize` at every start if it finds one: so each rank that
    # torchrun starts records itself, and the training script stays as it is.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SITE), *([known] if known else [])]),
        "BUBBLESCOPE_RECORD": out,
    }
    before = _recordings(out)
    status = _run(words, environment)
    # What a listener has taken it says itself.
    if to_listener or _recordings(out) != before:
        return status
    say(
        f"bubblescope: nothing was recorded in {plain(given.out)}: no Python process of "
        f"{plain(words[0])} began a training step with torch",
        sys.stderr,
    )
    return status or BAD_INPUT


def listener_address(option: str, out: str) -> Address:
    """Return the address of a listener. Raises ValueError, naming the option, if it is none."""
    try:
        return parse_address(out)
    except ValueError as error:
        raise ValueError(f"{option} {error}") from error


def _recordings(folder: str) -> dict[Path, int]:
    """When each rank's recording in a folder was last written to, in ns; empty without one."""
    return {path: path.stat().st_mtime_ns for path in Path(folder).glob("rank-*.arrow")}


def _run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command until it ends; its exit status as shells tell it: 128 and its signal's number.

    SIGTERM is passed on to it. Ctrl+C reaches it from the terminal, as it does this process.
    """
    running: list[Running] = []
    early: list[int] = []

    def pass_on(number: int) -> None:
        if number == signal.SIGTERM and not running:  # it is being started
            early.append(number)
        elif number == signal.SIGTERM:
            running[0].send_signal(number)

    with handling(pass_on):
        running.append(start(words, environment))
        for number in early:
            running[0].send_signal(number)
        code = running[0].wait()
    return 128 - code if code < 0 else code


def listen(given: argparse.Namespace) -> None:
    """Take recordings until interrupted. Raises ValueError or OSError for an address that is none.

    It says on standard output where and with which token, and on standard error what arrives.
    """
    # From the right: an IPv6 address has colons itself, and brackets, which a socket does not take.
    host, _, port = given.address.rpartition(":")
    if not (host and port.isdecimal() and int(port) < 1 << 16):
        raise ValueError(
            f"--address {given.address}: use HOST:PORT, a port from 0 to 65535, such as 127.0.0.1:0"
        )

    def tell(text: str) -> None:
        # Whoever read standard error may have gone; that must not end a recording.
        with suppress(OSError):
            say(f"bubblescope: {text}", sys.stderr)

    folder = RankFolder(Path(given.out), tell)
    try:
        begun = Listener(host.strip("[]"), int(port), folder.receive, tell, Refusals(tell))
    # A name that cannot be one of a host is a UnicodeError.
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "that is no name of a host"
        raise OSError(
            f"--address {given.address}: {why.partition(' (')[0]}; use an address of this machine "
            "and a port that is free, such as 127.0.0.1:0, or 0.0.0.0:0 for all of its addresses"
        ) from error
    with closing(begun) as listener:
        try:
            print(f"{record_command(listener.where)} -- COMMAND", flush=True)
            # For ever: Ctrl+C raises here. The listener works on threads of its own.
            threading.Event().wait()
        finally:
            folder.end()
