"""Lanes that run jobs in order, and the timestamps of a task.

A lane is a thread with a FIFO queue. A CPU's computes in that thread; those of accelerators, and
the clocks, are in core.engine.lanes.devices. Everything else of the engine is the same for all of
them.

A timestamp is a moment on a lane: a recorded event on a lane with a stream, else the host's clock
in ns.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, TypeVar

import torch

from core.plan.plan import Lane
from core.plan.task import Kind, Task

Timestamp = int | torch.Event
POLL_SECONDS = 0.0002

T = TypeVar("T")


_questions = threading.Lock()
"""Held by whoever asks about an event, and while a graph is captured."""
_captured: set[int] = set()
"""Graphs that are being captured, by their ids."""


def reached(timestamp: Timestamp) -> bool:
    """True if a moment is past; a moment of the host is made when the work is done.

    False while a graph is captured: ask again then.
    """
    if isinstance(timestamp, int):
        return True
    # CUDA refuses the question while any thread captures, and fails the capture with it.
    if _captured:
        return False
    with _questions:
        return timestamp.query()


def ask_nothing_while_captured(graph: type[Any]) -> None:
    """Let no thread ask about events while a `graph` of torch's is captured."""
    begin, end = graph.capture_begin, graph.capture_end
    if getattr(begin, "holds_questions", False):
        return

    def capture_begin(self: Any, *given: Any, **options: Any) -> None:
        _questions.acquire()
        try:
            begin(self, *given, **options)
        except BaseException:
            _questions.release()
            raise
        _captured.add(id(self))

    def capture_end(self: Any) -> None:
        try:
            end(self)
        finally:
            if id(self) in _captured:
                _captured.remove(id(self))
                _questions.release()

    capture_begin.holds_questions = True  # type: ignore[attr-defined]
    graph.capture_begin, graph.capture_end = capture_begin, capture_end


def wait_until(timestamp: Timestamp) -> None:
    """Wait until a moment is past; with pauses, so that waiting takes no core from lanes."""
    while not reached(timestamp):
        time.sleep(POLL_SECONDS)


class LaneThread:
    """One thread that runs what it is given in order. A context manager: leaving joins it.

    A lane of a CPU computes in that thread, with its own number of cores. `timestamp` makes a
    timestamp; on the CPU it is a function in C, as Python code would be timed with the work. Timed
    work is done within `turn`. `note` is a warning about its times, or empty.
    """

    sleeps = True
    """Whether a lane that waits must be woken up, which takes time: its work is its thread's."""
    # It holds nothing, so one serves all lanes at a time.
    turn: AbstractContextManager[object] = nullcontext()
    note = ""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.device = torch.device(lane.device)
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True, name=lane.name)
        self.timestamp: Callable[[], Timestamp] = time.perf_counter_ns

    def __enter__(self) -> LaneThread:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Behind all jobs that were queued, which still run: the thread ends when it comes to this.
        self._queue.put(None)
        self._thread.join()

    def submit(self, job: Callable[[], None]) -> None:
        """Queue a job, which must not raise."""
        self._queue.put(job)

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Run `work` on the lane's thread; the future has its result, or what it raised."""
        future: Future[T] = Future()
        self.submit(partial(_fulfil, future, work))
        return future

    def _work(self) -> None:
        with self.settings():
            while (job := self._queue.get()) is not None:
                job()

    @contextmanager
    def settings(self) -> Iterator[None]:
        """A context that makes the calling thread the lane's, for as long as it lasts."""
        torch.set_num_threads(self.lane.cores)
        yield

    def wait(self, timestamp: Timestamp) -> None:
        """Let what the calling thread launches from now on wait for a timestamp."""

    def completion(self) -> Timestamp:
        """The end of what the calling thread has launched on its device."""
        return self.timestamp()

    def recycle(self, timestamps: Iterable[Timestamp]) -> None:
        """Return timestamps to the lane's pool; they must not be read afterwards."""


def _fulfil(future: Future[T], work: Callable[[], T]) -> None:
    try:
        result = work()
    except BaseException as error:  # it is raised again where the result is asked for
        future.set_exception(error)
    else:
        future.set_result(result)


class Stamps:
    """The timestamps of one task's run, set right before and right behind the calls of torch.

    `now` makes a timestamp on the task's lane; `start` and `end` are None until then. With `blocks`
    the borders between blocks are noted too, by pass (forward or backward). The border n lies
    before block n, counted over the whole model, so that block n reaches from border n to n + 1 in
    a forward, and from n + 1 to n in a backward.
    """

    __slots__ = ("_borders", "_now", "blocks", "end", "start")

    def __init__(self, now: Callable[[], Timestamp], blocks: bool = False) -> None:
        self._now, self.blocks = now, blocks
        self._borders: dict[tuple[bool, int], Timestamp] = {}
        self.start: Timestamp | None = None
        self.end: Timestamp | None = None

    def begin(self) -> None:
        """The next thing is torch's work."""
        self.start = self._now()

    def finish(self) -> None:
        """The last thing was torch's work."""
        self.end = self._now()

    def passes(self, backward: bool, border: int) -> None:
        """A border is passed now; what is noted of it already stays. Without blocks: nothing."""
        if self.blocks and (backward, border) not in self._borders:
            self._borders[backward, border] = self._now()

    def bounds(self, task: Task) -> tuple[Timestamp, Timestamp] | None:
        """The start and the end of a block; None if one of its borders was not seen."""
        assert task.block is not None
        backward = task.kind is not Kind.FORWARD
        borders = [(backward, task.block), (backward, task.block + 1)]
        if not all(border in self._borders for border in borders):
            return None
        first, last = (self._borders[border] for border in borders)
        return (last, first) if backward else (first, last)

    @property
    def all(self) -> list[Timestamp]:
        """All timestamps that were made."""
        made = (self.start, self.end, *self._borders.values())
        return [timestamp for timestamp in made if timestamp is not None]
