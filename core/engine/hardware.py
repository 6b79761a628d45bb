"""What this machine has, as torch sees it."""

from __future__ import annotations

import os
import platform
from dataclasses import replace

import torch

from core.machine import host
from core.plan.lanes import Gpu, Hardware


def find_hardware() -> Hardware:
    """Usable cores, memory and CUDA devices."""
    gpus = []
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            gpus.append(Gpu(properties.name, properties.total_memory))
    return replace(host(), gpus=tuple(gpus))


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
