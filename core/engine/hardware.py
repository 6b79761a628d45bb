"""This machine's hardware as torch reports it. The only engine module that names device kinds."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import torch
import torch.distributed as dist

from core.errors import PlanError
from core.machine import host_hardware
from core.message import message
from core.plan.devices import GLOO, Accelerator, Hardware, device_kind, process_group
from core.plan.plan import Lane

COLLECTIVE_TIMEOUT = timedelta(minutes=5)
"""Limit on a rank's wait for the other ranks in a collective."""


def find_hardware() -> Hardware:
    """Return usable cores, memory, and the devices of torch's current kind of accelerator."""
    found = torch.accelerator.current_accelerator(check_available=True)
    if found is None:
        return host_hardware()
    count = torch.accelerator.device_count()
    accelerators = tuple(_accelerator(found.type, index) for index in range(count))
    return replace(host_hardware(), accelerators=accelerators)


def _accelerator(kind: str, index: int) -> Accelerator:
    try:
        properties = torch.get_device_module(kind).get_device_properties(index)
    except (AttributeError, RuntimeError):  # not every backend has properties
        properties = None
    known = device_kind(kind)
    name = getattr(properties, "name", f"{kind} device")
    return Accelerator(known.device(index), name, getattr(properties, "total_memory", 0))


def rank_backend(lanes: Sequence[Lane]) -> str:
    """Return the process-group backend for ranks on `lanes`. Raises PlanError if there is none."""
    group = process_group(lanes)
    kind = device_kind(lanes[0].device)
    if group is None:
        group = dist.Backend.default_device_backend_map.get(kind.name, "")
    if not group:
        devices = ", ".join(lane.device for lane in lanes)
        raise PlanError(
            message(
                "ranks cannot communicate on {devices}: torch has no process group for them; "
                "use CPU lanes, such as 2xcpu, or another strategy",
                devices=devices,
            )
        )
    return group


def group_device(backend: str, device: torch.device) -> torch.device | None:
    """Return the device of a rank's collectives; None if they run on the host (gloo).

    Without it, torch takes the rank's number for the device's number, and NCCL waits forever if
    rank 0 is on cuda:1.
    """
    return None if backend == GLOO else device


def compute_exactly() -> None:
    """Disable TF32 for float32: in convolutions it would cause gradient errors of 1e-3."""
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False


def versions() -> dict[str, str]:
    """Return the versions of Python and torch, for the recording's header."""
    return {"python": platform.python_version(), "torch": torch.__version__}


def is_launch_blocking() -> bool:
    """Return True if CUDA_LAUNCH_BLOCKING makes every launch wait for its kernel."""
    return os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0")


def warnings() -> list[str]:
    """Return warnings about settings of this machine that distort measurements."""
    if is_launch_blocking():
        return ["CUDA_LAUNCH_BLOCKING is set: kernels run one by one and nothing overlaps"]
    return []
