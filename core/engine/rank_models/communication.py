"""How a sharded rank's collectives run: on torch's streams, or in their turn with gloo.

A device's own process group (NCCL, XCCL) runs a rank's collectives one after the other on a stream,
beside what is computed. Gloo on a CPU would make the computing thread wait for each, so there they
get a thread of their own, which is the rank's communication lane.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import ProcessGroup, Work

from core.engine.lanes.devices import open_lanes
from core.engine.lanes.lane import LaneThread, Timestamp
from core.recorder.collectives import Requested

# The names since torch 2.13, and those before.
all_gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
reduce_scatter = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor


class Communication:
    """Runs collectives in the order in which they come.

    As torch does by itself: on the stream that fully_shard has made current, which waits, so that
    the calling thread does not.
    """

    def __init__(self, lane: LaneThread) -> None:
        self._lane = lane

    def run(self, requested: Requested, collective: Callable[[], object]) -> Work | None:
        """Run a collective, whose result must not be read before `finish` or what is returned.

        Returns what to wait for before it is read, None if torch's streams see to that.
        """
        requested.run(collective)
        return None

    @staticmethod
    def reduce_scatter(part: Tensor, whole: Tensor, group: ProcessGroup) -> None:
        """Fill `part` with this rank's piece of the mean of every rank's `whole`, which is lost."""
        # Divided before the sum, which could overflow in a short type such as float16.
        reduce_scatter(part, whole.div_(group.size()), group=group)

    def finish(self) -> None:
        """Wait for all collectives. Raises what one of them raised.

        fully_shard itself lets the compute stream wait at the backward pass's end.
        """

    def close(self) -> None:
        """After the last step."""


class ThreadedCollectives(Communication):
    """Runs collectives one after the other in a thread of its own, in the order of a stream."""

    def __init__(self, lane: LaneThread) -> None:
        self._stack = ExitStack()
        # With as many cores as the lane it serves: a thread's number of them is every thread's.
        super().__init__(self._stack.enter_context(open_lanes((lane.lane,))[0]))
        self._pending: list[Future[Timestamp]] = []

    def run(self, requested: Requested, collective: Callable[[], object]) -> Work:
        """Queue it; returns its end."""
        # In the calling thread, which has launched what the
        # collective reads: it may run ahead of its device.
        asked = self._lane.completion()

        def job() -> Timestamp:
            self._lane.wait(asked)
            requested.run(collective)
            return self._lane.completion()

        self._pending.append(self._lane.call(job))
        return _End(self._pending[-1], self._lane)

    @staticmethod
    def reduce_scatter(part: Tensor, whole: Tensor, group: ProcessGroup) -> None:
        """The same. Gloo has no reduce-scatter of its own: torch all-reduces a copy of the whole.

        Here each rank is sent its pieces and adds them, which moves half as much.
        """
        # With 2 ranks whose wholes are (a0 a1) and (b0 b1), rank 0 gets (a0 b0) and adds these up,
        # rank 1 gets (a1 b1): each sends half of its whole, in an all-reduce as much as all of it.
        pieces = torch.empty_like(whole)
        dist.all_to_all_single(pieces, whole, group=group)
        torch.sum(pieces.view(group.size(), -1), 0, out=part).div_(group.size())

    def finish(self) -> None:
        """Wait for the queue; the computing stream then waits for what it has launched."""
        pending, self._pending = self._pending, []
        for future in pending:
            self._lane.wait(future.result())

    def close(self) -> None:
        """End the thread. Not for a rank that failed: its last collective may never end."""
        self._stack.close()


class _End(Work):
    """The end of a collective, as torch waits for it."""

    def __init__(self, future: Future[Timestamp], lane: LaneThread) -> None:
        super().__init__()
        self._future, self._lane = future, lane

    def wait(self, timeout: Any = None) -> bool:
        """Wait for it. Raises what it raised."""
        self._lane.wait(self._future.result())
        return True
