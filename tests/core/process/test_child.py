"""A child's end reaches its listener, whatever ended it."""

import os
import signal
import threading

import pytest

from core.process.child import Child
from core.process.starts import ModuleStart


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGTERM, "was ended by SIGTERM"),
        (signal.SIGKILL, "was ended by SIGKILL; it may have run out of memory"),
        (signal.SIGRTMIN + 6, f"was ended by signal {signal.SIGRTMIN + 6}"),
    ],
)
def test_the_signal_that_ended_a_child_is_told_even_if_it_has_no_name(number, words):
    told, over = [], threading.Event()

    def listen(message):
        told.append(message)
        over.set()

    # Any module that waits for commands will do.
    start = ModuleStart("core.predict.worker.server")
    child = Child(start, lambda wire: iter(wire.readline, b""), listen)
    os.kill(child.pid, number)
    assert over.wait(20), "nobody heard of its end"
    child.close()
    assert [str(end.how) for end in told] == [words]
