"""Standard streams that are closed, full, or no longer read."""

from __future__ import annotations

import os
import sys

BAD_OUTPUT = 2


def open_streams() -> None:
    """Replace every closed standard stream by the null device."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            # The system assigns the lowest free descriptor, which is this one. If it stayed free,
            # the next opened file would get it, and children would print into that file.
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            mode = "r" if descriptor == 0 else "w"
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115


def flushed(status: int) -> int:
    """Flush standard output and return the exit status: `status`, or BAD_OUTPUT on failure.

    A reader that has closed the pipe, such as `head`, is not an error. For a full disk, a line is
    printed to standard error unless the command has failed anyway.
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
    """Redirect standard output to the null device, because the interpreter flushes it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
