"""Records the passes of torch.distributed.pipelining's stages, one for each micro-batch.

Before the first step, and between training and evaluation, torch runs each stage once to learn the
shapes of its tensors. Such a trial pass belongs to no step, just like an evaluation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from types import FrameType
from typing import Any

import torch.distributed as dist

from .guard import Guard
from .hooks import BlockHooks
from .rank_step import Op
from .values import leaves_of, rows_of

PIPELINING = "torch.distributed.pipelining"
STAGES = ("PipelineStage", "_PipelineStage")
"""torch's stage classes: for any module, and for a graph that torch has split."""
TRIALS = ("_prepare_forward_infra", "_prepare_backward_infra")
"""The methods of a stage that run its trial passes."""
Run = Callable[[], Any]
Wrap = Callable[[Run, tuple[Any, ...], dict[str, Any]], Any]
"""Runs a method of a stage or schedule, given with its arguments, and records its times."""


class StageHooks:
    """Records the passes of every stage in this process, instead of the blocks inside them.

    `pause` begins and ends a period that belongs to no step.
    """

    def __init__(self, hooks: BlockHooks, guard: Guard, pause: Callable[[bool], None]) -> None:
        self._hooks = hooks
        self._guard = guard
        self._pause = pause
        self._is_trial = False
        self._originals: list[tuple[Any, str, Callable[..., Any]]] = []
        self._rows: dict[tuple[int, int], int] = {}

    def install(self) -> None:
        """Begin recording, if the job has imported torch's pipelining.

        Otherwise call it again later, because the job may still import it.
        """
        stage: Any = sys.modules.get(f"{PIPELINING}.stage")
        schedules: Any = sys.modules.get(f"{PIPELINING}.schedules")
        if self._originals or stage is None or schedules is None:
            return
        self._wrap(stage._PipelineStageBase, "forward_one_chunk", self._pass("forward"))
        self._wrap(stage._PipelineStageBase, "backward_one_chunk", self._backward)
        weight = self._pass("backward-weight")
        self._wrap(stage._PipelineStageBase, "backward_weight_one_chunk", weight)
        self._wrap(schedules._PipelineSchedule, "_maybe_compute_loss", self._loss)
        for kind in STAGES:
            for name in TRIALS:
                self._wrap(getattr(stage, kind, None), name, self._trial)
        if _is_running(TRIALS, stage.__file__):
            # The job has imported pipelining only now, and its first pass is a trial.
            self._begin_trial()

    def remove(self) -> None:
        """Restore torch's methods."""
        for kind, name, original in self._originals:
            setattr(kind, name, original)

    def _wrap(self, kind: Any, name: str, wrap: Wrap) -> None:
        original = getattr(kind, name, None)
        if original is None:
            return

        @wraps(original)
        def call(*arguments: Any, **options: Any) -> Any:
            return wrap(partial(original, *arguments, **options), arguments, options)

        self._originals.append((kind, name, original))
        setattr(kind, name, call)

    def _pass(self, kind: str) -> Wrap:
        def wrap(run: Run, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
            return self._timed(kind, arguments[0], _chunk(arguments, options), run)

        return wrap

    def _backward(self, run: Run, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        # torch's signature is (stage, chunk, loss, full_backward, ...); each may be given by name.
        is_full = options.get("full_backward", True)
        if len(arguments) > 3:
            is_full = arguments[3]
        kind = "backward" if is_full else "backward-input"
        return self._timed(kind, arguments[0], _chunk(arguments, options), run)

    def _loss(self, run: Run, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        # torch calls it with (schedule, stage, output, targets, micro-batch).
        if len(arguments) < 5 or not arguments[1].is_last:
            return run()
        return self._timed("loss", arguments[1], arguments[4], run)

    def _trial(self, run: Run, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        self._guard(self._begin_trial)
        try:
            return run()
        finally:
            self._guard(self._end_trial)

    def _begin_trial(self) -> None:
        if not self._hooks.is_muted:
            self._is_trial = True
            self._pause(True)

    def _end_trial(self) -> None:
        if self._is_trial:
            self._is_trial = False
            self._pause(False)

    def _timed(self, kind: str, stage: Any, chunk: int, run: Run) -> Any:
        self._guard(self._end_trial)  # a trial that began before the methods were replaced
        if self._hooks.is_muted:  # the job has paused the recording
            return run()
        op = self._guard(self._begin, kind, stage, chunk)
        try:
            found = run()
        finally:
            if op is not None:
                self._guard(self._end)
        if op is not None:
            self._guard(self._count_rows, op, found)
        return found

    def _begin(self, kind: str, stage: Any, chunk: int) -> Op:
        hooks = self._hooks
        hooks.begin(stage.submod)
        # The ranks of one pipeline form one replica, numbered by its lowest rank.
        hooks.replica = min(dist.get_process_group_ranks(stage.group))
        op = Op(kind, hooks.ops.now(), stage=stage.stage_index, pass_number=chunk)
        hooks.stage.begin(op)
        hooks.mute(True)
        return op

    def _end(self) -> None:
        self._hooks.stage.end()
        self._hooks.mute(False)

    def _count_rows(self, op: Op, output: Any) -> None:
        where = op.stage, op.pass_number
        if op.kind == "forward":
            self._rows[where] = rows_of(list(leaves_of(output)))
        op.rows = self._rows.get(where, 0)


def _is_running(names: Sequence[str], file: str) -> bool:
    """Return True if this thread is inside one of the named functions of a file."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == file and frame.f_code.co_name in names:
            return True
        frame = frame.f_back
    return False


def _chunk(arguments: tuple[Any, ...], options: dict[str, Any]) -> int:
    """Return the number of the micro-batch, the first argument after the stage."""
    if len(arguments) > 1:
        return int(arguments[1])
    return int(next(iter(options.values())))
