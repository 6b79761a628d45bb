"""A process group for ranks on the test device: gloo, on copies of the tensors on the host.

The copy to the host waits for the current stream, and the copy back is queued on it. So a
collective is ordered with the work around it, as with a group of the device's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch._C._distributed_c10d import (
    AllreduceOptions,
    BarrierOptions,
    BroadcastOptions,
    _create_work_from_future,
)

from tests.device.backend import NAME, races

BACKEND = f"{NAME}_gloo"


class DeviceGroup(dist.ProcessGroup):
    """The collectives of torch's DDP and FSDP. Each is complete on the host when it returns."""

    def __init__(self, store: dist.Store, rank: int, size: int, timeout: timedelta) -> None:
        super().__init__(rank, size)
        self._rank, self._size = rank, size
        self._gloo = dist.ProcessGroupGloo(store, rank, size, timeout)

    def size(self) -> int:
        return self._size

    @property
    def group_name(self) -> str:
        """The name under which torch has registered the group."""
        name: str = dist.distributed_c10d._world.pg_names[self]
        return name

    def getBackendName(self) -> str:
        return BACKEND

    def allreduce(self, tensors: Sequence[Tensor], opts: Any = None) -> dist.Work:
        held = [tensor.cpu() for tensor in tensors]
        self._gloo.allreduce(held, opts or AllreduceOptions()).wait()
        return _put(tensors, held)

    def broadcast(self, tensors: Sequence[Tensor], opts: Any = None) -> dist.Work:
        held = [tensor.cpu() for tensor in tensors]
        self._gloo.broadcast(held, opts or BroadcastOptions()).wait()
        return _put(tensors, held)

    def allgather(
        self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], opts: Any = None
    ) -> dist.Work:
        held = [[torch.empty_like(part, device="cpu") for part in parts] for parts in outputs]
        self._gloo.allgather(held, [tensor.cpu() for tensor in inputs]).wait()
        targets = [part for parts in outputs for part in parts]
        return _put(targets, [part for parts in held for part in parts])

    def all_gather_single(self, output: Tensor, part: Tensor, opts: Any = None) -> dist.Work:
        held = [torch.empty_like(part, device="cpu") for _ in range(self._size)]
        self._gloo.allgather([held], [part.cpu()]).wait()
        return _put([output], [torch.cat([one.flatten() for one in held]).view_as(output)])

    def reduce_scatter_single(self, part: Tensor, whole: Tensor, opts: Any = None) -> dist.Work:
        held = whole.cpu()
        self._gloo.allreduce([held], AllreduceOptions()).wait()
        mine = held.flatten().chunk(self._size)[self._rank]
        return _put([part], [mine.view_as(part)])

    def all_gather_single_coalesced(
        self, outputs: Sequence[Tensor], parts: Sequence[Tensor], opts: Any = None
    ) -> dist.Work:
        for output, part in zip(outputs, parts, strict=True):
            self.all_gather_single(output, part)
        return _put([], [])

    # The names before torch 2.13.
    _allgather_base = all_gather_single
    _reduce_scatter_base = reduce_scatter_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced

    def send(self, tensors: Sequence[Tensor], target: int, tag: int) -> dist.Work:
        return self._gloo.send([tensor.cpu() for tensor in tensors], target, tag)

    def recv(self, tensors: Sequence[Tensor], source: int, tag: int) -> dist.Work:
        held = [torch.empty_like(tensor, device="cpu") for tensor in tensors]
        return _Receiving(self._gloo.recv(held, source, tag), tensors, held)

    def barrier(self, opts: Any = None) -> dist.Work:
        """Meet the other ranks. Raises RuntimeError for accesses that were not ordered so far.

        Ranks begin every step with a barrier, and nobody else can ask in their processes.
        """
        found = races()
        if found:
            raise RuntimeError(f"{len(found)} accesses are not ordered, such as: {found[0]}")
        self._gloo.barrier(BarrierOptions()).wait()
        return _put([], [])


class _Receiving(dist.Work):
    """A receive that copies to the device once the data is on the host."""

    def __init__(self, work: dist.Work, targets: Sequence[Tensor], held: Sequence[Tensor]) -> None:
        super().__init__()
        self._work, self._targets, self._held = work, targets, held

    def wait(self, timeout: Any = None) -> bool:
        self._work.wait()
        _put(self._targets, self._held)
        return True


def _put(targets: Sequence[Tensor], values: Sequence[Tensor]) -> dist.Work:
    """Queue the copies to the device and return work that is complete."""
    for target, value in zip(targets, values, strict=True):
        target.copy_(value)
    devices = sorted({str(target.device) for target in targets if target.device.type != "cpu"})
    done = torch.futures.Future(devices=[torch.device(device) for device in devices])
    done.set_result(list(targets))
    return _create_work_from_future(done)


def register() -> None:
    """Let torch make such groups for the test device."""
    dist.Backend.register_backend(BACKEND, DeviceGroup, devices=[NAME])
