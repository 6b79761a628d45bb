"""The plan of a rank's step, completed with the collectives that torch reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.engine.prepare import Prepared
from core.plan.division import Collectives
from core.plan.plan import Plan
from core.plan.planning import job_of
from core.plan.task import Kind, Payload, Task

Key = tuple[Kind, int, Payload]
"""Identifies a task within a rank's step: kind, block or bucket (or -1), and payload."""


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """A step with its plan, whose number in the recording is `number`.

    `own` are this rank's tasks. Tasks with an index of `settled` or more may be renumbered when
    torch reports its collectives.
    """

    step: int
    plan: Plan
    number: int
    own: dict[Key, Task]
    settled: int


class StepExpectations:
    """The expected steps of a rank; `current` is the running step.

    `current` is replaced as a whole, so that another thread always finds the plan and tasks of one
    step.
    `report` records a plan's tasks and returns the plan's number.
    """

    def __init__(
        self, prepared: Prepared, rank: int, report: Callable[[Sequence[Task]], int]
    ) -> None:
        self._prepared = prepared
        self._rank = rank
        self._report = report
        self._reported: Collectives | None = None
        self._is_confirmed = False
        self._numbers: dict[tuple[Task, ...], int] = {}
        self._plans: dict[int, Plan] = {}
        self.current = self._expect(0, prepared.specification.all_rows[0])

    def begin(self, step: int) -> ExpectedStep:
        """Return the next step, with the collectives that torch has reported most recently."""
        self.current = self._expect(step, self._prepared.specification.all_rows[step])
        return self.current

    def learn(self, collectives: Collectives) -> None:
        """Complete the current step's plan with the collectives that torch has run."""
        # Collectives are confirmed if they are as planned, or the same in two steps in a row.
        # DDP's first step has one bucket; after it torch forms the buckets again.
        if collectives == self._reported:
            self._is_confirmed = True
            return
        before = self.current.plan
        self._reported = collectives
        # The plans for other numbers of rows contain the earlier collectives.
        self._plans.clear()
        self.current = self._expect(self.current.step, before.rows)
        self._is_confirmed = self.current.plan == before

    def _expect(self, step: int, rows: int) -> ExpectedStep:
        if rows not in self._plans:
            self._plans[rows] = completed(self._prepared, rows, self._reported)
        plan = self._plans[rows]
        if plan.tasks not in self._numbers:
            self._numbers[plan.tasks] = self._report(plan.tasks)
        own = {_key(task): task for task in plan.tasks if task.replica == self._rank}
        settled = len(plan.tasks)
        if not self._is_confirmed:
            # Tasks are numbered in plan order, so those before the first collective keep their
            # numbers if the collectives change.
            collectives = (task.index for task in plan.tasks if task.kind.is_collective)
            settled = next(collectives, settled)
        return ExpectedStep(
            step=step,
            plan=plan,
            number=self._numbers[plan.tasks],
            own=own,
            settled=settled,
        )


def completed(prepared: Prepared, rows: int, collectives: Collectives | None) -> Plan:
    """Return the plan of a step of `rows` rows, with the collectives if torch has reported them."""
    complete = prepared.strategy.complete
    if collectives is None or complete is None:
        return prepared.plans[rows]
    lanes = list(prepared.lanes)
    job = job_of(prepared.specification, prepared.model, lanes, rows)
    return complete(job, collectives)


def _key(task: Task) -> Key:
    number = task.block if task.bucket is None else task.bucket
    return task.kind, -1 if number is None else number, task.payload
