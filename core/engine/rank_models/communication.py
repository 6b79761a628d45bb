"""Runs a sharded rank's collectives: on torch's streams, or one after the other with gloo.

The process group of a device (NCCL, XCCL) runs a rank's collectives on a stream, while other
streams compute. With gloo on a CPU the computing thread would wait for each collective. There they
run on a separate thread, the rank's communication lane.
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
from torch.distributed.tensor import DTensor, Shard

from core.engine.lanes.devices import open_lanes
from core.engine.lanes.lane import LaneThread, Timestamp
from core.recorder.collectives import CollectiveRequest

# The names in torch 2.13 and later, and the earlier names.
all_gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
reduce_scatter = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor


def gathered(tensor: DTensor) -> Tensor:
    """Return a copy of a whole tensor whose rows are divided over the ranks. A collective.

    `tensor` is divided along its first dimension, as fully_shard does it. `full_tensor` does the
    same, but ends the process with SIGSEGV if the tensor is on a GPU and the group is gloo's (seen
    with torch 2.11).
    """
    assert tensor.placements == (Shard(0),)
    group = tensor.device_mesh.get_group()
    part = tensor.to_local().detach()
    # The last ranks may hold fewer rows or none, but all send equally many.
    most = -(-len(tensor) // group.size())
    padded = part.new_zeros((most, *part.shape[1:]))
    padded[: len(part)] = part
    whole = part.new_empty((most * group.size(), *part.shape[1:]))
    all_gather(whole, padded, group=group)
    return whole[: len(tensor)].clone()


class Communication:
    """Runs collectives in the order of the calls, on the current stream.

    fully_shard makes the stream current, as it does without this class. The stream waits for the
    collective, and the calling thread does not.
    """

    def __init__(self, lane: LaneThread) -> None:
        self._lane = lane

    def run(self, requested: CollectiveRequest, collective: Callable[[], object]) -> Work | None:
        """Run a collective. Its result must not be read before `finish` or the returned work.

        Return the work to wait for; None if torch's streams wait by themselves.
        """
        requested.run(collective)
        return None

    @staticmethod
    def reduce_scatter(part: Tensor, whole: Tensor, group: ProcessGroup) -> None:
        """Fill `part` with this rank's piece of the mean over ranks of `whole`; changes `whole`."""
        # Divided first, because the sum could overflow in a short type such as float16.
        reduce_scatter(part, whole.div_(group.size()), group=group)

    def finish(self) -> None:
        """Wait for all collectives. Raise the error of a collective that has failed.

        Does nothing here, because fully_shard has made the compute stream wait at the end of the
        backward pass.
        """

    def close(self) -> None:
        """End all threads, after the last step."""


class ThreadedCollectives(Communication):
    """Runs collectives one after the other on a separate thread, as a stream does."""

    def __init__(self, lane: LaneThread) -> None:
        self._stack = ExitStack()
        # The thread has the cores of its lane, because torch's number of threads is global.
        super().__init__(self._stack.enter_context(open_lanes((lane.lane,))[0]))
        self._pending: list[Future[Timestamp]] = []

    def run(self, requested: CollectiveRequest, collective: Callable[[], object]) -> Work:
        """Queue a collective and return its work."""
        # Taken on the calling thread, which has launched the computation of the collective's input
        # and may run ahead of the device.
        asked = self._lane.completion()

        def job() -> Timestamp:
            self._lane.wait(asked)
            requested.run(collective)
            return self._lane.completion()

        self._pending.append(self._lane.call(job))
        return _QueuedWork(self._pending[-1], self._lane)

    @staticmethod
    def reduce_scatter(part: Tensor, whole: Tensor, group: ProcessGroup) -> None:
        """Do the same with gloo, which has no reduce-scatter.

        torch would all-reduce a copy of the whole. Here each rank receives its pieces and adds
        them, which transfers half as much.
        """
        # Two ranks have the wholes (a0 a1) and (b0 b1). Rank 0 receives (a0 b0) and adds them,
        # rank 1 receives (a1 b1). Each rank sends half of its whole; in an all-reduce it would send
        # as much as all of it.
        pieces = torch.empty_like(whole)
        dist.all_to_all_single(pieces, whole, group=group)
        torch.sum(pieces.view(group.size(), -1), 0, out=part).div_(group.size())

    def finish(self) -> None:
        """Wait for the queue, and make the computing stream wait for its collectives."""
        pending, self._pending = self._pending, []
        for future in pending:
            self._lane.wait(future.result())

    def close(self) -> None:
        """End the thread. Do not call it after a failure: the last collective may never end."""
        self._stack.close()


class _QueuedWork(Work):
    """The work that torch waits for: a collective on the communication thread."""

    def __init__(self, future: Future[Timestamp], lane: LaneThread) -> None:
        super().__init__()
        self._future = future
        self._lane = lane

    def wait(self, timeout: Any = None) -> bool:
        """Wait for the collective. Raise its error if it has failed."""
        self._lane.wait(self._future.result())
        return True
