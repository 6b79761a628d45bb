"""What a rank expects of a step: its plan, completed with the collectives that torch reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.engine.prepare import Prepared
from core.plan.division import Collectives
from core.plan.plan import Plan
from core.plan.planning import job_of
from core.plan.task import Kind, Payload, Task

Key = tuple[Kind, int, Payload]
"""Identifies a task within a rank's step: kind, block or bucket (or -1), and what is moved."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A step as it is expected, by a plan whose number is `number`. `own` are the rank's tasks.

    Tasks whose index is `sure` or more may get other ones when torch reports its collectives.
    """

    step: int
    plan: Plan
    number: int
    own: dict[Key, Task]
    sure: int


class Expectations:
    """The expected steps of a rank; `now` is that of the step under way.

    It is replaced as a whole, so that another thread always finds plan and tasks of one step.
    """

    def __init__(
        self, prepared: Prepared, rank: int, report: Callable[[Sequence[Task]], int]
    ) -> None:
        self._prepared, self._rank, self._report = prepared, rank, report
        self._reported: Collectives | None = None
        self._confirmed = False
        self._numbers: dict[tuple[Task, ...], int] = {}
        self._plans: dict[int, Plan] = {}
        self.now = self._expect(0, prepared.specification.all_rows[0])

    def begin(self, step: int) -> Expected:
        """The coming step, with the collectives that torch last reported."""
        self.now = self._expect(step, self._prepared.specification.all_rows[step])
        return self.now

    def learn(self, collectives: Collectives) -> None:
        """Complete the step under way with what torch did."""
        # Certain are collectives that came twice in a row, or as they were planned: DDP's
        # first step has one bucket, and behind it the buckets are put together anew.
        if collectives == self._reported:
            self._confirmed = True
            return
        before, self._reported = self.now.plan, collectives
        # Those for other numbers of rows were completed with the same collectives.
        self._plans.clear()
        self.now = self._expect(self.now.step, before.rows)
        self._confirmed = self.now.plan == before

    def _expect(self, step: int, rows: int) -> Expected:
        if rows not in self._plans:
            self._plans[rows] = completed(self._prepared, rows, self._reported)
        plan = self._plans[rows]
        if plan.tasks not in self._numbers:
            self._numbers[plan.tasks] = self._report(plan.tasks)
        own = {_key(task): task for task in plan.tasks if task.replica == self._rank}
        first = next((t.index for t in plan.tasks if t.kind.is_collective), len(plan.tasks))
        # Tasks are numbered along the plan: as long as its collectives may
        # change, only what stands before the first of them keeps its number.
        sure = len(plan.tasks) if self._confirmed else first
        return Expected(step, plan, self._numbers[plan.tasks], own, sure)


def completed(prepared: Prepared, rows: int, collectives: Collectives | None) -> Plan:
    """The plan of a step of `rows` rows with the collectives that torch reported, if it has."""
    complete = prepared.strategy.complete
    if collectives is None or complete is None:
        return prepared.plans[rows]
    lanes = list(prepared.lanes)
    return complete(job_of(prepared.specification, prepared.model, lanes, rows), collectives)


def _key(task: Task) -> Key:
    number = task.block if task.bucket is None else task.bucket
    return task.kind, -1 if number is None else number, task.payload
