"""This machine's cores and memory, without torch."""

from __future__ import annotations

import os

from core.plan.devices import Hardware


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    # A container or `taskset` may allow fewer cores than exist. macOS lacks the function.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int:
    """Return the size of the machine's physical memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def host_hardware() -> Hardware:
    """Return this machine's hardware without accelerators, which only the engine can detect."""
    return Hardware(usable_cores(), memory_bytes())
