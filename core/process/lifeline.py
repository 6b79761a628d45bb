"""Every child ends when its parent's pipe closes, even while native code runs.

The parent keeps the write end of a pipe and never writes. When the parent ends, however it ends,
the kernel closes it. A thread that waits for that would need the interpreter's lock, which native
code may hold for long; so the kernel itself is asked to signal the child (O_ASYNC), and the default
action of SIGIO is to end the process. PR_SET_PDEATHSIG would follow the creating thread instead.
Where O_ASYNC does not signal for pipes (macOS), the thread is all there is.

A child runs the user's model, which may fork, start programs and close descriptors. So what a child
was given is moved out of the way, no program inherits it, and a process that is forked off neither
writes to the parent nor outlives the pipe.

    python -m core.process.lifeline LIFELINE MODULE WIRE COMMANDS    (descriptors)

is how core.process.child starts a module, which so ends with its parent from the first moment on,
not only once it has imported torch.
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

# Above what a loop over the usual descriptors closes, and below 1024, where select's set ends.
HIGH = 1000


def open_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes (to the parent, from the parent) of a child's module, out of a model's reach.

    What the model prints goes to standard error. Ctrl+C is for the parent, which ends its children.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked until now, see Child
    os.dup2(2, 1)
    wire, commands = (_kept(int(descriptor)) for descriptor in sys.argv[1:3])
    return os.fdopen(wire, "wb", buffering=0), os.fdopen(commands, "rb")


def _kept(descriptor: int) -> int:
    """Move a descriptor to a high number; a process forked off has one there that leads nowhere."""
    kept = _moved(descriptor)
    # What is forked off shares the pipe: a half message of its own in the middle of the parent's
    # stream would make all that follows unreadable.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.register_at_fork(after_in_child=partial(os.dup2, nowhere, kept))
    return kept


@contextmanager
def only_here() -> Iterator[None]:
    """Around the user's code: a process that it forks off ends here, not running on as this one."""
    here = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != here:
            os._exit(0)


def exit_with_parent(descriptor: int) -> None:
    """End this process as soon as the pipe whose read end is `descriptor` closes."""
    descriptor = _moved(descriptor)
    # Before it is asked for: a parent may have started this process with SIGIO ignored or blocked,
    # which are inherited, also through exec.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGIO})
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([descriptor], [], [], 0)[0]:  # it closed before the signal was asked for
        os._exit(1)
    _start_watching(descriptor)
    # The kernel signals the process that is the descriptor's owner (F_SETOWN), not what it forks
    # off, which has no threads of its parent's either.
    os.register_at_fork(after_in_child=partial(_start_watching, descriptor))


def _moved(descriptor: int) -> int:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    # Where few descriptors are allowed, near the top of them.
    high = HIGH if most == resource.RLIM_INFINITY else min(HIGH, most - 32)
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, high)
    os.close(descriptor)
    return moved


def _start_watching(descriptor: int) -> None:
    threading.Thread(target=_watch, args=(descriptor,), daemon=True, name="lifeline").start()


def _watch(descriptor: int) -> None:
    select.select([descriptor], [], [])
    os._exit(1)


def main() -> None:
    """End with the pipe that is named first; until then be the module that is named next."""
    exit_with_parent(int(sys.argv[1]))
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
