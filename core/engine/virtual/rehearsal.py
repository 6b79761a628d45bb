"""Runs each task of a step once untimed, on copies of the modules, directly before it is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

from core.engine.failures import is_out_of_memory
from core.engine.lanes.devices import kept_random_state
from core.engine.lanes.host_memory import page_faults
from core.engine.lanes.isolated import IsolatedLane
from core.engine.models.modules import Batch
from core.engine.tasks.operations import Operations
from core.plan.plan import Plan
from core.plan.task import Task

LONG_NS = 5_000_000
"""Tasks of this length on average need no rehearsal: a cold start adds at most some percent."""

FEW_FAULTS = 200
"""Page faults of a whole step that add less than 0.1 ms to its tasks."""
MOST_WARM_UPS = 8
WARM_UP_SECONDS = 1.0
"""Limits of the warm-up before the first rehearsed step: whole steps, and time."""


class Rehearsal:
    """An untimed run of each task, so that its timed run finds warm caches.

    The first task after tasks of another kind takes up to four times as long as the next one of its
    kind: the interpreter, the processor's caches and torch's allocator are cold. On virtual lanes
    the tasks of all lanes take turns, so one lane would always get the cold start. Before the first
    rehearsed step the whole step is rehearsed until its memory is warm too (`_warm_up`).

    A rehearsal follows a step task by task on copies of the run's modules, which `make` returns.
    Their learning rate is zero, and the random state is restored after each task, so the run's
    results and the memory figures of its lanes do not depend on it. `log` gets a line if there is
    not enough memory for rehearsals.
    """

    def __init__(
        self, make: Callable[[], Operations], isolated: IsolatedLane, log: Callable[[str], None]
    ) -> None:
        self._make = make
        self._isolated = isolated
        self._log = log
        self._operations: Operations | None = None
        self._step: tuple[Plan, Batch] | None = None
        self._order: list[Task] = []
        """The tasks of the step in progress, in the order in which they have run."""
        self._is_wanted = False
        self._has_failed = False

    def begin(self, plan: Plan, batch: Batch) -> None:
        """Prepare the rehearsal of a step's tasks, if the tasks of an earlier step were short."""
        self._step = plan, batch
        self._order = []
        if self._is_wanted:
            self._attempt(partial(self._prepare, plan, batch))

    def run(self, task: Task) -> None:
        """Run a task untimed, if this step is rehearsed. Raises the task's exception."""
        self._order.append(task)
        if self._operations is not None:
            self._attempt(partial(self._rehearse, self._operations, task))

    def end(self, lengths: Sequence[float]) -> None:
        """End a step whose tasks took `lengths` ns. Rehearse later steps if these were short."""
        # Rehearsals are not stopped by long tasks: near the limit they would start and stop.
        if self._is_wanted or self._has_failed:
            return
        if lengths and fmean(lengths) < LONG_NS:
            self._is_wanted = True
            self._attempt(self._warm_up)

    def _warm_up(self) -> None:
        """Rehearse the whole step that has just run, until it uses hardly any memory first.

        The system provides each page of memory at its first use, within a task. The gradients of
        the run are still held here. So the rehearsal's get memory of their own, and later steps
        find enough used memory for both. In a process that has executed many runs the free memory
        consists of many pieces, and the allocator takes others of them in each step.
        """
        assert self._step is not None
        plan, batch = self._step
        end = time.monotonic() + WARM_UP_SECONDS
        for _ in range(MOST_WARM_UPS):
            before = page_faults()
            operations = self._prepare(plan, batch)
            for task in self._order:
                if time.monotonic() > end:
                    return
                self._rehearse(operations, task)
            if page_faults() - before < FEW_FAULTS:
                return

    def _prepare(self, plan: Plan, batch: Batch) -> Operations:
        operations = self._operations
        if operations is None:
            operations = self._make()
            operations.model.keep_parameters()
            self._operations = operations
        operations.begin(0, plan, batch)
        return operations

    def _rehearse(self, operations: Operations, task: Task) -> None:
        with kept_random_state([self._isolated.device]):
            self._isolated.time(partial(operations.run, task))

    def _attempt(self, work: Callable[[], object]) -> None:
        """Do `work`; if memory does not suffice for it, stop rehearsing."""
        try:
            work()
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            self._operations = None
            self._is_wanted = False
            self._has_failed = True
            self._log(
                "there is not enough memory for an untimed run of each task before its timed run"
            )
