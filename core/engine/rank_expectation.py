"""What a rank expects of a step: its plan, completed with the collectives that torch reports."""

from __future__ import annotations

import json
from dataclasses import dataclass

from core.engine.prepare import Prepared
from core.plan.specification import job_of
from core.plan.strategy import Collective, Collectives
from core.plan.task import Kind, Payload, Plan, Task
from core.trace.writer import TaskColumns

Key = tuple[Kind, int, Payload]
"""What tells a rank's tasks apart: kind, block or bucket (or -1), and what is moved."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A step as it is expected. `own` are the rank's tasks.

    Tasks whose index is `sure` or more may get other ones when torch reports its collectives.
    """

    step: int
    plan: Plan
    columns: TaskColumns
    own: dict[Key, Task]
    sure: int


class Expectations:
    """The expected steps of a rank; `now` is that of the step under way.

    It is replaced as a whole, so that another thread always finds plan and columns of one step.
    """

    def __init__(self, prepared: Prepared, rank: int) -> None:
        self._prepared, self._rank = prepared, rank
        self._reported: Collectives | None = None
        self._confirmed = False
        self._columns: dict[int, tuple[Plan, TaskColumns]] = {}
        self.now = self._expect(0, prepared.specification.all_rows[0])

    def begin(self, step: int) -> Expected:
        """The coming step, with the collectives that torch last reported."""
        self.now = self._expect(step, self._prepared.specification.all_rows[step])
        return self.now

    def learn(self, collectives: Collectives) -> bool:
        """Complete the step under way with what torch did. Whether that was news."""
        if collectives == self._reported:
            self._confirmed = True
            return False
        before, self._reported = self.now.plan, collectives
        self._columns.clear()
        self.now = self._expect(self.now.step, before.rows)
        self._confirmed = self.now.plan == before
        return True

    def _expect(self, step: int, rows: int) -> Expected:
        if rows not in self._columns:
            plan = completed(self._prepared, rows, self._reported)
            self._columns[rows] = plan, TaskColumns(plan.tasks)
        plan, columns = self._columns[rows]
        own = {_key(task): task for task in plan.tasks if task.replica == self._rank}
        first = next((t.index for t in plan.tasks if t.kind.is_collective), len(plan.tasks))
        return Expected(step, plan, columns, own, len(plan.tasks) if self._confirmed else first)


def completed(prepared: Prepared, rows: int, collectives: Collectives | None) -> Plan:
    """The plan of a step of `rows` rows with the collectives that torch reported, if it has."""
    complete = prepared.strategy.complete
    if collectives is None or complete is None:
        return prepared.plans[rows]
    lanes = list(prepared.lanes)
    return complete(job_of(prepared.specification, prepared.model, lanes, rows), collectives)


def to_text(collectives: Collectives) -> str:
    """A report as ranks send it."""
    return json.dumps([(c.kind, c.payload, c.names) for c in collectives])


def from_text(text: str) -> Collectives:
    """The inverse of `to_text`."""
    return tuple(
        Collective(Kind(kind), Payload(payload), tuple(names))
        for kind, payload, names in json.loads(text)
    )


def _key(task: Task) -> Key:
    number = task.block if task.bucket is None else task.bucket
    return task.kind, -1 if number is None else number, task.payload
