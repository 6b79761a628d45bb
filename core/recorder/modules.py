"""Keeps track of the modules whose calls are recorded: the model, its blocks, other networks."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import nn

from .blocks import WholeBlock, find_blocks, inner_module, unwrapped
from .guard import Guard

MOST_OTHERS = 64
"""Most networks besides the model whose passes are recorded, such as a GAN's second network."""
Hook = Callable[..., None]


@dataclass(slots=True)
class WatchedModule:
    """A module whose calls are recorded: the model, a block (numbered from 0), or both.

    `number` is -1 for a module that is not a block. `has_passed` is set after its first call.
    """

    module: weakref.ref[nn.Module]
    name: str = ""
    number: int = -1
    is_root: bool = False
    has_passed: bool = False


class WatchedModules:
    """Finds watched modules by their ids, and registers hooks on their gradients.

    `gradient` is called with a block's number, and the parameter, for each gradient. `before` and
    `after` are called around modules that global hooks do not reach: modules compiled in place,
    and, if the caller gives `blocks`, these and the model.
    """

    def __init__(
        self, guard: Guard, gradient: Callable[..., None], before: Hook, after: Hook
    ) -> None:
        self._guard = guard
        self._gradient = gradient
        self._before = before
        self._after = after
        self._watched: dict[int, WatchedModule] = {}
        self._handles: list[Any] = []
        self._others = 0
        self.blocks: tuple[nn.Module, ...] | None = None
        """Blocks given by the caller; None to find them in the model."""
        self.parameters: set[int] = set()
        """The ids of the parameters of all watched modules."""

    def watch(self, model: nn.Module) -> None:
        """Watch the model and its current blocks, in addition to the modules watched already."""
        self.parameters |= {id(parameter) for parameter in model.parameters()}
        root = unwrapped(model, into_compiled=False)
        if self.blocks is None:
            blocks = [(_title(name, block), block) for name, block in find_blocks(model)]
        else:
            blocks = [("", block) for block in self.blocks]
        for number, (name, block) in enumerate(blocks):
            one = WatchedModule(weakref.ref(block), name, number, is_root=block is root)
            self._add(one, block)
        self._add(WatchedModule(weakref.ref(root), is_root=True), root)

    def known(self, module: nn.Module) -> WatchedModule | None:
        """Return the entry of a watched module; None if it is not watched."""
        one = self._watched.get(id(module))
        # A new module may have the id of a deleted one.
        if one is None or one.module() is not module:
            return None
        return one

    def is_watched(self, module: nn.Module) -> bool:
        """Return True if a module is watched; rarely also if it has the id of a deleted one."""
        return id(module) in self._watched

    def remember(self, module: nn.Module) -> WatchedModule:
        """Watch an outermost module: a wrapper of the model, or another network.

        Another network is recorded as an additional block.
        """
        parameters = {id(parameter) for parameter in module.parameters()}
        is_other = not parameters & self.parameters and inner_module(module) is None
        one = WatchedModule(weakref.ref(module), type(module).__name__)
        if is_other and self._others < MOST_OTHERS:
            self._others += 1
            numbers = [known.number for known in self._watched.values()]
            one.number = 1 + max(numbers)
            self.parameters |= parameters
        self._add(one, module)
        return one

    def remove(self) -> None:
        """Remove all hooks."""
        for handle in self._handles:
            handle.remove()

    def forget(self) -> None:
        """Remove all hooks and watch nothing."""
        self.remove()
        self._handles.clear()
        self._watched.clear()
        self._others = 0
        self.parameters.clear()

    def watch_gradients(self, one: WatchedModule, module: nn.Module) -> None:
        """Register hooks on the gradients of a block's parameters.

        Call it once, right after the block's first call. A block that fully_shard divides has other
        parameters during its call than afterwards, and hooks on those would be called only when its
        gradients have been reduced.
        """
        hook = self._guard.around(partial(self._gradient, one.number))
        for parameter in module.parameters():
            if parameter.requires_grad and parameter.is_leaf:
                self._handles.append(parameter.register_post_accumulate_grad_hook(hook))

    def _add(self, one: WatchedModule, module: nn.Module) -> None:
        if self.known(module) is not None:
            return
        self._watched[id(module)] = one
        if self.blocks is not None:
            # Order of the hooks around a block (torch's gather and release its parameters):
            #     torch's pre-hook | our pre-hook, block, our hook | torch's hook
            # so a block's span excludes torch's work around it.
            self._handles.append(module.register_forward_pre_hook(self._before))
            self._handles.append(
                module.register_forward_hook(self._after, prepend=True, always_call=True)
            )
        elif module._compiled_call_impl is not None:
            # torch compiles the global hooks together with this module, where they do nothing.
            self._handles.append(_CompiledCall(module, self._before, self._after))


class _CompiledCall:
    """Calls both hooks around a module that was compiled in place, outside of the compiled code.

    It replaces an attribute that is not part of the module's state: torch does not save it.
    """

    def __init__(self, module: nn.Module, before: Hook, after: Hook) -> None:
        run: Any = module._compiled_call_impl
        self._module = module
        self._original = run

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
        """Restore the module."""
        self._module._compiled_call_impl = self._original


def _title(path: str, block: nn.Module) -> str:
    """Return a block's path in the model; `Linear 8` if the path consists of numbers only."""
    has_words = any(letter.isalpha() for letter in path)
    if has_words or isinstance(block, WholeBlock):
        return path
    return f"{type(unwrapped(block)).__name__} {path}"
