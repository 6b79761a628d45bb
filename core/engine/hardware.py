"""What this machine has, as torch sees it. The one place of the engine that names a kind of it."""

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
from core.plan.devices import Accelerator, Hardware, device_kind, process_group
from core.plan.plan import Lane

MEETING_TIMEOUT = timedelta(minutes=5)
"""Of every collective: for so long a rank waits for the others."""


def find_hardware() -> Hardware:
    """Usable cores, memory, and the devices of the kind that is torch's accelerator here."""
    found = torch.accelerator.current_accelerator(check_available=True)
    if found is None:
        return host_hardware()
    indices = range(torch.accelerator.device_count())
    return replace(
        host_hardware(), accelerators=tuple(_accelerator(found.type, i) for i in indices)
    )


def _accelerator(kind: str, index: int) -> Accelerator:
    try:
        properties = torch.get_device_module(kind).get_device_properties(index)
    except (AttributeError, RuntimeError):  # a backend need not have any
        properties = None
    known = device_kind(kind)
    name = getattr(properties, "name", f"{kind} device")
    return Accelerator(known.device(index), name, getattr(properties, "total_memory", 0))


def meeting_place(lanes: Sequence[Lane]) -> str:
    """The process group that ranks on `lanes` meet in. Raises PlanError if there is none."""
    group, kind = process_group(lanes), device_kind(lanes[0].device)
    if group is None:
        group = dist.Backend.default_device_backend_map.get(kind.name, "")
    if not group:
        devices = ", ".join(lane.device for lane in lanes)
        raise PlanError(
            f"ranks cannot meet on {devices}: torch has no process group for that; "
            "use CPU lanes, such as 2xcpu, or another strategy"
        )
    return group


def compute_exactly() -> None:
    """Compute float32 as float32: TF32 in convolutions would show as gradient errors of 1e-3."""
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False


def versions() -> dict[str, str]:
    """What the run depends on, for the recording's header."""
    return {"python": platform.python_version(), "torch": torch.__version__}


def warnings() -> list[str]:
    """What about this machine's settings would spoil a measurement."""
    if os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0"):
        return ["CUDA_LAUNCH_BLOCKING is set: kernels run one by one and nothing overlaps"]
    return []
