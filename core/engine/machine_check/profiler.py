"""Compares spans with the profiler's record of the same kernels."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch._C._autograd import DeviceType
from torch.profiler import profile, supported_activities

from core.check.measured import Measured, NotMeasured, ProfilerDifference
from core.engine.lanes.devices import open_clock, open_lanes
from core.engine.lanes.lane import LaneThread, Timestamp, wait_until
from core.engine.machine_check.lanes import lanes_on
from core.engine.machine_check.runs import file_stem
from core.message import message
from core.plan.devices import HOST, device_kind

KERNELS = 20
ELEMENTS = 1 << 22
"""Elements of the tensor that a kernel multiplies: about a millisecond on a CPU."""
KERNEL = "aten::mul_"
"""The profiler's name of the kernel on a CPU. An accelerator's kernels have other names."""

_Stamps = tuple[Timestamp, Timestamp]


def profiler_difference(device: str, folder: str = "") -> Measured:
    """Return how far starts and ends of spans are from those that the profiler recorded.

    Each span contains one kernel. Saves the profiler's own trace in `folder`, unless it is "".
    """
    (lane,) = open_lanes(lanes_on(device))
    clock = open_clock(device)
    with lane:
        values = lane.call(partial(torch.ones, ELEMENTS, device=torch.device(device))).result()
        lane.call(partial(_stamped, lane, values)).result()
        clock.begin()
        # The profiler only sees the operators of the thread that starts it.
        recorded, stamps = lane.call(partial(_profiled, lane, values)).result()
        half_width = clock.end()
    offset = _epoch_offset()
    spans = []
    for start, end in stamps:
        spans.append((clock.time(start) + offset, clock.time(end) + offset))
    kernels = _kernels(recorded, device)
    if folder:
        recorded.export_chrome_trace(str(Path(folder, f"profiler-{file_stem(device)}.json")))
    if len(kernels) != len(spans):
        reason = message(
            "the profiler has {found} of {wanted} kernels", found=len(kernels), wanted=len(spans)
        )
        return NotMeasured(ProfilerDifference.__name__, device, reason)
    starts = []
    ends = []
    for span, kernel in zip(spans, kernels, strict=True):
        starts.append(abs(span[0] - kernel[0]))
        ends.append(abs(span[1] - kernel[1]))
    return ProfilerDifference(
        device=device,
        start=statistics.median(starts),
        end=statistics.median(ends),
        half_width=half_width,
        kernels=len(kernels),
    )


def _stamped(lane: LaneThread, values: torch.Tensor) -> list[_Stamps]:
    """Return the stamps around each kernel, once all have ended."""
    stamps = []
    for _ in range(KERNELS):
        start = lane.timestamp()
        values.mul_(1.0001)
        stamps.append((start, lane.timestamp()))
    wait_until(lane.timestamp())
    return stamps


def _profiled(lane: LaneThread, values: torch.Tensor) -> tuple[Any, list[_Stamps]]:
    """Return the profiler's record, and the stamps around each kernel."""
    activities = supported_activities()
    # There is one cycle only. Without `acc_events` torch 2.11 warns that others would be lost.
    with _without_native_errors(), profile(activities=activities, acc_events=True) as recorded:
        stamps = _stamped(lane, values)
    return recorded, stamps


@contextmanager
def _without_native_errors() -> Iterator[None]:
    """Context without standard error: the profiler's library prints there when it starts."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _kernels(recorded: Any, device: str) -> list[tuple[int, int]]:
    """Return start and end of each kernel of the device, in order, in ns since the epoch."""
    on_host = device_kind(device) is HOST
    found = []
    for event in recorded.profiler.kineto_results.events():
        is_of_host = event.device_type() == DeviceType.CPU
        if is_of_host != on_host or (on_host and event.name() != KERNEL):
            continue
        if not on_host and event.device_index() != torch.device(device).index:
            continue
        found.append((event.start_ns(), event.start_ns() + event.duration_ns()))
    return sorted(found)


def _epoch_offset() -> int:
    """Return the time since the epoch minus the host's clock, in ns, from the fastest reading."""
    readings = []
    for _ in range(8):
        before = time.perf_counter_ns()
        epoch = time.time_ns()
        after = time.perf_counter_ns()
        readings.append((after - before, epoch - (before + after) // 2))
    return min(readings)[1]
