"""The ways in which a child is started: a module of this project here, or a program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

from core.message import Message
from core.process.child import Started, environment, exit_text

LIFELINE = "core.process.lifeline"
MOST_LINES = 20
"""Lines of a program's standard error that are kept."""


@dataclass(frozen=True, slots=True)
class ModuleStart:
    """Starts a module of this project, with `variables` set in its environment."""

    module: str
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the module."""
        return self.module

    def begin(self) -> Started:
        """Start the module with three pipes. Raises OSError if it cannot start."""
        with ExitStack() as given, ExitStack() as kept:
            #     wire      child writes   parent reads    messages
            #     commands  parent writes  child reads     one a line
            #     lifeline  parent holds   child watches   nothing is ever written
            wire, their_wire = os.pipe()
            their_commands, commands = os.pipe()
            their_lifeline, lifeline = os.pipe()
            theirs = (their_wire, their_commands, their_lifeline)
            for descriptor in (wire, commands, lifeline):
                kept.callback(os.close, descriptor)
            # Closed here once the child has them, or the wire would not end with the child.
            for descriptor in theirs:
                given.callback(os.close, descriptor)
            # -P: the current folder may hold modules of any name.
            words = [sys.executable, "-P", "-m", LIFELINE, str(their_lifeline), self.module]
            # A child inherits blocked signals, so SIGINT cannot end it before it ignores it
            # (lifeline.open_pipes).
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                process = subprocess.Popen(
                    [*words, str(their_wire), str(their_commands)],
                    pass_fds=theirs,
                    stdin=subprocess.DEVNULL,
                    env={**environment(), **self.variables},
                    process_group=0,  # only the parent gets Ctrl+C, and ends its children
                )
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            kept.pop_all()  # they belong to the caller now
        return Started(process, wire, commands, lifeline)

    def end_text(self, code: int) -> Message:
        """Describe the end of the process by its return code."""
        return exit_text(code)


class ProgramStart:
    """Starts a program whose standard output is the wire and whose standard input the commands.

    It must end when its standard input closes. Its standard error is kept in `lines`, the last
    ones, until `pass_on` is called, and goes to this process's standard error from then on.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._lock = threading.Lock()
        self._passes_on = False
        self._errors: threading.Thread | None = None
        self.lines: deque[bytes] = deque(maxlen=MOST_LINES)

    @property
    def name(self) -> str:
        """Name of the program."""
        return self._words[0]

    def begin(self) -> Started:
        """Start the program. Raises OSError if it cannot start."""
        with ExitStack() as given, ExitStack() as kept:
            wire, their_wire = os.pipe()
            their_commands, commands = os.pipe()
            errors, their_errors = os.pipe()
            for descriptor in (wire, commands, errors):
                kept.callback(os.close, descriptor)
            for descriptor in (their_wire, their_commands, their_errors):
                given.callback(os.close, descriptor)
            process = subprocess.Popen(
                self._words,
                stdin=their_commands,
                stdout=their_wire,
                stderr=their_errors,
                process_group=0,  # only this process gets Ctrl+C, and ends the program
            )
            kept.pop_all()
        self._errors = threading.Thread(
            target=self._read_errors, args=(errors,), daemon=True, name=f"{self.name} errors"
        )
        self._errors.start()
        return Started(process, wire, commands)

    def pass_on(self) -> None:
        """Pass the program's further standard error on, and forget what it has printed so far."""
        with self._lock:
            self._passes_on = True
            self.lines.clear()

    def last_line(self, seconds: float = 1.0) -> str:
        """Return the last line of the kept standard error, "" if there is none.

        Waits for the end of standard error for at most `seconds`: others may hold it open.
        """
        if self._errors is not None:
            self._errors.join(seconds)
        with self._lock:
            texts = [line.decode(errors="replace").strip() for line in self.lines]
        filled = [text for text in texts if text]
        return filled[-1] if filled else ""

    def end_text(self, code: int) -> Message:
        """Describe the end of the program by its return code."""
        return exit_text(code)

    def _read_errors(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as file:
            for line in file:
                with self._lock:
                    passes_on = self._passes_on
                    if not passes_on:
                        self.lines.append(line)
                if passes_on:
                    with suppress(OSError):  # nobody reads this process's standard error
                        os.write(2, line)
