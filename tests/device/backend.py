"""Registers the test device with torch, as the module torch.deferred. See build.py."""

from __future__ import annotations

import contextlib
import types
from pathlib import Path

NAME = "deferred"
LIBRARY = "deferred.so"
DEVICES = 2


def load() -> None:
    """Entry point of the group torch.backends, which torch calls when it is imported."""
    import torch

    if hasattr(torch, NAME):
        return
    # The shapes of some operators' results are only known to meta kernels in Python.
    import torch._meta_registrations

    torch.ops.load_library(folder() / LIBRARY)
    torch.utils.rename_privateuse1_backend(NAME)
    torch._register_device_module(NAME, _module())
    from tests.device.ranks import register

    register()


def folder() -> Path:
    """Return the folder that has the compiled library."""
    return Path(__file__).resolve().parents[2] / "build" / "device"


def _module() -> types.ModuleType:
    """Return the functions that torch expects of a device's module."""
    import torch

    module = types.ModuleType(f"torch.{NAME}")
    module.is_available = lambda: True
    module.device_count = lambda: DEVICES  # torch.accelerator asks this
    module.current_device = torch.accelerator.current_device_index
    module.set_device = torch.accelerator.set_device_index
    module.is_initialized = lambda: True
    module._is_in_bad_fork = lambda: False
    # The CPU's kernels draw the random numbers, from the CPU's state, which is kept anyway.
    module.get_rng_state = lambda device=None: torch.get_rng_state()
    module.set_rng_state = lambda state, device=None: None
    module.manual_seed_all = lambda seed: None
    module.get_amp_supported_dtype = lambda: [torch.bfloat16]
    # fully_shard makes streams and events by the device's module.
    module.Stream, module.Event = torch.Stream, torch.Event
    module.current_stream = torch.accelerator.current_stream
    module.stream = lambda stream: contextlib.nullcontext() if stream is None else stream
    return module


def races() -> list[str]:
    """Return the accesses that were not ordered since the last call."""
    import torch

    return torch.ops.deferred.races()
