"""The passes of torch.distributed.pipelining's stages: whole stages, by micro-batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import torch.distributed as dist

from .hooks import Hooks, leaves_of, rows_of
from .rank_step import Op


class Stages:
    """Has every stage of this process report its passes, in place of the blocks inside them."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._originals: list[tuple[Any, str, Callable[..., Any]]] = []
        self._rows: dict[tuple[int, int], int] = {}
        if not (dist.is_available() and dist.is_initialized()):
            return
        from torch.distributed.pipelining.schedules import _PipelineSchedule
        from torch.distributed.pipelining.stage import _PipelineStageBase

        stage: Any = _PipelineStageBase
        self._wrap(stage, "forward_one_chunk", self._pass("forward"))
        self._wrap(stage, "backward_one_chunk", self._backward)
        self._wrap(stage, "backward_weight_one_chunk", self._pass("backward-weight"))
        self._wrap(_PipelineSchedule, "_maybe_compute_loss", self._loss)

    def remove(self) -> None:
        """Leave the stages as they were."""
        for kind, name, original in self._originals:
            setattr(kind, name, original)

    def _wrap(self, kind: Any, name: str, wrap: Callable[..., Any]) -> None:
        original = getattr(kind, name, None)
        if original is not None:
            self._originals.append((kind, name, original))
            # A function, which Python binds as a method: a partial it would not.
            setattr(kind, name, wraps(original)(lambda *a, **o: wrap(original, *a, **o)))

    def _pass(self, kind: str) -> Callable[..., Any]:
        def wrap(original: Callable[..., Any], stage: Any, chunk: int, *more: Any, **o: Any) -> Any:
            return self._timed(kind, stage, chunk, partial(original, stage, chunk, *more, **o))

        return wrap

    def _backward(
        self, original: Callable[..., Any], stage: Any, chunk: int, *more: Any, **options: Any
    ) -> Any:
        # Torch's own signature: (chunk, loss, full_backward, ...), by place or by name.
        whole = options.get("full_backward", more[1] if len(more) > 1 else True)
        run = partial(original, stage, chunk, *more, **options)
        return self._timed("backward" if whole else "backward-input", stage, chunk, run)

    def _loss(self, original: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        run = partial(original, *arguments, **options)
        # Torch's own arguments: schedule, stage, output, targets, number of the micro-batch.
        if len(arguments) < 5 or not arguments[1].is_last:
            return run()
        return self._timed("loss", arguments[1], arguments[4], run)

    def _timed(self, kind: str, stage: Any, chunk: int, run: Callable[[], Any]) -> Any:
        hooks = self._hooks
        if hooks.is_paused:  # by the job: an evaluation
            return run()
        # The ranks of one pipeline are one replica, which has the number of the lowest.
        hooks.replica = min(dist.get_process_group_ranks(stage.group))
        op = Op(kind, hooks.now(), stage=stage.stage_index, pass_number=chunk)
        hooks.pause(True)
        try:
            found = run()
        finally:
            op.end = hooks.now()
            hooks.pause(False)
            hooks.ops.append(op)
        where = op.stage, op.pass_number
        if kind == "forward":
            self._rows[where] = rows_of(leaves_of(found))
        op.rows = self._rows.get(where, 0)
        return found
