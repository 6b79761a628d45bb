"""Records the backward pass, block by block, as far as gradient hooks show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from .gradient_counts import GradientCounts
from .guard import Guard
from .memory import ActivationMemory
from .rank_step import Op
from .step_ops import StepOps
from .values import leaves_of, needs_gradient


def is_backward() -> bool:
    """Return True if this thread runs a backward pass."""
    # torch has no public function for this.
    return bool(torch._C._current_graph_task_id() != -1)


class BackwardPasses:
    """Turns the gradients that arrive into one span for each block's backward pass.

    The time between the forward pass and the first block's backward pass is the loss.
    """

    def __init__(
        self, ops: StepOps, guard: Guard, activations: ActivationMemory | None = None
    ) -> None:
        self._ops = ops
        self._guard = guard
        self._activations = activations
        self.is_removed = False
        self.is_exact = False
        """Leave the work of torch's wrappers around a block out of its span.

        The span then ends with the gradient of the block's last parameter, before torch reduces it.
        For a block without parameters, and for the loss, it ends when the gradient of the preceding
        block's output arrives, before torch gathers that block's parameters.
        """
        self.block: Op | None = None
        """The block whose backward pass runs now."""
        # The part of `block` after a collective; it is recorded only if a gradient follows.
        self._rest: Op | None = None
        self.gradients = GradientCounts()
        # Blocks that returned their input unchanged, by the function that computed it.
        self._through: dict[object, list[Op]] = {}
        # From the end of the forward pass to the first block's backward pass.
        self._loss: Op | None = None
        self._loss_of: int | None = None  # the pass whose loss waits for a collective

    def forget(self) -> None:
        """Drop the current state, because a pass is over or is recorded elsewhere."""
        self._release()
        self._through.clear()
        self.block = None
        self._rest = None
        self._loss = None
        self._loss_of = None

    def begin_loss(self, pass_number: int) -> None:
        """Begin the loss at the end of a forward pass."""
        self._loss = self._ops.note(Op("loss", self._ops.now(), pass_number=pass_number))

    def begin(self, op: Op) -> None:
        """Begin a block's backward pass: the gradient of its output has arrived.

        `op` is the block's forward pass.
        """
        now = self._ops.now()
        self._end_before(now)
        if op is not self.block:
            self._release()
        self.block = self._ops.note(_backward_of(op, now))

    def finish(self) -> None:
        """End the backward pass of the last block, because the whole backward pass has ended."""
        if self.block is not None and self.block.end is None:
            self.block.end = self._ops.now()
        self._release()
        self.block = None

    def watch_inputs(self, number: int, leaves: Sequence[object]) -> set[object]:
        """Register hooks on the gradients of a block's inputs.

        Call it before the block runs, because a block may change its input in place. Return the
        autograd functions that computed the inputs.
        """
        into: list[Any] = [leaf for leaf in leaves if needs_gradient(leaf)]
        hook = self._guard.around(partial(self.gradient, number))
        is_noted = torch.is_grad_enabled() and not self.is_exact
        if is_noted and len(into) == 1:
            into[0].register_hook(hook)
        elif is_noted and into:
            torch.autograd.graph.register_multi_grad_hook(into, hook)
        return {leaf.grad_fn for leaf in into}

    def watch_outputs(self, op: Op, made: set[object], output: object) -> None:
        """Begin the block's backward span when the first gradient of an output arrives.

        `made` are the functions that computed the block's inputs. Outputs computed by them are
        inputs passed through, and are skipped.
        """
        begun: list[Op] = []
        hook = self._guard.around(partial(self._output_ready, op, begun))
        leaves: list[Any] = [leaf for leaf in leaves_of(output) if needs_gradient(leaf)]
        functions = {leaf.grad_fn for leaf in leaves} - made
        if self.is_exact:
            self._watch_exactly(op, leaves, functions, begun)
        for function in functions:
            function.register_prehook(hook)

    def _watch_exactly(
        self, op: Op, leaves: Sequence[Any], functions: set[object], begun: list[Op]
    ) -> None:
        """Register hooks that end the previous span before torch gathers parameters."""
        # A tensor's hooks run in the order of their registration, and before the hooks of the
        # function that computed it. So this is the order when the gradient of an output arrives:
        #     our hook ends the previous span | torch gathers parameters | ours begins this span
        through: list[Op] = []
        if functions:
            arrived = self._guard.around(partial(self._gradient_arrived, through, begun))
            for leaf in leaves:
                leaf.register_hook(arrived)
        elif leaves:
            self._through.get(leaves[0].grad_fn, []).append(op)
        self._through |= dict.fromkeys(functions, through)

    def _gradient_arrived(self, through: list[Op], begun: list[Op], gradient: object) -> None:
        """End the previous span; `through` are blocks that returned this output unchanged."""
        if begun:
            return  # the gradient of another output of this block arrived earlier
        now = self._ops.now()
        self._end_before(now)
        while through:
            passed = _backward_of(through.pop(), now)
            passed.end = now
            self._ops.note(passed)

    def _output_ready(self, op: Op, begun: list[Op], gradients: object) -> None:
        """Begin the block's backward pass with the first gradient of its outputs."""
        if not begun and not self.is_removed:
            begun.append(op)
            self.begin(op)

    def gradient(self, number: int, *_: object) -> None:
        """Note that a gradient of the block's input or of one of its parameters has arrived.

        It is called as a hook, with the gradient or the parameter.
        """
        if self.is_removed:
            return
        if self.block is None or self.block.number != number:
            return
        # On a device a stamp takes longer than the rest of this hook, and a block may have many
        # parameters.
        if self.gradients.is_last(number):
            self.block.end = self._ops.now()
        if self._rest is self.block:
            self._ops.note(self.block)
            self._rest = None

    def recompute(self, op: Op, now: int) -> None:
        """Interrupt the current backward pass, because a block runs forward again as `op`."""
        if self.block is not None:
            self.block.end = self.block.end or now
            op.pass_number = self.block.pass_number

    def recomputed(self, op: Op) -> None:
        """Continue the backward pass of the block that has been recomputed."""
        if self.block is not None and self.block.number == op.number:
            self.block.held += op.held
            self.begin(self.block)

    def interrupt(self) -> None:
        """Interrupt the backward pass or the loss, because it waits for a collective."""
        self._end_loss(self._ops.now())
        if self.block is not None:
            self.block.end = self._ops.now()

    def interrupt_loss(self) -> None:
        """Interrupt the loss, because it waits for a collective after the forward pass."""
        if self._loss is not None:
            self._loss_of = self._loss.pass_number
            self._end_loss(self._ops.now())

    def continue_loss(self) -> None:
        """Continue the loss after a collective."""
        if self._loss_of is not None:
            self.begin_loss(self._loss_of)
            self._loss_of = None

    def continue_block(self) -> None:
        """Continue the block's backward pass after a collective.

        The rest is recorded only if another gradient of the block arrives.
        """
        if self.block is not None:
            rest = replace(self.block, start=self._ops.now(), end=None)
            self._rest = rest
            self.block = rest

    def _end_loss(self, now: int) -> None:
        if self._loss is not None:
            self._loss.end = now
            self._loss = None

    def _end_before(self, now: int) -> None:
        """End the loss and the block that ran before `now`."""
        self._end_loss(now)
        if self.block is not None and self.block.end is None:
            self.block.end = now

    def _release(self) -> None:
        """End the pass of the block that ran, and subtract the memory that was kept for it."""
        if self.block is None:
            return
        self.gradients.leave(self.block.number)
        if self._activations is not None:
            self._activations.release(self.block.held)


def _backward_of(op: Op, now: int) -> Op:
    """Return the backward pass, starting now, of the block that ran as `op`."""
    # `replace` would take several times as long, and this runs for each block of each step.
    backward = Op("backward", now, None, op.number, op.name, op.rows)
    backward.pass_number = op.pass_number
    backward.held = op.held
    return backward
