"""Measures stamps, clocks and lanes of a device with the classes that runs use."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import ExitStack
from functools import partial

import torch

from core.check.measured import ClockWidth, Overlap, StampCost
from core.engine.lanes.devices import open_clock, open_lanes
from core.engine.lanes.lane import LaneThread, wait_until
from core.plan.devices import HOST, device_kind
from core.plan.plan import Lane

STAMPS = 1000
TRIES = 5
PRODUCTS = 20
"""Matrix products of the work on a lane: several milliseconds on a CPU."""
SIZE = 384


def lanes_on(*devices: str) -> tuple[Lane, ...]:
    """Return planned lanes with a core each, or a stream."""
    lanes = []
    for index, device in enumerate(devices):
        cores = 1 if device_kind(device) is HOST else 0
        lanes.append(Lane(index, f"{device} {index}", device, cores=cores))
    return tuple(lanes)


def stamp_cost(device: str) -> StampCost:
    """Return the median and the 99th percentile of the ns that a stamp takes on a lane's thread."""
    (lane,) = open_lanes(lanes_on(device))
    with lane:
        costs = sorted(lane.call(lambda: _stamps(lane)).result())
    return StampCost(device, statistics.median(costs), costs[len(costs) * 99 // 100])


def _stamps(lane: LaneThread) -> list[int]:
    """Return the ns that each stamp took."""
    costs = []
    for _ in range(STAMPS):
        begun = time.perf_counter_ns()
        stamp = lane.timestamp()
        costs.append(time.perf_counter_ns() - begun)
        lane.recycle([stamp])
    wait_until(lane.timestamp())
    return costs


def clock_width(device: str) -> ClockWidth:
    """Return the uncertainty of a device's clock, anchored as at the start and end of a step."""
    clock = open_clock(device)
    clock.begin()
    return ClockWidth(device, clock.end())


def overlap(first: str, second: str) -> Overlap:
    """Time equal work on each of two lanes separately and on both at once; medians of TRIES."""
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(lanes_on(first, second))]
        works = [lane.call(partial(_work, lane.device)).result() for lane in lanes]
        alone = []
        together = []
        for _ in range(TRIES):
            times: list[int] = []
            for lane, work in zip(lanes, works, strict=True):
                times.append(_time([lane], [work]))
            alone.append(max(times))
            together.append(_time(lanes, works))
    return Overlap(f"{first} + {second}", _median(alone), _median(together))


def _work(device: torch.device) -> Callable[[], None]:
    """Return work for a device, after running it once."""
    matrix = torch.rand(SIZE, SIZE, device=device)
    result = torch.empty_like(matrix)

    def multiply() -> None:
        for _ in range(PRODUCTS):
            torch.mm(matrix, matrix, out=result)

    multiply()
    return multiply


def _time(lanes: list[LaneThread], works: list[Callable[[], None]]) -> int:
    """Return the ns until all lanes have ended their work, begun at the same time."""
    begun = time.perf_counter_ns()
    futures = []
    for lane, work in zip(lanes, works, strict=True):
        futures.append(lane.call(partial(_complete, lane, work)))
    wait(futures)
    taken = time.perf_counter_ns() - begun
    for future in futures:
        future.result()
    return taken


def _complete(lane: LaneThread, work: Callable[[], None]) -> None:
    """Do work in a lane's thread, and wait for its end on the device."""
    work()
    wait_until(lane.timestamp())


def _median(values: list[int]) -> int:
    return int(statistics.median(values))
