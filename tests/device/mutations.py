"""Waits and lifetimes of the engine, each taken out in turn: the test device must show all of them.

Run in a process that has the test device (tests.device.build): `python -m tests.device
.venv/bin/python -m tests.device.mutations` prints a row for each.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from unittest import mock

import torch

from core.engine.hardware import find_hardware
from core.engine.lanes import devices as lane_devices
from core.engine.lanes.devices import StreamLane
from core.engine.prepare import prepare
from core.engine.tasks import executor, operations
from core.engine.tasks.executor import Executor
from core.engine.tasks.operations import Operations
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.summary import summarise
from tests.core.helpers import run_here
from tests.device.backend import races

TWO = "deferred:0,deferred:1"
FOUR = f"{TWO},{TWO}"
TOLERANCE = 1e-5
"""Largest relative error of gradients and losses that is rounding."""

Removal = Callable[[], contextlib.AbstractContextManager[None]]


class Seen(NamedTuple):
    """The result of a run: its largest gradient error, and the accesses that were not ordered."""

    error: float
    races: list[str]
    failure: str = ""

    @property
    def is_right(self) -> bool:
        """True if nothing shows that a wait is missing."""
        return self.error <= TOLERANCE and not self.races and not self.failure


def specification(strategy: str, devices: str = TWO, **settings: Any) -> Specification:
    """A small run; the gradients of its steps are compared with the plain step's."""
    model = ModelSettings("mlp", width=64, depth=4)
    given = {"batch": 64, "steps": 2, "warmup": 1, "verify": True, **settings}
    return Specification(strategy, model, devices, **given)


def pipeline(schedule: str, devices: str = TWO) -> Specification:
    """A pipeline of four micro-batches."""
    return specification("pipeline", devices, schedule=schedule, microbatches=4)


RUNS = {
    "dp": specification("dp"),
    "mp": specification("mp"),
    "tp": specification("tp"),
    "1f1b": pipeline("1f1b"),
    "1f1b, one device": pipeline("1f1b", "2xdeferred:0"),
    "zb-h1": pipeline("zb-h1"),
    "dp-pp": specification("dp-pp", FOUR, microbatches=2),
}


def run(given: Specification) -> Seen:
    """Run it in this process on the test device."""
    races()
    try:
        summary = summarise(run_here(given))
    except RuntimeError as failure:
        return Seen(math.inf, races(), str(failure).partition("\n")[0])
    errors = (summary.gradient_error, summary.loss_error)
    worst = max(math.inf if error is None or math.isnan(error) else error for error in errors)
    return Seen(worst, races())


@contextlib.contextmanager
def without_lane_waits() -> Iterator[None]:
    """No task waits for a task of another lane."""
    with mock.patch.object(StreamLane, "wait", lambda lane, timestamp: None):
        yield


@contextlib.contextmanager
def without_waits_of(kind: Kind, other: Kind) -> Iterator[None]:
    """Tasks of a kind do not wait for tasks of another kind."""
    launch = Executor._launch

    def launched(self: Executor, job: executor._LaneJob) -> None:
        if job.task.kind is kind:
            job.after = [earlier for earlier in job.after if earlier.task.kind is not other]
        launch(self, job)

    with mock.patch.object(Executor, "_launch", launched):
        yield


@contextlib.contextmanager
def without_held_tensors(kind: Kind | None = None) -> Iterator[None]:
    """Tensors are released when a task (of a kind) is launched, not when it has ended."""
    run_task = Operations.run

    def ran(self: Operations, task: Any, stamps: Any) -> list[torch.Tensor]:
        held = run_task(self, task, stamps)
        return [] if kind in (None, task.kind) else held

    with mock.patch.object(Operations, "run", ran):
        yield


@contextlib.contextmanager
def without_wait_for_the_end() -> Iterator[None]:
    """The step is taken as complete when all of its tasks are launched."""
    with mock.patch.object(executor, "wait_until", lambda timestamp: None):
        yield


@contextlib.contextmanager
def without_idle_device() -> Iterator[None]:
    """Inputs and parameters may still be on their way when the lanes begin."""
    with mock.patch.object(lane_devices.torch.accelerator, "synchronize", lambda device: None):
        yield


