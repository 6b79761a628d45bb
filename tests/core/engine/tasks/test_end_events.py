"""A task's end event covers all that it launches: what comes behind it, no other lane waits for."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from core.engine.hardware import find_hardware  # noqa: E402
from core.engine.lanes.devices import open_lanes  # noqa: E402
from core.engine.lanes.lane import Stamps  # noqa: E402
from core.engine.prepare import prepare  # noqa: E402
from core.engine.tasks.executor import Executor  # noqa: E402
from core.engine.tasks.operations import Operations  # noqa: E402
from core.models.catalogue import ModelSettings  # noqa: E402
from core.plan.specification import Specification  # noqa: E402
from core.plan.task import Task  # noqa: E402
from tests.core.helpers import SMALL  # noqa: E402

# The second stage does not use its input, so that its gradient of zero has to be made.
CUT_OFF = """
from torch import nn, randn, zeros

class Own(nn.Linear):
    def forward(self, x):
        return self.weight[:1].expand(len(x), -1) + self.bias

def build():
    return [nn.Linear(4, 4), Own(4, 4), nn.Linear(4, 4)]

def batch(rows, generator):
    return randn(rows, 4, generator=generator), zeros(rows, 4)
"""
RUNS = [
    Specification("dp", SMALL, "3xcpu", batch=12),
    Specification("mp", SMALL, "3xcpu", batch=12),
    Specification("tp", SMALL, "2xcpu", batch=12),
    Specification("dp-pp", SMALL, "4xcpu", batch=12, microbatches=2),
    Specification("pipeline", SMALL, "3xcpu", batch=12, microbatches=4, schedule="1f1b"),
    Specification("pipeline", SMALL, "3xcpu", batch=12, microbatches=4, schedule="zb-h1"),
    Specification("pipeline", SMALL, "2xcpu", batch=12, microbatches=4, schedule="dualpipe-v"),
]


class Launches(TorchDispatchMode):
    """Notes the operators that make or write tensors' memory once a task has its end."""

    def __init__(self, stamps: Stamps, task: Task, late: list[str]) -> None:
        super().__init__()
        self._stamps, self._task, self._late = stamps, task, late

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        # A view is made on the host alone.
        if self._stamps.end is not None and not func.is_view:
            self._late.append(f"{self._task}: {func}")
        return made


class Watched(Operations):
    """Operations whose launches behind an end are noted in `late`."""

    late: list[str]

    def run(self, task: Task, stamps: Stamps) -> list[torch.Tensor]:
        with Launches(stamps, task, self.late):
            return super().run(task, stamps)


def launched_late(specification: Specification) -> list[str]:
    asked = replace(specification, steps=2, warmup=0, calibrate=False)
    prepared = prepare(asked, find_hardware())
    assert prepared.workload is not None
    operations = Watched(prepared)
    operations.late = []
    plan = prepared.plan_list[0]
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.header.lanes)]
        executor = Executor(lanes, operations, None)
        for index, batch in enumerate(prepared.workload.batches(prepared.specification)):
            executor.run(index, plan, 0, batch)
    return operations.late


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.schedule or run.strategy)
def test_no_task_launches_anything_after_its_end(run: Specification) -> None:
    assert launched_late(run) == []


@pytest.mark.parametrize("schedule", ["1f1b", "zb-h1"])
def test_a_gradient_of_zero_is_made_before_the_end(tmp_path: Path, schedule: str) -> None:
    path = tmp_path / "cut_off.py"
    path.write_text(CUT_OFF)
    model = ModelSettings(str(path))
    run = Specification("pipeline", model, "3xcpu", batch=6, microbatches=2, schedule=schedule)
    assert launched_late(run) == []
