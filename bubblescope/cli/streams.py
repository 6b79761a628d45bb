"""Standard streams as a shell may give them: closed, full, or read by nobody any more."""

from __future__ import annotations

import os
import sys

BAD_OUTPUT = 2


def open_streams() -> None:
    """Open the null device in place of every standard stream that is closed."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            # The system takes the lowest free number, which is this stream's. Left free, it would
            # go to the next file that is opened, and what a child prints would go into that file.
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            mode = "r" if descriptor == 0 else "w"
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115


def flushed(status: int) -> int:
    """Write what is still to be printed; returns the exit status, which is `status` if that works.

    A reader that has had enough, as `head` has, is no error. A full disk is one of BAD_OUTPUT, with
    a line on standard error unless the command has failed anyway.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _discard_output()
        if status == 0:
            why = os.strerror(error.errno or 0)
            print(f"bubblescope: standard output cannot be written: {why}", file=sys.stderr)
            return BAD_OUTPUT
    return status


def _discard_output() -> None:
    """Lead standard output to nowhere: the interpreter tries once more to write it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
