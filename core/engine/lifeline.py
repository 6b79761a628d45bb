"""Every child ends when its parent's pipe closes, even while native code runs.

The parent keeps the write end of a pipe and never writes. When the parent ends, however it ends,
the kernel closes it. A thread that waits for that would need the interpreter's lock, which native
code may hold for long; so the kernel itself is asked to signal the child (O_ASYNC), and the default
action of SIGIO is to end the process. PR_SET_PDEATHSIG would follow the creating thread instead.
Where O_ASYNC does not signal for pipes (macOS), the thread is all there is.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import threading


def hold_on(descriptor: int) -> None:
    """End this process as soon as the pipe whose read end is `descriptor` closes."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGIO})
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([descriptor], [], [], 0)[0]:  # it closed before the signal was asked for
        os._exit(1)
    threading.Thread(target=_watch, args=(descriptor,), daemon=True, name="lifeline").start()


def _watch(descriptor: int) -> None:
    select.select([descriptor], [], [])
    os._exit(1)
