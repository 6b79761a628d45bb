"""Hooks that note when a model's blocks pass forward and backward, and change nothing.

A block's backward begins when the gradient of its output is there (a hook before the output's
`grad_fn`), and ends with the last of the gradients of its inputs and of its parameters. Whatever
runs forward while a backward pass goes on is a recompute (checkpointing).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from .rank_step import Op

CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
MOST_BLOCKS = 512
WRAPPERS = ("module", "_orig_mod", "_fsdp_wrapped_module")
"""Where DistributedDataParallel, torch.compile and others keep the model that they wrap."""


def unwrapped(model: nn.Module, into_compiled: bool = True) -> nn.Module:
    """The model itself, without what is put around it; or the first that was compiled."""
    if not into_compiled and _is_compiled(model):
        return model
    for name in WRAPPERS:
        inner = model._modules.get(name)
        if inner is not None and len(model._modules) == 1:
            return unwrapped(inner, into_compiled)
    return model


def _is_compiled(module: nn.Module) -> bool:
    """Whether torch.compile has it run as a whole: nothing inside it can be seen."""
    return module._compiled_call_impl is not None or "_orig_mod" in module._modules


def blocks_of(model: nn.Module) -> list[tuple[str, nn.Module]]:
    """A model's blocks with their names: its children, and those of containers among them.

    What was compiled is one block.
    """
    root = unwrapped(model, into_compiled=False)
    if _is_compiled(root):
        return [("model", root)]
    found = list(_blocks(root, ""))
    return found[:MOST_BLOCKS] or [("model", model)]


def _blocks(module: nn.Module, prefix: str) -> Iterator[tuple[str, nn.Module]]:
    children = list(module.named_children())
    for name, child in children:
        path = f"{prefix}{name}"
        inside = list(child.children()) and not _is_compiled(child)
        if inside and (isinstance(child, CONTAINERS) or len(children) == 1):
            yield from _blocks(child, f"{path}.")
        else:
            yield path, child


class Hooks:
    """Puts hooks on a model, and appends what they see to `ops`, a list that may be replaced.

    `now` reads the clock, or makes a moment on the device. While they are paused nothing is seen: a
    pipeline's stage then notes its passes as a whole, and sets the `replica` that the rank works
    for, if that is not its own.
    """

    def __init__(self, model: nn.Module, now: Callable[[], int] = time.perf_counter_ns) -> None:
        self.ops: list[Op] = []
        self.now = now
        self._handles: list[Any] = []
        self._passes = -1
        self._open: list[tuple[Op, set[object]]] = []  # what runs forward, and what made its input
        # The backward pass as far as hooks have shown it:
        #   _back  the block whose backward runs now
        #   _rest  the same behind a collective that was waited for; it counts once a gradient comes
        #   _loss  from the end of the forward pass until the first block's backward
        self._back: Op | None = None
        self._rest: Op | None = None  # of it, behind a collective: told once it has a gradient
        self._loss: Op | None = None
        self.is_paused = False
        self.replica: int | None = None
        self._watch(model)

    def pause(self, on: bool) -> None:
        """See nothing until this is called again."""
        self.is_paused, self._back, self._loss = on, None, None

    def interrupt(self) -> None:
        """The thread that runs the backward pass waits for a collective from now on."""
        if _is_backward():
            self._end_loss(self.now())
        if self._back is not None and _is_backward():
            self._back.end = self.now()

    def go_on(self) -> None:
        """Behind a collective the block's backward goes on, if it has a gradient still to come."""
        if self._back is not None and _is_backward():
            back = self._back
            self._rest = self._back = replace(back, start=self.now(), end=None)

    def remove(self) -> None:
        """Take all hooks off again."""
        for handle in self._handles:
            handle.remove()

    def step_over(self) -> list[Op]:
        """What has happened since the last step's end; the next one begins."""
        ops, self.ops = self.ops, []
        self._passes, self._loss, self._back, self._rest = -1, None, None, None
        return ops

    def _watch(self, model: nn.Module) -> None:
        keep = self._handles.append
        for number, (name, block) in enumerate(blocks_of(model)):
            self._surround(block, partial(self._before, number, name), self._after)
            for parameter in block.parameters():
                if parameter.requires_grad and parameter.is_leaf:
                    hook = partial(self._gradient, number)
                    keep(parameter.register_post_accumulate_grad_hook(hook))
        root = unwrapped(model, into_compiled=False)
        self._surround(root, self._enter, self._leave, is_root=True)

    def _surround(
        self, module: nn.Module, before: Callable[..., None], after: Callable[..., None],
        is_root: bool = False,
    ) -> None:  # fmt: skip
        """Have both called around the module's forward pass, the root's around its blocks'.

        What was compiled in place compiles its hooks too, where they do nothing.
        """
        if module._compiled_call_impl is not None:
            self._handles.append(_Called(module, before, after))
            return
        self._handles += [
            module.register_forward_pre_hook(before, prepend=is_root),
            # Also after an exception: by one a checkpoint stops recomputing once it has all it
            # needs.
            module.register_forward_hook(after, always_call=not is_root),
        ]

    def _enter(self, root: nn.Module, inputs: tuple[object, ...]) -> None:
        if not torch.compiler.is_compiling() and not self.is_paused and not _is_backward():
            # Each forward pass of the whole model within a step is a micro-batch.
            self._passes += 1

    def _before(self, number: int, name: str, block: nn.Module, inputs: tuple[Any, ...]) -> None:
        if torch.compiler.is_compiling() or self.is_paused:
            return
        again = _is_backward()
        op = Op("recompute" if again else "forward", 0, None, number, name)
        leaves = leaves_of(inputs)
        op.rows, op.pass_number = rows_of(leaves), max(0, self._passes)
        made = self._watch_inputs(number, leaves)
        now = self.now()
        if again and self._back is not None:
            self._back.end = self._back.end or now
            op.pass_number = self._back.pass_number
        op.start = now
        self._open.append((op, made))
        self.ops.append(op)

    def _watch_inputs(self, number: int, leaves: Sequence[object]) -> set[object]:
        """Register hooks on the gradients of the inputs; returns what made the inputs.

        Before the block runs: one that works in place changes what its input is.
        """
        into: list[Any] = [leaf for leaf in leaves if _flows(leaf)]
        if len(into) == 1 and torch.is_grad_enabled():
            into[0].register_hook(partial(self._gradient, number))
        elif into and torch.is_grad_enabled():
            torch.autograd.graph.register_multi_grad_hook(into, partial(self._gradient, number))
        return {leaf.grad_fn for leaf in into}

    def _after(self, block: nn.Module, inputs: tuple[Any, ...], output: object) -> None:
        """Also where an exception left the block: so a recompute ends that has all it needs."""
        if torch.compiler.is_compiling() or self.is_paused or not self._open:
            return
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
        leaves: list[Any] = [leaf for leaf in leaves_of(output) if _flows(leaf)]
        for function in {leaf.grad_fn for leaf in leaves} - made:
            function.register_prehook(lambda gradients: self._output_ready(op, begun))

    def _leave(self, root: nn.Module, inputs: tuple[object, ...], output: object) -> None:
        if torch.compiler.is_compiling() or self.is_paused:
            return
        if not _is_backward() and torch.is_grad_enabled():
            self._loss = Op("loss", self.now(), pass_number=max(0, self._passes))

    def _output_ready(self, op: Op, begun: list[Op]) -> None:
        """The gradient of a block's output is there, or of one of them."""
        if not begun:
            begun.append(op)
            self._begin_backward(op)

    def _begin_backward(self, op: Op) -> None:
        now = self.now()
        self._end_loss(now)
        if self._back is not None and self._back.end is None:
            self._back.end = now  # it was over by now
        self._back = Op(
            "backward", now, None, op.number, op.name, op.rows, pass_number=op.pass_number
        )
        self.ops.append(self._back)

    def _end_loss(self, now: int) -> None:
        if self._loss is not None:
            self._loss.end = now
            self.ops.append(self._loss)
            self._loss = None

    def _gradient(self, number: int, *_: object) -> None:
        """A block has a gradient more: of its input, or of a parameter."""
        if self._back is not None and self._back.number == number:
            self._back.end = self.now()
            if self._rest is self._back:
                self.ops.append(self._back)
                self._rest = None


def _is_backward() -> bool:
    # torch has no public way to ask whether a backward pass goes on.
    return bool(torch._C._current_graph_task_id() != -1)


def _flows(leaf: object) -> bool:
    """Whether a gradient flows on through it."""
    return isinstance(leaf, Tensor) and leaf.requires_grad and leaf.grad_fn is not None


def leaves_of(values: object) -> Sequence[object]:
    """What values of any form hold; quick for what most blocks take and give, tensors alone."""
    if isinstance(values, Tensor):
        return (values,)
    if type(values) is tuple and all(isinstance(value, Tensor) for value in values):
        return values
    return pytree.tree_leaves(values)


def rows_of(leaves: Sequence[object]) -> int:
    """The rows of the first tensor among values; 0 if there is none."""
    first = next((leaf for leaf in leaves if isinstance(leaf, Tensor)), None)
    return 0 if first is None or not first.dim() else int(first.shape[0])


class _Called:
    """Around a module that was compiled in place: both are called there, and not compiled."""

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
