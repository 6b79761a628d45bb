"""Notes when a model's blocks pass forward and backward, without touching the model.

The hooks are torch's global module hooks, so nothing is stored in the model: it is saved, copied
and exported as without a recording. A block's backward begins when the gradient of its output is
there (a hook before the output's `grad_fn`) and ends with the last gradient of its inputs and
parameters. A block that runs forward while a backward pass goes on is recomputed (checkpointing). A
forward pass of the whole model without gradients is an evaluation: neither it nor the wait for its
data is part of a step. One thread trains: passes forward of others, which may evaluate the model
meanwhile, are not noted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from .backward import Backward, is_backward
from .guard import Guard
from .memory import Activations
from .modules import Modules, Watched
from .rank_step import Op
from .step_ops import StepOps
from .values import leaves_of, rows_of


class Hooks:
    """Notes the passes of a model's blocks in `ops`.

    With a `model` of None the outermost module that first runs forward with gradients is the model.
    `first_pass` is called once, before the first training pass is noted, when the job has made what
    it trains with; `outermost` with each module that trains and is not part of another, such as a
    wrapper of the model. While hooks are muted nothing is noted: a pipeline's stage then notes its
    passes as a whole, and sets the `replica` that the rank works for, if that is not its own.
    `activations` counts what blocks keep for their backward passes.
    """

    def __init__(
        self,
        model: nn.Module | None,
        ops: StepOps,
        guard: Guard,
        first_pass: Callable[[], None],
        outermost: Callable[[nn.Module], None],
        activations: Activations | None = None,
    ) -> None:
        self.model, self.ops = model, ops
        self.replica: int | None = None
        self._guard, self._first_pass, self._outermost = guard, first_pass, outermost
        self._activations = activations
        self.backward = Backward(ops, guard, activations)
        before, after = self._hook(self._before), self._hook(self._after)
        self.modules = Modules(guard, self.backward.gradient, before, after)
        self._installed = before, after
        self._handles: list[Any] = []
        self._has_begun = self._is_muted = self._is_paused = self._is_removed = False
        self._passes = -1
        self._open: list[tuple[Op, set[object]]] = []  # running forward, and what made its input
        self._roots_open = 0
        self._is_evaluation = False
        self._thread = threading.get_ident()  # that trains

    def install(self) -> None:
        """Begin to see the passes of modules."""
        before, after = self._installed
        if self.modules.blocks is None:
            self._handles += [
                register_module_forward_pre_hook(before),
                # Also after an exception: by one a checkpoint stops recomputing once it has all it
                # needs.
                register_module_forward_hook(after, always_call=True),
            ]
        if self.model is not None:
            self.modules.watch(self.model)

    def remove(self) -> None:
        """Take all hooks off again."""
        self._is_removed = self.backward.is_removed = True
        for handle in (*self._handles, self.modules):
            handle.remove()

    @property
    def is_muted(self) -> bool:
        """True while no passes are noted."""
        return self._is_muted or self._is_paused

    def mute(self, on: bool) -> None:
        """Note no passes until this is called again: somebody else does."""
        self._is_muted = on
        self.backward.forget()

    def pause(self, on: bool) -> None:
        """The job does something from here on, or until here, that is part of no step."""
        self._is_paused = on
        self.backward.forget()
        if on:
            self.ops.leave()
        else:
            self.ops.come_back()

    def begin(self, model: nn.Module | None = None) -> None:
        """Before the first training pass: look at the model as the job has made it by now."""
        self.model = model if self.model is None else self.model
        if not self._has_begun and self.model is not None:
            self._has_begun = True
            self.modules.watch(self.model)
            self._first_pass()

    def interrupt(self) -> None:
        """The thread that passes forward or backward waits for a collective from now on."""
        if self._open:
            self._open[-1][0].end = self.ops.now()
        elif is_backward():
            self.backward.interrupt()
        else:
            self.backward.interrupt_loss()

    def go_on(self) -> None:
        """Go on behind a collective: forward, or backward if a gradient is still to come."""
        if self._open:
            op, made = self._open[-1]
            rest = replace(op, start=self.ops.now(), end=None, rows=0)
            self._open[-1] = self.ops.note(rest), made
        elif is_backward():
            self.backward.go_on()
        else:
            self.backward.go_on_with_loss()

    def end_step(self) -> None:
        """The step's update has ended."""
        self._passes = -1
        if self._activations is not None:
            self._activations.begin_step()
        self.backward.forget()
        self.ops.end()

    def _hook(self, function: Callable[..., None]) -> Callable[..., None]:
        """Return a hook for all modules: inert while torch compiles, traces or exports."""

        def hook(*arguments: Any) -> None:
            # First of all and by names that torch.compile knows: it compiles the hook too.
            if torch.compiler.is_compiling() or torch.jit.is_tracing():  # type: ignore[attr-defined]
                return
            self._guard(function, *arguments)
            if self._guard.error and self._activations is not None:
                # Nothing guarded runs any more, and what is measured would be kept for ever.
                self._guard.always(partial(self._activations.abandon, arguments[0]))

        return hook

    def _before(self, module: nn.Module, inputs: tuple[Any, ...]) -> None:
        if self._is_removed or self.is_muted:
            return
        one = self.modules.known(module)
        if one is None and not self._open and not self._roots_open:
            one = self._meet(module)
        if one is None:
            return
        backward = is_backward()
        if not backward and not self._is_training_thread():
            return
        if one.is_root and not backward:
            self._enter()
        if one.number >= 0 and (backward or self._trains()):
            self._begin_forward(one, module, inputs, backward)

    def _is_training_thread(self) -> bool:
        """Return True in the thread that trains; between passes another one may take over."""
        thread = threading.get_ident()
        is_between = not self._open and not self._roots_open
        if thread != self._thread and is_between and torch.is_grad_enabled():
            self._thread = thread
        return thread == self._thread

    def _meet(self, module: nn.Module) -> Watched | None:
        """An outermost module runs: the model, a wrapper of it, or another network that trains."""
        if not torch.is_grad_enabled() or is_backward():
            return None
        if not any(parameter.requires_grad for parameter in module.parameters()):
            return None
        self.begin(module)
        self._outermost(module)
        return self.modules.known(module) or self.modules.remember(module)

    def _trains(self) -> bool:
        """Return True if a block that runs forward now is part of a training pass."""
        # A reentrant checkpoint runs its blocks without gradients within a pass that has them.
        return not self._is_evaluation if self._roots_open else torch.is_grad_enabled()

    def _enter(self) -> None:
        """The whole model begins to pass forward: a micro-batch of the step, or an evaluation."""
        self._roots_open += 1
        if self._roots_open > 1:
            return
        self._is_evaluation = not torch.is_grad_enabled()
        if self._is_evaluation:
            self.ops.evaluate()
        else:
            self.begin()
            self._passes += 1

    def _leave(self) -> None:
        self._roots_open -= 1
        if self._roots_open:
            return
        if self._is_evaluation:
            self._is_evaluation = False
            self.ops.come_back()
        elif torch.is_grad_enabled():
            self.backward.begin_loss(max(0, self._passes))

    def _begin_forward(
        self, one: Watched, module: nn.Module, inputs: tuple[Any, ...], backward: bool
    ) -> None:
        self.begin()
        self.ops.take_waits()
        op = Op("recompute" if backward else "forward", 0, None, one.number, one.name)
        leaves = list(leaves_of(inputs))
        op.rows, op.pass_number = rows_of(leaves), max(0, self._passes)
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
        """A module has run, or an exception has left it, as one ends a recompute early."""
        one = self.modules.known(module)
        if one is None or self._is_removed or self.is_muted:
            return
        if threading.get_ident() != self._thread and not is_backward():
            return
        if one.number >= 0 and self._open and self._open[-1][0].number == one.number:
            self._end_forward(one, module, output)
        if one.is_root and self._roots_open and not is_backward():
            self._leave()

    def _end_forward(self, one: Watched, module: nn.Module, output: object) -> None:
        op, made = self._open.pop()
        op.end = self.ops.now()
        if self._activations is not None:
            op.held = self._activations.end_forward(module)
        if not one.has_passed:
            one.has_passed = True
            self.modules.watch_gradients(one, module)
        if op.kind == "recompute":
            self.backward.recomputed(op)
        if torch.is_grad_enabled():
            self.backward.watch_outputs(op, made, output)
