"""Every child ends when its parent's pipe closes, even while native code runs.

The parent keeps the write end of a pipe and never writes. The kernel closes it when the parent
ends, in any way. A thread that waits for this needs the interpreter's lock, which native code may
hold for a long time. So the kernel signals the child (O_ASYNC), and the default action of SIGIO
ends the process. PR_SET_PDEATHSIG would follow the creating thread instead. Where O_ASYNC does not
signal for pipes (macOS), only the thread remains.

A child runs the user's model, which may fork, start programs and close descriptors. So the child's
descriptors are moved to high numbers, programs do not inherit them, and forked processes neither
write to the parent nor outlive the pipe.

core.process.child starts a module by

    python -m core.process.lifeline LIFELINE MODULE WIRE COMMANDS    (descriptors)

so that it ends with its parent from the beginning, not only once it has imported torch.
"""

from __future__ import annotations

import fcntl
import os
import resource
import runpy
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

# Above the descriptors that loops usually close, and below 1024, the limit of select.
HIGH = 1000


def open_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes (to the parent, from the parent) of a child's module.

    Redirects the model's output to standard error, and ignores Ctrl+C: the parent ends its
    children.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked until now, see Child
    os.dup2(2, 1)
    wire, commands = (_kept(int(descriptor)) for descriptor in sys.argv[1:3])
    return os.fdopen(wire, "wb", buffering=0), os.fdopen(commands, "rb")


def _kept(descriptor: int) -> int:
    """Move a descriptor to a high number. In forked processes it becomes the null device."""
    kept = _moved(descriptor)
    # Output of a forked process would corrupt the stream of messages.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.register_at_fork(after_in_child=partial(os.dup2, nowhere, kept))
    return kept


@contextmanager
def only_here() -> Iterator[None]:
    """Context for the user's code: processes that it forks exit at the end of the context."""
    here = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != here:
            os._exit(0)


def exit_with_parent(descriptor: int) -> None:
    """End this process as soon as the pipe whose read end is `descriptor` closes."""
    descriptor = _moved(descriptor)
    # First, because SIGIO may be ignored or blocked: both are inherited, even through exec.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGIO})
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([descriptor], [], [], 0)[0]:  # it closed before O_ASYNC was set
        os._exit(1)
    _start_watching(descriptor)
    # The kernel signals only the descriptor's owner (F_SETOWN), and a forked process does not have
    # its parent's threads: start a thread there.
    os.register_at_fork(after_in_child=partial(_start_watching, descriptor))


def _moved(descriptor: int) -> int:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    # Near the limit if few descriptors are allowed.
    high = HIGH if most == resource.RLIM_INFINITY else min(HIGH, most - 32)
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, high)
    os.close(descriptor)
    return moved


def _start_watching(descriptor: int) -> None:
    threading.Thread(target=_watch, args=(descriptor,), daemon=True, name="lifeline").start()


def _watch(descriptor: int) -> None:
    select.select([descriptor], [], [])
    os._exit(1)


def run_child_module() -> None:
    """Run the module in the second argument until the pipe in the first one closes."""
    exit_with_parent(int(sys.argv[1]))
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    run_child_module()
