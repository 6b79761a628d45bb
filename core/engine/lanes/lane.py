"""Lanes that run jobs in order, and the timestamps of a task.

A lane is a thread with a FIFO queue. CPU lanes compute in that thread. The lanes of accelerators
and the clocks are in core.engine.lanes.devices. The rest of the engine is the same for all lanes.

A timestamp is a recorded event on a lane with a stream, and otherwise the host's clock in ns.
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


_query_lock = threading.Lock()
"""Held during each query of an event, and while a graph is captured."""
_captured: set[int] = set()
"""The ids of the graphs that are being captured."""


def has_passed(timestamp: Timestamp) -> bool:
    """Return True if a timestamp is in the past. A host timestamp always is.

    Returns False while a graph is captured; the caller has to try again later.
    """
    if isinstance(timestamp, int):
        return True
    # CUDA rejects a query while any thread captures, and the capture fails too.
    if _captured:
        return False
    with _query_lock:
        return timestamp.query()


def block_queries_during_capture(graph: type[Any]) -> None:
    """Patch torch's class `graph` so that no thread queries events while one is captured."""
    begin = graph.capture_begin
    end = graph.capture_end
    if getattr(begin, "blocks_queries", False):
        return

    def capture_begin(self: Any, *given: Any, **options: Any) -> None:
        _query_lock.acquire()
        try:
            begin(self, *given, **options)
        except BaseException:
            _query_lock.release()
            raise
        _captured.add(id(self))

    def capture_end(self: Any) -> None:
        try:
            end(self)
        finally:
            if id(self) in _captured:
                _captured.remove(id(self))
                _query_lock.release()

    capture_begin.blocks_queries = True  # type: ignore[attr-defined]
    graph.capture_begin = capture_begin
    graph.capture_end = capture_end


def wait_until(timestamp: Timestamp) -> None:
    """Wait until a timestamp is in the past, with pauses so that lanes keep their cores."""
    while not has_passed(timestamp):
        time.sleep(POLL_SECONDS)


class LaneThread:
    """A thread that runs jobs in order. As a context manager it joins the thread at its end.

    A CPU lane computes in that thread, on the lane's number of cores. `timestamp` returns a
    timestamp; on the CPU it is a C function, because Python code would be timed with the work.
    Timed work runs inside `turn`. `note` is a warning about the lane's times, or "".
    """

    sleeps = True
    """True if the lane's thread does the work, so that waking it up delays the lane."""
    # A null context has no state, so all lanes can use the same one at once.
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
        # None ends the thread. It is queued last, so the jobs before it still run.
        self._queue.put(None)
        self._thread.join()

    def submit(self, job: Callable[[], None]) -> None:
        """Queue a job, which must not raise."""
        self._queue.put(job)

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Run `work` on the lane's thread; the future has its result or its exception."""
        future: Future[T] = Future()
        self.submit(partial(_fulfil, future, work))
        return future

    def _work(self) -> None:
        with self.settings():
            while (job := self._queue.get()) is not None:
                job()

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Context in which the calling thread has the lane's settings."""
        torch.set_num_threads(self.lane.cores)
        yield

    def wait(self, timestamp: Timestamp) -> None:
        """Make all later work of the calling thread on the device wait for a timestamp."""

    def completion(self) -> Timestamp:
        """Return the end of the work that the calling thread has launched on its device."""
        return self.timestamp()

    def recycle(self, timestamps: Iterable[Timestamp]) -> None:
        """Return timestamps to the lane's pool; they must not be read afterwards."""


def _fulfil(future: Future[T], work: Callable[[], T]) -> None:
    try:
        result = work()
    except BaseException as error:  # raised again by Future.result
        future.set_exception(error)
    else:
        future.set_result(result)


class Stamps:
    """Timestamps of one run of a task, taken directly before and after its calls to torch.

    `now` returns a timestamp of the task's lane. `start` and `end` are None until they are set.
    With `blocks`, the borders between blocks are recorded too, for the forward and the backward
    pass. Border n is before block n, counted over the whole model: in a forward pass block n
    extends from border n to n + 1, in a backward pass from n + 1 to n.
    """

    __slots__ = ("_borders", "_now", "blocks", "end", "start")

    def __init__(self, now: Callable[[], Timestamp], blocks: bool = False) -> None:
        self._now = now
        self.blocks = blocks
        self._borders: dict[tuple[bool, int], Timestamp] = {}
        self.start: Timestamp | None = None
        self.end: Timestamp | None = None

    def begin(self) -> None:
        """Set the start; the work of torch follows directly."""
        self.start = self._now()

    def finish(self) -> None:
        """Set the end, directly after the work of torch."""
        self.end = self._now()

    def note_border(self, backward: bool, border: int) -> None:
        """Record the time at which a pass first reaches a border. Does nothing without `blocks`."""
        if self.blocks and (backward, border) not in self._borders:
            self._borders[backward, border] = self._now()

    def bounds(self, task: Task) -> tuple[Timestamp, Timestamp] | None:
        """Return the start and end of a block's task; None if a border was not recorded."""
        assert task.block is not None
        backward = task.kind is not Kind.FORWARD
        first = self._borders.get((backward, task.block))
        last = self._borders.get((backward, task.block + 1))
        if first is None or last is None:
            return None
        return (last, first) if backward else (first, last)

    @property
    def all(self) -> list[Timestamp]:
        """All timestamps that were taken."""
        made = (self.start, self.end, *self._borders.values())
        return [timestamp for timestamp in made if timestamp is not None]
