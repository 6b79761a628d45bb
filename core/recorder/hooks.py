"""Notes when a model's blocks pass forward and backward, without touching the model.

The hooks are torch's global module hooks, so nothing is stored in the model: it is saved, copied and
exported as without a recording. A block's backward begins when the gradient of its output is there
(a hook before the output's `grad_fn`) and ends with the last gradient of its inputs and parameters.
A block that runs forward while a backward pass goes on is recomputed (checkpointing). A forward pass
of the whole model without gradients is an evaluation: neither it nor the wait for its data is part
of a step.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from .blocks import blocks_of, unwrapped, wrapped
from .guard import Guard
from .rank_step import DATA, Op

MOST_OPS = 200_000
"""Operations kept for one step; more, as in a job that never updates its model, are counted."""
MOST_OTHERS = 64
"""Networks besides the model whose passes are recorded, such as a GAN's second one."""


@dataclass(slots=True)
class _Watched:
    """A module whose calls are noted: the root, a block (`number` from 0), or both."""

    module: weakref.ref[nn.Module]
    name: str = ""
    number: int = -1
    is_root: bool = False


class Hooks:
    """Appends the passes of a model's blocks to `ops`, a list that is replaced at each step.

    `now` reads the clock, or makes a moment on the device. With a `model` of None the outermost
    module that first runs forward with gradients is the model. `first_pass` is called once, before
    the first training pass is noted, when the job has made what it trains with; `outermost` with
    each module that trains and is not part of another, such as a wrapper of the model. While hooks are
    muted nothing is noted: a pipeline's stage then notes its passes as a whole, and sets the
    `replica` that the rank works for, if that is not its own.
    """

    def __init__(
        self,
        model: nn.Module | None,
        guard: Guard,
        first_pass: Callable[[], None],
        outermost: Callable[[nn.Module], None],
    ) -> None:
        self.model = model
        self.now: Callable[[], int] = time.perf_counter_ns
        self.ops: list[Op] = []
        self.replica: int | None = None
        self.lost = 0
        """Operations that were not kept, because a step had too many."""
        self._guard, self._first_pass, self._outermost = guard, first_pass, outermost
        self._handles: list[Any] = []
        self._watched: dict[int, _Watched] = {}
        self.parameters: set[int] = set()
        """The ids of the parameters of the model, and of other networks that train."""
        self._others = 0
        self._has_begun = self._is_muted = self._is_paused = self._is_removed = False
        self._passes = -1
        self._open: list[tuple[Op, set[object]]] = []  # running forward, and what made its input
        self._roots_open = 0
        self._evaluates = False
        self._waits: list[Op] = []  # waits for data since the last pass
        # Time that belongs to no step, in ns: evaluation and what the job has paused.
        self._outside = 0
        self._outside_since: int | None = None
        # The backward pass as far as hooks have shown it:
        #   _back  the block whose backward runs now
        #   _rest  the same behind a collective that was waited for; it counts once a gradient comes
        #   _loss  from the end of the forward pass until the first block's backward
        self._back: Op | None = None
        self._rest: Op | None = None
        self._loss: Op | None = None

    def install(self) -> None:
        """Begin to see the passes of modules."""
        self._handles += [
            register_module_forward_pre_hook(self._hook(self._before)),
            # Also after an exception: by one a checkpoint stops recomputing once it has all it
            # needs.
            register_module_forward_hook(self._hook(self._after), always_call=True),
        ]
        if self.model is not None:
            self._watch(self.model)

    def remove(self) -> None:
        """Take all hooks off again."""
        self._is_removed = True
        for handle in self._handles:
            handle.remove()

    @property
    def is_muted(self) -> bool:
        """Whether passes are not noted now."""
        return self._is_muted or self._is_paused

    def mute(self, on: bool) -> None:
        """Note nothing until this is called again."""
        self._is_muted, self._back, self._loss = on, None, None

    def pause(self, on: bool) -> None:
        """The job does something from here on, or until here, that is part of no step."""
        self._is_paused, self._back, self._loss = on, None, None
        now = time.perf_counter_ns()
        if on:
            self._outside_since = now
        elif self._outside_since is not None:
            self._outside += now - self._outside_since
            self._outside_since = None

    def begin(self, model: nn.Module | None = None) -> None:
        """Before the first training pass: look at the model as the job has made it by now."""
        self.model = model if self.model is None else self.model
        if not self._has_begun and self.model is not None:
            self._has_begun = True
            self._watch(self.model)
            self._first_pass()

    def note(self, op: Op) -> Op:
        """Keep an operation of the step that goes on."""
        if len(self.ops) < MOST_OPS:
            self.ops.append(op)
        else:
            self.lost += 1
        return op

    def waited(self, start: int, end: int) -> None:
        """The job has waited for a batch of data, which the next pass uses."""
        if not self._is_paused and len(self._waits) < MOST_OPS:
            self._waits.append(Op("data", start, end, lane=DATA))

    def interrupt(self) -> None:
        """The thread that passes forward or backward waits for a collective from now on."""
        if self._open:
            self._open[-1][0].end = self.now()
        elif _is_backward():
            self._end_loss(self.now())
            if self._back is not None:
                self._back.end = self.now()

    def go_on(self) -> None:
        """Go on behind a collective: forward, or backward if a gradient is still to come."""
        if self._open:
            op, made = self._open[-1]
            rest = replace(op, start=self.now(), end=None, rows=0)
            self._open[-1] = self.note(rest), made
        elif self._back is not None and _is_backward():
            self._rest = self._back = replace(self._back, start=self.now(), end=None)

    def step_over(self) -> tuple[list[Op], int]:
        """Return what has happened since the last step's end, and the ns that are part of no step.

        The next step begins.
        """
        self._take_waits()
        ops, self.ops = self.ops, []
        outside, self._outside = self._outside, 0
        self._passes, self._loss, self._back, self._rest = -1, None, None, None
        return ops, outside

    def _hook(self, function: Callable[..., None]) -> Callable[..., None]:
        """Return a hook for all modules: inert while torch compiles, traces or exports."""

        def hook(*arguments: Any) -> None:
            # First of all and by names that torch.compile knows: it compiles the hook too.
            if torch.compiler.is_compiling() or torch.jit.is_tracing():
                return
            self._guard(function, *arguments)

        return hook

    def _watch(self, model: nn.Module) -> None:
        """Watch the model's root and blocks as they are now; what is watched already stays."""
        self.parameters |= {id(parameter) for parameter in model.parameters()}
        root = unwrapped(model, into_compiled=False)
        blocks = [(name, block, number) for number, (name, block) in enumerate(blocks_of(model))]
        watched = {id(block): _Watched(weakref.ref(block), name, n) for name, block, n in blocks}
        if id(root) in watched:
            watched[id(root)].is_root = True
        else:
            watched[id(root)] = _Watched(weakref.ref(root), is_root=True)
        for key, one in watched.items():
            if key not in self._watched:
                self._watched[key] = one
                self._surround(one)

    def _surround(self, one: _Watched) -> None:
        """See a module's gradients, and its calls where the global hooks do not see them."""
        module = one.module()
        assert module is not None
        if one.number >= 0:
            for parameter in module.parameters():
                if parameter.requires_grad and parameter.is_leaf:
                    hook = self._guard.around(partial(self._gradient, one.number))
                    self._handles.append(parameter.register_post_accumulate_grad_hook(hook))
        if module._compiled_call_impl is not None:
            # Compiled in place: torch compiles the hooks too, where they do nothing.
            self._handles.append(_Called(module, self._hook(self._before), self._hook(self._after)))

    def _known(self, module: nn.Module) -> _Watched | None:
        one = self._watched.get(id(module))
        # A module that is gone may have left its id to another one.
        return one if one is not None and one.module() is module else None

    def _before(self, module: nn.Module, inputs: tuple[Any, ...]) -> None:
        if self._is_removed or self.is_muted:
            return
        one = self._known(module)
        if one is None and not self._open and not self._roots_open:
            one = self._meet(module)
        if one is None:
            return
        backward = _is_backward()
        if one.is_root and not backward:
            self._enter()
        if one.number >= 0 and (backward or self._trains()):
            self._begin_forward(one, inputs, backward)

    def _meet(self, module: nn.Module) -> _Watched | None:
        """An outermost module runs: the model, a wrapper of it, or another network that trains."""
        if not torch.is_grad_enabled() or _is_backward():
            return None
        parameters = [p for p in module.parameters() if p.requires_grad]
        if not parameters:
            return None
        self.begin(module)
        self._outermost(module)
        if self._known(module) is None:
            shares = any(id(parameter) in self.parameters for parameter in parameters)
            self._remember(module, is_other=not shares and wrapped(module) is None)
        return self._known(module)

    def _remember(self, module: nn.Module, is_other: bool) -> None:
        """Know a module from now on; the passes of another network are those of one block more."""
        one = _Watched(weakref.ref(module), type(module).__name__)
        if is_other and self._others < MOST_OTHERS:
            self._others += 1
            one.number = 1 + max(known.number for known in self._watched.values())
            self._surround(one)
            self.parameters |= {id(parameter) for parameter in module.parameters()}
        self._watched[id(module)] = one


    def _trains(self) -> bool:
        """Whether a block that runs forward now is part of a training pass."""
        # A reentrant checkpoint runs its blocks without gradients within a pass that has them.
        return not self._evaluates if self._roots_open else torch.is_grad_enabled()

    def _enter(self) -> None:
        """The whole model begins to pass forward: a micro-batch of the step, or an evaluation."""
        self._roots_open += 1
        if self._roots_open > 1:
            return
        self._evaluates = not torch.is_grad_enabled()
        if self._evaluates:
            first = self._waits[0].start if self._waits else time.perf_counter_ns()
            self._waits.clear()
            self._outside_since = first
        else:
            self.begin()
            self._passes += 1

    def _leave(self) -> None:
        self._roots_open = max(0, self._roots_open - 1)
        if self._roots_open:
            return
        if self._evaluates:
            self._evaluates = False
            if self._outside_since is not None:
                self._outside += time.perf_counter_ns() - self._outside_since
                self._outside_since = None
        elif torch.is_grad_enabled():
            self._loss = Op("loss", self.now(), pass_number=max(0, self._passes))

    def _take_waits(self) -> None:
        """The data that the job has waited for is the step's."""
        for op in self._waits:
            self.note(op)
        self._waits.clear()

    def _begin_forward(self, one: _Watched, inputs: tuple[Any, ...], backward: bool) -> None:
        self.begin()
        self._take_waits()
        op = Op("recompute" if backward else "forward", 0, None, one.number, one.name)
        leaves = list(leaves_of(inputs))
        op.rows, op.pass_number = rows_of(leaves), max(0, self._passes)
        made = self._watch_inputs(one.number, leaves)
        now = self.now()
        if backward and self._back is not None:
            self._back.end = self._back.end or now
            op.pass_number = self._back.pass_number
        op.start = now
        self._open.append((self.note(op), made))

    def _watch_inputs(self, number: int, leaves: Sequence[object]) -> set[object]:
        """Register hooks on the gradients of the inputs; return what made the inputs.

        Before the block runs: one that works in place changes what its input is.
        """
        into: list[Any] = [leaf for leaf in leaves if _flows(leaf)]
        hook = self._guard.around(partial(self._gradient, number))
        if len(into) == 1 and torch.is_grad_enabled():
            into[0].register_hook(hook)
        elif into and torch.is_grad_enabled():
            torch.autograd.graph.register_multi_grad_hook(into, hook)
        return {leaf.grad_fn for leaf in into}

    def _after(self, module: nn.Module, inputs: tuple[Any, ...], output: object) -> None:
        """A module has run, or an exception has left it: so ends a recompute that has all it needs."""
        one = self._known(module)
        if one is None or self._is_removed or self.is_muted:
            return
        if one.number >= 0 and self._open and self._open[-1][0].number == one.number:
            self._end_forward(output)
        if one.is_root and self._roots_open and not _is_backward():
            self._leave()

    def _end_forward(self, output: object) -> None:
        op, made = self._open.pop()
        op.end = self.now()
        back = self._back
        if op.kind == "recompute" and back is not None and back.number == op.number:
            self._begin_backward(back)  # it goes on
        if torch.is_grad_enabled():
            self._watch_backward(op, made, output)

    def _watch_backward(self, op: Op, made: set[object], output: object) -> None:
        """Begin the block's backward span when the first gradient of an output arrives.

        Outputs that are inputs passed through are skipped.
        """
        begun: list[Op] = []
        hook = self._guard.around(lambda gradients: self._output_ready(op, begun))
        leaves: list[Any] = [leaf for leaf in leaves_of(output) if _flows(leaf)]
        for function in {leaf.grad_fn for leaf in leaves} - made:
            function.register_prehook(hook)

    def _output_ready(self, op: Op, begun: list[Op]) -> None:
        """The gradient of a block's output is there, or of one of its outputs."""
        if not begun and not self._is_removed:
            begun.append(op)
            self._begin_backward(op)

    def _begin_backward(self, op: Op) -> None:
        now = self.now()
        self._end_loss(now)
        if self._back is not None and self._back.end is None:
            self._back.end = now  # it was over by now
        self._back = self.note(
            Op("backward", now, None, op.number, op.name, op.rows, pass_number=op.pass_number)
        )

    def _end_loss(self, now: int) -> None:
        if self._loss is not None:
            self._loss.end = now
            self.note(self._loss)
            self._loss = None

    def _gradient(self, number: int, *_: object) -> None:
        """A block has one gradient more: of its input, or of a parameter."""
        if self._back is not None and self._back.number == number and not self._is_removed:
            self._back.end = self.now()
            if self._rest is self._back:
                self.note(self._back)
                self._rest = None


