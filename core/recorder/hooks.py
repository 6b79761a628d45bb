"""Records the forward and backward passes of a model's blocks, without changing the model.

The hooks are torch's global module hooks. Nothing is stored in the model, so it is saved, copied
and exported as without a recording. A block's backward pass begins when the gradient of its output
arrives (a hook before the output's `grad_fn`), and ends with the last gradient of its inputs and
parameters. A block that runs forward during a backward pass is recomputed (checkpointing). A
forward pass of the whole model without gradients is an evaluation; neither it nor the wait for its
data belongs to a step. One thread trains: forward passes in other threads, which may evaluate the
model at the same time, are not recorded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from .backward import BackwardPasses, is_backward
from .blocks import unwrapped
from .guard import Guard
from .memory import ActivationMemory
from .modules import WatchedModule, WatchedModules
from .rank_step import Op
from .stage_pass import StagePass
from .step_ops import StepOps
from .values import leaves_of, rows_of


class BlockHooks:
    """Adds the passes of a model's blocks to `ops`.

    With a `model` of None, the outermost module that first runs forward with gradients is the
    model. Until `is_settled` is set, that may be wrong: a script may run a part of the model to
    learn a size, or the model before it moves to its device. Then recording starts over.
    `first_pass` is called before the first training pass is recorded, each time. `outermost` is
    called with each outermost module that trains, such as a wrapper of the model. While the hooks
    are muted, no blocks are recorded: a pipeline's `stage` then records its passes as a whole, and
    sets `replica` if the rank works for another one. `activations` counts the memory that blocks
    keep for their backward passes.
    """

    def __init__(
        self,
        model: nn.Module | None,
        ops: StepOps,
        guard: Guard,
        first_pass: Callable[[], None],
        outermost: Callable[[nn.Module], None],
        activations: ActivationMemory | None = None,
    ) -> None:
        self.model = model
        self._is_given = model is not None
        self.is_settled = False
        self.ops = ops
        self.replica: int | None = None
        self.stage = StagePass(ops)
        self._guard = guard
        self._first_pass = first_pass
        self._outermost = outermost
        self._activations = activations
        self.backward = BackwardPasses(ops, guard, activations)
        before = self._hook(self._before)
        after = self._hook(self._after)
        self.modules = WatchedModules(guard, self.backward.gradient, before, after)
        self._installed = before, after
        self._handles: list[Any] = []
        self._has_begun = False
        self._devices: set[torch.device] = set()  # of the model, at its first pass
        self._is_muted = False
        self._is_paused = False
        self._is_removed = False
        self._passes = -1
        # Blocks that run forward, each with the functions that computed its inputs.
        self._open: list[tuple[Op, set[object]]] = []
        self._roots_open = 0
        self._is_evaluation = False
        self._thread = threading.get_ident()  # the training thread

    def install(self) -> None:
        """Begin recording."""
        before, after = self._installed
        if self.modules.blocks is None:
            self._handles += [
                register_module_forward_pre_hook(before),
                # Also called after an exception: a checkpoint raises one to stop recomputing once
                # it has all that it needs.
                register_module_forward_hook(after, always_call=True),
            ]
        if self.model is not None:
            self.modules.watch(self.model)

    def remove(self) -> None:
        """Remove all hooks."""
        self._is_removed = True
        self.backward.is_removed = True
        for handle in (*self._handles, self.modules):
            handle.remove()

    @property
    def is_muted(self) -> bool:
        """True while no passes are recorded."""
        return self._is_muted or self._is_paused

    def mute(self, on: bool) -> None:
        """Stop recording passes, or resume. While muted, the caller records them."""
        self._is_muted = on
        self.backward.forget()

    def pause(self, on: bool) -> None:
        """Begin or end a period that belongs to no step."""
        self._is_paused = on
        self.backward.forget()
        if on:
            self.ops.leave()
        else:
            self.ops.resume()

    def begin(self, model: nn.Module | None = None) -> None:
        """Prepare for the first training pass, with the model in its current form."""
        self.model = model if self.model is None else self.model
        if not self._has_begun and self.model is not None:
            self._has_begun = True
            self._devices = _devices(self.model)
            self.modules.watch(self.model)
            self._first_pass()

    def interrupt(self) -> None:
        """Interrupt the forward or backward pass, because it waits for a collective."""
        if self.stage.interrupt():
            return
        if self._open:
            self._open[-1][0].end = self.ops.now()
        elif is_backward():
            self.backward.interrupt()
        else:
            self.backward.interrupt_loss()

    def resume(self) -> None:
        """Continue the pass after a collective; a backward pass only if a gradient follows."""
        if self.stage.resume():
            return
        if self._open:
            op, made = self._open[-1]
            rest = replace(op, start=self.ops.now(), end=None, rows=0)
            self._open[-1] = self.ops.note(rest), made
        elif is_backward():
            self.backward.continue_block()
        else:
            self.backward.continue_loss()

    def end_step(self, number: int) -> None:
        """End the step, after the optimizer's update."""
        self._passes = -1
        if self._activations is not None:
            self._activations.begin_step()
        self.backward.forget()
        self.ops.end(number)

    def _hook(self, function: Callable[..., None]) -> Callable[..., None]:
        """Return a hook for all modules that does nothing while torch compiles or traces."""

        def hook(*arguments: Any) -> None:
            # torch.compile compiles this hook too, so this check is first and uses only names that
            # torch.compile knows.
            if torch.compiler.is_compiling() or torch.jit.is_tracing():  # type: ignore[attr-defined]
                return
            if self._open and not self.modules.is_watched(arguments[0]):
                return  # a module within a block: return early, because there may be many
            self._guard(function, *arguments)

        return hook

    def _before(self, module: nn.Module, inputs: tuple[Any, ...]) -> None:
        if self._is_removed or self.is_muted:
            return
        is_outermost = not self._open and not self._roots_open
        if is_outermost and self._has_begun and not self.is_settled:
            self._reconsider(module)
        one = self.modules.known(module)
        if one is None and is_outermost:
            one = self._meet(module)
        # `_meet` mutes if torch runs the module only as a trial, such as a pipeline's stage.
        if one is None or self.is_muted:
            return
        backward = is_backward()
        if not backward and not self._is_training_thread():
            return
        if one.is_root and not backward:
            self.enter()
        # A reentrant checkpoint runs its blocks without gradients inside a pass with gradients.
        trains = not self._is_evaluation if self._roots_open else torch.is_grad_enabled()
        if one.number >= 0 and (backward or trains):
            self._begin_forward(one, module, inputs, backward)

    def _is_training_thread(self) -> bool:
        """Return True in the thread that trains. Between passes another thread may take over."""
        thread = threading.get_ident()
        is_between = not self._open and not self._roots_open
        if thread != self._thread and is_between and torch.is_grad_enabled():
            self._thread = thread
        return thread == self._thread

    def _reconsider(self, module: nn.Module) -> None:
        """Start over if the model is only a part of an outermost module, or if it has moved."""
        if not torch.is_grad_enabled() or is_backward() or self.model is None:
            return
        is_new = self.modules.known(module) is None
        if is_new and not self._is_given and _is_part(self.model, module):
            self.model = module
        elif _devices(self.model) == self._devices:
            return
        self._has_begun = False
        self._passes = -1
        self.ops.drop()
        self.backward.forget()
        self.backward.gradients.forget()
        self.modules.forget()
        if self._activations is not None:
            self._activations.forget()

    def _meet(self, module: nn.Module) -> WatchedModule | None:
        """Watch an outermost module that trains: the model, a wrapper, or another network."""
        if not torch.is_grad_enabled() or is_backward():
            return None
        if not any(parameter.requires_grad for parameter in module.parameters()):
            return None
        self.begin(module)
        self._outermost(module)
        return self.modules.known(module) or self.modules.remember(module)

    def enter(self) -> None:
        """Begin a forward pass of the whole model: a micro-batch of the step or an evaluation."""
        self._roots_open += 1
        if self._roots_open > 1:
            return
        self._is_evaluation = not torch.is_grad_enabled()
        if self._is_evaluation:
            self.ops.evaluate()
        else:
            self.begin()
            self._passes += 1

    def leave(self) -> None:
        """End a forward pass of the whole model."""
        self._roots_open -= 1
        if self._roots_open:
            return
        if self._is_evaluation:
            self._is_evaluation = False
            self.ops.resume()
        elif torch.is_grad_enabled():
            self.backward.begin_loss(max(0, self._passes))

    def _begin_forward(
        self, one: WatchedModule, module: nn.Module, inputs: tuple[Any, ...], backward: bool
    ) -> None:
        self.begin()
        self.ops.take_waits()
        op = Op("recompute" if backward else "forward", 0, None, one.number, one.name)
        leaves = list(leaves_of(inputs))
        op.rows = rows_of(leaves)
        op.pass_number = max(0, self._passes)
        made = self.backward.watch_inputs(one.number, leaves)
        if self._activations is not None:
            first = next((leaf for leaf in leaves if isinstance(leaf, Tensor)), None)
            shape = None if first is None else tuple(first.shape)
            self._activations.begin_forward(one.number, (op.kind, shape), module)
        op.start = self.ops.now()
        if backward:
            self.backward.recompute(op, op.start)
        self._open.append((self.ops.note(op), made))

    def _after(self, module: nn.Module, inputs: tuple[Any, ...], output: object) -> None:
        """End a module's forward pass, also if it raised an exception, as a checkpoint does."""
        one = self.modules.known(module)
        if one is None or self._is_removed or self.is_muted:
            return
        if threading.get_ident() != self._thread and not is_backward():
            return
        if one.number >= 0 and self._open and self._open[-1][0].number == one.number:
            self._end_forward(one, module, output)
        if one.is_root and self._roots_open and not is_backward():
            self.leave()

    def _end_forward(self, one: WatchedModule, module: nn.Module, output: object) -> None:
        op, made = self._open.pop()
        op.end = self.ops.now()
        if self._activations is not None:
            op.held = self._activations.end_forward(module, output)
        if not one.has_passed:
            one.has_passed = True
            self.modules.watch_gradients(one, module)
        if op.kind == "recompute":
            self.backward.recomputed(op)
        if torch.is_grad_enabled():
            self.backward.watch_outputs(op, made, output)


def _devices(model: nn.Module) -> set[torch.device]:
    """Return the devices of the model's parameters."""
    return {parameter.device for parameter in model.parameters()}


def _is_part(model: nn.Module, module: nn.Module) -> bool:
    """Return True if a module contains the model and is not just a wrapper of it."""
    if unwrapped(module) is unwrapped(model):
        return False
    return any(inner is model for inner in module.modules())
