"""Every child ends when its parent's pipe closes, even while native code runs.

The parent keeps the write end of a pipe and never writes. When the parent ends, however it ends,
the kernel closes it. A thread that waits for that would need the interpreter's lock, which native
code may hold for long; so the kernel itself is asked to signal the child (O_ASYNC), and the default
action of SIGIO is to end the process. PR_SET_PDEATHSIG would follow the creating thread instead.
Where O_ASYNC does not signal for pipes (macOS), the thread is all there is.

    python -m core.engine.lifeline LIFELINE MODULE ARGUMENT...

runs a module so that it ends with its parent from the first moment on, not only once it has
imported torch.
"""

from __future__ import annotations

import fcntl
import os
import runpy
import select
import signal
import sys
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


def main() -> None:
    """Hold on to the descriptor that is named first; then be the module that is named next."""
    hold_on(int(sys.argv[1]))
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