def _is_backward() -> bool:
    # torch has no public way to ask whether a backward pass goes on.
    return bool(torch._C._current_graph_task_id() != -1)


def _flows(leaf: object) -> bool:
    """Return True if a gradient flows on through the value."""
    return isinstance(leaf, Tensor) and leaf.requires_grad and leaf.grad_fn is not None


def leaves_of(values: object) -> Iterator[object]:
    """Yield the values that tuples, lists and mappings hold, at any depth."""
    if isinstance(values, Mapping):
        values = tuple(values.values())
    if isinstance(values, tuple | list):
        for value in values:
            yield from leaves_of(value)
    else:
        yield values


def rows_of(leaves: Sequence[object]) -> int:
    """Return the rows of the first tensor among values; 0 if there is none."""
    first = next((leaf for leaf in leaves if isinstance(leaf, Tensor)), None)
    return 0 if first is None or not first.dim() else int(first.shape[0])


class _Called:
    """Puts both hooks around a module that was compiled in place; they are not compiled there.

    The attribute that it replaces is no part of the module's state: torch leaves it out.
    """

    def __init__(
        self, module: nn.Module, before: Callable[..., None], after: Callable[..., None]
    ) -> None:
        run: Any = module._compiled_call_impl
        self._module, self._original = module, run

        def call(*inputs: Any, **options: Any) -> object:
            before(module, inputs)
            output = None
            try:
                output = run(*inputs, **options)
            finally:
                after(module, inputs, output)
            return output

        module._compiled_call_impl = call

    def remove(self) -> None:
        """Leave the module as it was."""
        self._module._compiled_call_impl = self._original
