"""Training jobs of one's own: `record` runs one that records itself, `listen` takes its stream."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from core.paths import PROJECT_ROOT
from core.recorder.wire import is_address
from core.recording.listener import Files, Listener

SITE = PROJECT_ROOT / "core" / "recorder" / "site"
"""Where Python finds the sitecustomize that begins to record; the recorder is not imported
here, since it needs torch."""


def record(given: argparse.Namespace) -> NoReturn:
    """Become the command that was given, with what makes it record in its environment.

    Raises ValueError if there is none, OSError if it cannot be run.
    """
    words = given.words[1:] if given.words[:1] == ["--"] else given.words
    if not words:
        raise ValueError("give the command that trains: bubblescope record -- torchrun train.py")
    if shutil.which(words[0]) is None:
        raise ValueError(f"{words[0]}: there is no such command")
    out = given.out if is_address(given.out) else str(Path(given.out).absolute())
    known = os.environ.get("PYTHONPATH")
    # Python imports a module `sitecustomize` at every start if it finds one: so each rank that
    # torchrun starts records itself, and the training script stays as it is.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SITE), *([known] if known else [])]),
        "BUBBLESCOPE_RECORD": out,
    }
    # Becomes the command: signals, exit status and terminal are its own, with no process between.
    os.execvpe(words[0], words, environment)


def listen(given: argparse.Namespace) -> None:
    """Take recordings until interrupted. Raises ValueError or OSError for an address that is none.

    It says on standard output where and with which token, and on standard error what arrives.
    """
    # From the right: an IPv6 address has colons itself, and brackets, which a socket does not take.
    host, _, port = given.address.rpartition(":")
    if not (host and port.isdecimal() and int(port) < 1 << 16):
        raise ValueError(f"{given.address}: give HOST:PORT, such as 127.0.0.1:0")

    def say(text: str) -> None:
        print(f"bubblescope: {text}", file=sys.stderr, flush=True)

    receive = Files(Path(given.out), say).receive
    with closing(Listener(host.strip("[]"), int(port), receive, say)) as listener:
        print(f"bubblescope record --out {listener.address} -- COMMAND", flush=True)
        # For ever: Ctrl+C raises here. The listener works on threads of its own.
        threading.Event().wait()
