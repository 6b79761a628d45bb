"""Builds plans task by task, for strategies that are no pipelines."""

from __future__ import annotations

from collections.abc import Sequence

from core.plan.task import Kind, Payload, PlanError, Task, TaskColumns


class PlanBuilder:
    """Collects tasks in order; `add` returns the index by which later tasks wait for this one."""

    def __init__(self) -> None:
        self._tasks: list[Task] = []

    @property
    def columns(self) -> TaskColumns:
        """All tasks so far."""
        return TaskColumns.of(self._tasks)

    def add(
        self,
        kind: Kind,
        lane: int,
        after: Sequence[int] = (),
        *,
        stage: int | None = None,
        replica: int | None = None,
        shard: int | None = None,
        microbatch: int | None = None,
        block: int | None = None,
        bucket: int | None = None,
        rows: int = 0,
        bytes: int = 0,
        payload: Payload = Payload.NONE,
    ) -> int:
        """Append a task. Raises PlanError if it waits for a task that is not there yet."""
        index = len(self._tasks)
        needs = tuple(dict.fromkeys(after))
        for other in needs:
            if not 0 <= other < index:
                raise PlanError(f"task {index} ({kind}) waits for task {other}, which comes later")
        self._tasks.append(
            Task(
                index,
                kind,
                lane,
                stage,
                replica,
                microbatch,
                block,
                bucket,
                rows,
                bytes,
                payload,
                needs,
                shard=shard,
            )
        )
        return index
