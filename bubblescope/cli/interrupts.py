"""Ctrl+C and SIGTERM: whatever a command does, it has ended five seconds later."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERRUPTED = 128 + signal.SIGINT
SIGNALS = (signal.SIGINT, signal.SIGTERM)
UNWIND_SECONDS = 3.0
"""What a command is given to end in its own way; then it is interrupted wherever it is."""
END_SECONDS = 1.5
"""What it is given after that; then the process ends."""


@contextmanager
def ending_when_asked() -> Iterator[None]:
    """Within, Ctrl+C and SIGTERM raise KeyboardInterrupt, once: cleaning up is not disturbed.

    A thread sees to it that the process ends, because a handler waits for native code.
    """
    # Python runs signal handlers between its own instructions in the main thread: not while that
    # waits in native code (a torch kernel, a system call of Arrow's). The wakeup pipe is written by
    # the C-level handler at once, and another thread reads it.
    read_end, write_end = os.pipe()
    # As set_wakeup_fd asks: a handler must not wait for a full pipe.
    os.set_blocking(write_end, False)
    watch = _Watch(read_end)
    with handling(watch.interrupt):
        before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        watch.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            # The end of the pipe tells the thread that all is over; it must not be closed before
            # nobody writes to it.
            os.close(write_end)
            watch.join()
            os.close(read_end)


@contextmanager
def noting_interrupts() -> Iterator[list[int]]:
    """Ctrl+C and SIGTERM are put into the list, instead of an exception amid half-taken rows."""
    noted: list[int] = []
    with handling(noted.append):
        yield noted


@contextmanager
def holding_interrupts() -> Iterator[None]:
    """Within, Ctrl+C and SIGTERM wait until the end, and then raise KeyboardInterrupt."""
    with noting_interrupts() as noted:
        yield
    if noted:
        raise KeyboardInterrupt


@contextmanager
def handling(take: Callable[[int], None]) -> Iterator[None]:
    """Within, `take` gets the number of each Ctrl+C (SIGINT) and SIGTERM, in the main thread."""
    before = {
        number: signal.signal(number, lambda number, _: take(number))
        for number in SIGNALS
        if signal.getsignal(number) is not signal.SIG_IGN  # as a shell asks for a job behind `&`
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Watch(threading.Thread):
    """Waits for a signal's number in a pipe, and then for the end of the process.

    The pipe's other end is closed when there is nothing to wait for any more.
    """

    def __init__(self, read_end: int) -> None:
        super().__init__(daemon=True, name="interrupts")
        self._read_end, self._raised = read_end, False

    def interrupt(self, _: int) -> None:
        """Raise KeyboardInterrupt, in the main thread; once, until it is insisted on."""
        if not self._raised:
            self._raised = True
            raise KeyboardInterrupt

    def run(self) -> None:
        """Wait for a signal, then insist, then end the process."""
        while number := os.read(self._read_end, 1):
            if number[0] in SIGNALS:
                break
        else:
            return
        if self._is_over(UNWIND_SECONDS):
            return
        # Once more: the first KeyboardInterrupt may have been swallowed, by a destructor or a
        # callback, which Python only prints.
        self._raised = False
        signal.pthread_kill(threading.main_thread().ident or 0, number[0])
        if not self._is_over(END_SECONDS):
            print("bubblescope: ended amid its work", file=sys.stderr, flush=True)
            # Without any cleaning up, which is what hangs. Children see their pipes close and end.
            os._exit(INTERRUPTED)

    def _is_over(self, seconds: float) -> bool:
        """Whether the work ends in time."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self._read_end], [], [], left)[0] and not os.read(self._read_end, 1):
                return True
        return False
