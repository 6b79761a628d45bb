"""Records the current pass of a pipeline's stage, without the time in which it waits."""

from __future__ import annotations

from dataclasses import replace

from .rank_step import Op
from .step_ops import StepOps


class StagePass:
    """Records the pass of a stage as a whole; parts of it if it waits for collectives."""

    def __init__(self, ops: StepOps) -> None:
        self._ops = ops
        self._op: Op | None = None
        self._buckets: list[Op] = []

    def begin(self, op: Op) -> None:
        """Begin the pass."""
        self._op = self._ops.note(op)
        self._buckets.clear()

    def end(self) -> None:
        """End the pass.

        Before a backward pass returns, DistributedDataParallel waits for its buckets. So the pass
        ended when the last bucket was requested: the last gradients had arrived then.
        """
        if self._op is not None and not self._buckets:
            self._op.end = self._ops.now()
        for bucket in self._buckets:
            bucket.is_awaited = True
        self._op = None

    def request(self, bucket: Op) -> None:
        """Note that DistributedDataParallel begins to reduce a bucket."""
        if self._op is not None:
            self._op.end = self._ops.now()
            self._buckets.append(bucket)

    def interrupt(self) -> bool:
        """Interrupt the pass while it waits for a collective; return False if no pass runs."""
        if self._op is None:
            return False
        self._op.end = self._ops.now()
        return True

    def resume(self) -> bool:
        """Continue the pass after a collective; return False if no pass runs."""
        if self._op is None:
            return False
        rest = replace(self._op, start=self._ops.now(), end=None, rows=0)
        self._op = self._ops.note(rest)
        return True
