"""This machine's cores and memory, without torch."""

from __future__ import annotations

import os

from core.plan.devices import Hardware


def usable_cores() -> int:
    """Cores that this process may run on."""
    # macOS has it not. Where it is, a container or `taskset` may allow fewer than there are.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int:
    """Physical memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def host() -> Hardware:
    """The machine without its accelerators, which only the engine can ask torch about."""
    return Hardware(usable_cores(), memory_bytes())
