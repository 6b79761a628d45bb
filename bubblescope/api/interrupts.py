"""Ctrl+C and SIGTERM: any command ends within five seconds."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

INTERRUPTED = 128 + signal.SIGINT
SIGNALS = (signal.SIGINT, signal.SIGTERM)
UNWIND_SECONDS = 3.0
"""Time in s for a command to end by itself; then it is interrupted once more."""
END_SECONDS = 1.5
"""Time in s after the second interrupt until the process is ended."""


@contextmanager
def ending_when_asked() -> Iterator[None]:
    """Within the context, the first Ctrl+C or SIGTERM raises KeyboardInterrupt.

    Further signals are ignored, so that cleanup is not interrupted. A thread ensures that the
    process ends even if the main thread is in native code.
    """
    # Python runs signal handlers between bytecode instructions of the main thread, and so not while
    # that thread is in native code (a torch kernel, a system call of Arrow's). But the C-level
    # handler writes to the wakeup pipe at once, and another thread reads it.
    read_end, write_end = os.pipe()
    # set_wakeup_fd requires this: a handler must not wait for a full pipe.
    os.set_blocking(write_end, False)
    watch = _Watch(read_end)
    with handling(watch.interrupt):
        before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        watch.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            # Closing the pipe ends the thread. Close it after set_wakeup_fd, because nothing may
            # write to a closed pipe.
            os.close(write_end)
            watch.join()
            os.close(read_end)


@contextmanager
def noting_interrupts() -> Iterator[list[int]]:
    """Collect Ctrl+C and SIGTERM in the yielded list instead of interrupting the context."""
    noted: list[int] = []
    with handling(noted.append):
        yield noted


@contextmanager
def raising_interrupts(noted: Sequence[int]) -> Iterator[None]:
    """Within `noting_interrupts`, raise KeyboardInterrupt at Ctrl+C or SIGTERM.

    Raises at once if there are `noted` signals.
    """

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with handling(interrupt):
        if noted:
            raise KeyboardInterrupt
        yield


@contextmanager
def holding_interrupts() -> Iterator[None]:
    """Delay Ctrl+C and SIGTERM to the end of the context, which then raises KeyboardInterrupt."""
    with noting_interrupts() as noted:
        yield
    if noted:
        raise KeyboardInterrupt


@contextmanager
def handling(
    take: Callable[[int], None], numbers: Sequence[signal.Signals] = SIGNALS
) -> Iterator[None]:
    """Call `take` in the main thread with the number of each of these signals that arrives.

    In another thread this does nothing, because Python sets handlers only in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for number in numbers:
        # A shell makes background jobs (`&`) ignore SIGINT, and they must go on ignoring it.
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, lambda number, _: take(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Watch(threading.Thread):
    """Reads a signal's number from a pipe, and then ensures that the process ends.

    The thread ends when the other end of the pipe is closed.
    """

    def __init__(self, read_end: int) -> None:
        super().__init__(daemon=True, name="interrupts")
        self._read_end = read_end
        self._raised = False

    def interrupt(self, _: int) -> None:
        """Raise KeyboardInterrupt in the main thread, unless it has been raised before."""
        if not self._raised:
            self._raised = True
            raise KeyboardInterrupt

    def run(self) -> None:
        """Wait for a signal; interrupt again after UNWIND_SECONDS; then end the process."""
        while number := os.read(self._read_end, 1):
            if number[0] in SIGNALS:
                break
        else:
            return
        if self._is_over(UNWIND_SECONDS):
            return
        # Interrupt again: the first KeyboardInterrupt may have been lost in a destructor or a
        # callback, where Python only prints it.
        self._raised = False
        signal.pthread_kill(threading.main_thread().ident or 0, number[0])
        if not self._is_over(END_SECONDS):
            print("bubblescope: did not end in time and was stopped", file=sys.stderr, flush=True)
            # Skip cleanup, because it hangs. Children end when their pipes close.
            os._exit(INTERRUPTED)

    def _is_over(self, seconds: float) -> bool:
        """Return True if the work ends within `seconds`."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self._read_end], [], [], left)[0] and not os.read(self._read_end, 1):
                return True
        return False
