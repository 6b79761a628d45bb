"""Ways to start a child: as a module of this project, or as a program."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

from core.message import Message
from core.process.child import Started, environment, exit_text

LIFELINE = "core.process.lifeline"
PIECE = 1 << 16
"""Most bytes of a program's standard error that are read at a time, and that are kept."""
HOLD_SECONDS = 0.3
"""Time for which bytes of a program's standard error are held, because they may be its last."""


@dataclass(frozen=True, slots=True)
class ChildPipes:
    """Pipes between a child and its parent: the parent's ends, and the child's ends in `theirs`.

    The child writes messages to `wire` and reads commands, one a line, from `commands`. Nothing is
    written to `lifeline`: the parent holds it open, and the child ends when it closes.
    """

    wire: int
    commands: int
    lifeline: int
    theirs: tuple[int, int, int]


def child_pipes(given: ExitStack, kept: ExitStack) -> ChildPipes:
    """Make the pipes of a child.

    `kept` closes the parent's ends if the child cannot start. `given` closes the child's ends here
    once the child has them, or the wire would not end with the child.
    """
    wire, their_wire = os.pipe()
    their_commands, commands = os.pipe()
    their_lifeline, lifeline = os.pipe()
    theirs = (their_wire, their_commands, their_lifeline)
    for descriptor in (wire, commands, lifeline):
        kept.callback(os.close, descriptor)
    for descriptor in theirs:
        given.callback(os.close, descriptor)
    return ChildPipes(wire, commands, lifeline, theirs)


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
            pipes = child_pipes(given, kept)
            their_wire, their_commands, their_lifeline = pipes.theirs
            # -P: the current folder may hold modules of any name.
            words = [sys.executable, "-P", "-m", LIFELINE, str(their_lifeline), self.module]
            # A child inherits blocked signals, so SIGINT cannot end it before the child ignores
            # that signal (lifeline.open_pipes).
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                process = subprocess.Popen(
                    [*words, str(their_wire), str(their_commands)],
                    pass_fds=pipes.theirs,
                    stdin=subprocess.DEVNULL,
                    env={**environment(), **self.variables},
                    process_group=0,  # only the parent gets Ctrl+C, and ends its children
                )
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            kept.pop_all()  # they belong to the caller now
        return Started(process, pipes.wire, pipes.commands, pipes.lifeline)

    def end_text(self, code: int) -> Message:
        """Describe the end of the process by its return code."""
        return exit_text(code)


class ProgramStart:
    """Starts a program that sends messages on standard output and reads commands on standard input.

    It must end when its standard input closes. The end of its standard error is kept until
    `pass_on` is called. From then on this process copies it to its own standard error, except for
    text that arrives just before the program's end: it may give the reason.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._lock = threading.Lock()
        self._passes_on = False
        self._errors: threading.Thread | None = None
        self._kept = b""

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
            self._kept = b""

    def last_line(self, seconds: float = 1.0) -> str:
        """Return the last line of the kept standard error, "" if there is none.

        Waits for the end of standard error for at most `seconds`, because other processes may hold
        it open. Lines before the last one are passed on if `pass_on` was called.
        """
        if self._errors is not None:
            self._errors.join(seconds)
        with self._lock:
            kept, self._kept = self._kept.rstrip(), b""
            others, line_end, last = kept.rpartition(b"\n")
            if self._passes_on:
                _write_errors(others + line_end)
        return last.decode(errors="replace").strip()

    def pass_rest_on(self, seconds: float = 0.1) -> None:
        """Pass on what arrived just before the program's end; waits as `last_line` does."""
        if self._errors is not None:
            self._errors.join(seconds)
        with self._lock:
            _write_errors(self._kept)
            self._kept = b""

    def end_text(self, code: int) -> Message:
        """Describe the end of the program by its return code."""
        return exit_text(code)

    def _read_errors(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            while True:
                # The program's last output arrives together with the end of the file.
                if not select.select([file], [], [], HOLD_SECONDS)[0]:
                    self._pass_kept_on()
                    select.select([file], [], [])
                piece = file.read(PIECE)
                if not piece:
                    return
                self._pass_kept_on()
                with self._lock:
                    self._kept = (self._kept + piece)[-PIECE:]

    def _pass_kept_on(self) -> None:
        with self._lock:
            if self._passes_on:
                _write_errors(self._kept)
                self._kept = b""


def _write_errors(data: bytes) -> None:
    """Write to this process's standard error; stop if its reader closes."""
    left = memoryview(data)
    with suppress(OSError):
        while left:
            left = left[os.write(2, left) :]
