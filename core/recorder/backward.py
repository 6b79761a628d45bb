"""The backward pass as far as hooks show it: which block's gradients are computed now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from .guard import Guard
from .memory import Activations
from .rank_step import Op
from .step_ops import StepOps
from .values import flows, leaves_of


def is_backward() -> bool:
    """Return True if this thread runs a backward pass."""
    # torch has no public way to ask.
    return bool(torch._C._current_graph_task_id() != -1)


class Backward:
    """Turns gradients that arrive into one span for each block's backward, and the loss before."""

    def __init__(self, ops: StepOps, guard: Guard, activations: Activations | None = None) -> None:
        self._ops, self._guard, self._activations = ops, guard, activations
        self.is_removed = False
        self.is_exact = False
        """Leave out of a block's span what wrappers of torch do around it.

        A block then ends with its last parameter's gradient, which is before torch reduces that, or
        without parameters when the gradient of the output before it is there, which is before torch
        gathers parameters; and so does the loss.
        """
        self.block: Op | None = None
        """The block whose backward runs now."""
        # The same behind a collective that was waited for; it counts once a gradient comes.
        self._rest: Op | None = None
        # Blocks that gave their input on, by the function that made it.
        self._through: dict[object, list[Op]] = {}
        # From the end of the forward pass until the first block's backward.
        self._loss: Op | None = None
        self._loss_of: int | None = None  # the pass whose loss waits for a collective

    def forget(self) -> None:
        """A pass is over, or is noted by somebody else."""
        self._release()
        self._through.clear()
        self.block = self._rest = self._loss = self._loss_of = None

    def begin_loss(self, pass_number: int) -> None:
        """The forward pass has ended."""
        self._loss = self._ops.note(Op("loss", self._ops.now(), pass_number=pass_number))

    def begin(self, op: Op) -> None:
        """The gradient of the output of a block has come, whose forward pass was `op`."""
        now = self._ops.now()
        self._end_before(now)
        if op is not self.block:
            self._release()
        self.block = self._ops.note(self._backward_of(op, now))

    def finish(self) -> None:
        """The backward pass has ended: the last block's, too."""
        if self.block is not None and self.block.end is None:
            self.block.end = self._ops.now()
        self._release()
        self.block = None

    def watch_inputs(self, number: int, leaves: Sequence[object]) -> set[object]:
        """Register hooks on the gradients of a block's inputs; return what made the inputs.

        Call it before the block runs: one that works in place changes what its input is.
        """
        into: list[Any] = [leaf for leaf in leaves if flows(leaf)]
        hook = self._guard.around(lambda *_: self.gradient(number))
        is_noted = torch.is_grad_enabled() and not self.is_exact
        if is_noted and len(into) == 1:
            into[0].register_hook(hook)
        elif is_noted and into:
            torch.autograd.graph.register_multi_grad_hook(into, hook)
        return {leaf.grad_fn for leaf in into}

    def watch_outputs(self, op: Op, made: set[object], output: object) -> None:
        """Begin the block's backward span when the first gradient of an output arrives.

        Outputs that are inputs passed through, which `made` the inputs, are skipped.
        """
        begun: list[Op] = []
        hook = self._guard.around(partial(self._output_ready, op, begun))
        leaves: list[Any] = [leaf for leaf in leaves_of(output) if flows(leaf)]
        functions = {leaf.grad_fn for leaf in leaves} - made
        if self.is_exact:
            # A tensor's hooks run in the order of their registration, and all of them before those
            # of the function that made it. So when this output's gradient is there:
            #     ours ends what ran | torch's gathers parameters | ours begins the block's backward
            through: list[Op] = []
            arrived = self._guard.around(partial(self._gradient_arrived, through, begun))
            for leaf in leaves if functions else ():
                leaf.register_hook(arrived)
            if leaves and not functions:
                self._through.get(leaves[0].grad_fn, []).append(op)
            self._through |= dict.fromkeys(functions, through)
        for function in functions:
            function.register_prehook(hook)

    def _gradient_arrived(self, through: list[Op], begun: list[Op], gradient: object) -> None:
        """The gradient of a block's output is there, which other blocks have passed `through`."""
        if begun:
            return  # by the gradient of another one of its outputs
        now = self._ops.now()
        self._end_before(now)
        while through:
            passed = self._backward_of(through.pop(), now)
            passed.end = now
            self._ops.note(passed)

    def _output_ready(self, op: Op, begun: list[Op], gradients: object) -> None:
        """The gradient of a block's output is there, or of one of its outputs."""
        if not begun and not self.is_removed:
            begun.append(op)
            self.begin(op)

    def gradient(self, number: int) -> None:
        """A block has one gradient more: of its input, or of a parameter."""
        if self.is_removed:
            return
        if self.block is not None and self.block.number == number:
            self.block.end = self._ops.now()
            if self._rest is self.block:
                self._ops.note(self.block)
                self._rest = None

    def recompute(self, op: Op, now: int) -> None:
        """A block runs forward again: the backward that goes on makes way for it."""
        if self.block is not None:
            self.block.end = self.block.end or now
            op.pass_number = self.block.pass_number

    def recomputed(self, op: Op) -> None:
        """A recompute is over; the backward of its block goes on."""
        if self.block is not None and self.block.number == op.number:
            self.block.held += op.held
            self.begin(self.block)

    def interrupt(self) -> None:
        """The pass waits for a collective from now on."""
        self._end_loss(self._ops.now())
        if self.block is not None:
            self.block.end = self._ops.now()

    def interrupt_loss(self) -> None:
        """The loss waits for a collective from now on, after the forward pass."""
        if self._loss is not None:
            self._loss_of = self._loss.pass_number
            self._end_loss(self._ops.now())

    def go_on_with_loss(self) -> None:
        """Behind a collective the loss goes on."""
        if self._loss_of is not None:
            self.begin_loss(self._loss_of)
            self._loss_of = None

    def go_on(self) -> None:
        """Behind a collective the block's backward goes on, if a gradient is still to come."""
        if self.block is not None:
            self._rest = self.block = replace(self.block, start=self._ops.now(), end=None)

    def _end_loss(self, now: int) -> None:
        if self._loss is not None:
            self._loss.end = now
            self._loss = None

    def _end_before(self, now: int) -> None:
        """End the loss and the block that ran, which were over by `now`."""
        self._end_loss(now)
        if self.block is not None and self.block.end is None:
            self.block.end = now

    def _release(self) -> None:
        """Autograd has given up what it kept for the block that ran."""
        if self.block is not None and self._activations is not None:
            self._activations.release(self.block.held)

    @staticmethod
    def _backward_of(op: Op, now: int) -> Op:
        """Return the backward pass of a block, which begins now, from another pass through it."""
        # By its fields: `replace` takes several times as long, in each block of each step.
        backward = Op("backward", now, None, op.number, op.name, op.rows)
        backward.pass_number, backward.held = op.pass_number, op.held
        return backward