@contextlib.contextmanager
def gradient_after_end() -> Iterator[None]:
    """The gradient of a stage's input is launched behind the task's end event."""
    put = operations._put_input_gradient

    def put_late(step: Any, part: Any, task: Any, gradient: torch.Tensor | None) -> None:
        put(step, part, task, None if gradient is None else gradient.clone())

    with mock.patch.object(operations, "_put_input_gradient", put_late):
        yield


def held_by(kind: Kind) -> Removal:
    """Return the removal of the lifetimes of the tensors that tasks of a kind hold."""
    return functools.partial(without_held_tensors, kind)


class Mutation(NamedTuple):
    """A wait that is taken out, and the runs of which one must show it."""

    name: str
    remove: Removal
    runs: Sequence[str]


ENGINE = [
    Mutation("lanes: a task waits for other lanes", without_lane_waits, ["dp"]),
    Mutation("lanes: the device is idle when a step begins", without_idle_device, ["dp"]),
    Mutation("lanes: a step ends after its tasks", without_wait_for_the_end, ["1f1b", "dp"]),
    Mutation("values: a copy holds its source", held_by(Kind.COPY), ["1f1b", "1f1b, one device"]),
    Mutation("values: an all-reduce holds its parts", held_by(Kind.ALL_REDUCE), ["tp"]),
    Mutation("values: a backward holds its gradient", held_by(Kind.BACKWARD), ["1f1b", "mp"]),
    Mutation("values: an input's gradient is before the end", gradient_after_end, ["mp", "1f1b"]),
]
"""Waits of the engine itself. `waits_of_plans` adds the waits between tasks.

Not in the table: the streams of a lane on other devices wait too (`StreamLane.wait`). Copies make
both streams wait for each other here, as for CUDA, so this is needed by other backends only.
"""


def waits_of_plans() -> list[Mutation]:
    """Return a mutation for each kind of wait between lanes in each run's plan."""
    found = []
    for name, given in RUNS.items():
        plan = prepare(given, find_hardware()).plan_list[0]
        pairs: dict[tuple[Kind, Kind], None] = {}
        for task in plan.tasks:
            # The last task of a lane includes the earlier ones.
            last = {plan.tasks[index].lane: plan.tasks[index] for index in sorted(task.after)}
            last.pop(task.lane, None)
            pairs.update({(task.kind, other.kind): None for other in last.values()})
        # An all-reduce begins when the links of all members are free: that orders no access.
        pairs.pop((Kind.ALL_REDUCE, Kind.COPY), None)
        for kind, other in pairs:
            text = f"{name}: {kind.value} waits for {other.value}"
            removal = functools.partial(without_waits_of, kind, other)
            found.append(Mutation(text, removal, [name]))
    return found


class Row(NamedTuple):
    """The result of a run with a mutation, which is seen by races, wrong numbers or a failure."""

    name: str
    run: str
    races: int
    error: float
    failure: str

    @property
    def is_seen(self) -> bool:
        """True if the run showed it."""
        return self.run != ""


def try_mutation(mutation: Mutation) -> Row:
    """Try a mutation until a run shows it."""
    for name in mutation.runs:
        with mutation.remove():
            seen = run(RUNS[name])
        torch.accelerator.synchronize("deferred:0")
        torch.accelerator.synchronize("deferred:1")
        if not seen.is_right:
            return Row(mutation.name, name, len(seen.races), seen.error, seen.failure)
    return Row(mutation.name, "", 0, 0.0, "")


def table() -> dict[str, Any]:
    """Return the rows of the untouched engine's runs, by name, and of all mutations."""
    mutations = [*ENGINE, *waits_of_plans()]
    untouched = {name: run(given)._asdict() for name, given in RUNS.items()}
    return {"untouched": untouched, "mutations": [try_mutation(m)._asdict() for m in mutations]}


def main() -> int:
    """Print the table, or with --json as JSON; returns 1 if a mutation was not seen."""
    made = table()
    rows = [Row(**row) for row in made["mutations"]]
    if "--json" in sys.argv:
        print(json.dumps(made))
        return 0
    for name, seen in made["untouched"].items():
        print(f"{name:52} error {seen['error']:.1e}, {len(seen['races'])} races {seen['failure']}")
    for row in rows:
        how = f"error {row.error:.1e}, {row.races} races {row.failure}"
        print(f"{row.name:52} {row.run + ': ' + how if row.is_seen else 'NOT SEEN'}")
    return 0 if all(row.is_seen for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
