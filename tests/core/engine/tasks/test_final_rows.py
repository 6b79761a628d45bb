"""Rows of a step are final when it ends: its timestamps may then belong to the next step."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from core.engine.lanes.lane import Stamps
from core.engine.tasks.executor import RunningStep, _LaneJob
from core.plan.task import Kind, Task


@dataclass
class DeviceEvent:
    """A timestamp of a device, which the lane uses again."""

    ns: int


def test_blocks_keep_their_times_when_the_lane_uses_their_timestamps_again():
    made = [DeviceEvent(ns) for ns in (10, 11, 20, 49, 50)]
    unused = iter(made)
    stamps = Stamps(lambda: next(unused), blocks=True)
    stamps.begin()
    for border in range(3):
        stamps.note_border(False, border)
    stamps.finish()
    clock = SimpleNamespace(time=lambda event: event.ns)
    blocks = tuple(Task(n + 1, Kind.FORWARD, 0, stage=0, block=n) for n in range(2))
    task = Task(0, Kind.FORWARD, 0, stage=0)
    job = _LaneJob(task, SimpleNamespace(), clock, [], blocks, stamps, launched=5)
    job.settle(10, 50)
    for event in made:
        event.ns += 1000  # the next step
    rows = list(RunningStep(1, 0, [[job]], [0], over=True).unsent_rows(0))
    assert rows == [(0, 10, 50, 5), (1, 11, 20, None), (2, 20, 49, None)]
