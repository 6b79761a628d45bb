"""The modules whose calls are noted: the model's root and blocks, and other networks."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn

from .blocks import blocks_of, unwrapped, wrapped
from .guard import Guard

MOST_OTHERS = 64
"""Networks besides the model whose passes are recorded, such as a GAN's second one."""
Hook = Callable[..., None]


@dataclass(slots=True)
class Watched:
    """A module whose calls are noted: the root, a block (`number` from 0), or both.

    It `has_passed` once it has run.
    """

    module: weakref.ref[nn.Module]
    name: str = ""
    number: int = -1
    is_root: bool = False
    has_passed: bool = False


class Modules:
    """Knows the watched modules by their ids, and sees their gradients.

    `gradient` is called with a block's number for each gradient of its parameters; `before` and
    `after` around the calls of modules that were compiled in place, which global hooks do not see,
    and of the model and `blocks` that the caller owns, which get hooks of their own.
    """

    def __init__(
        self, guard: Guard, gradient: Callable[[int], None], before: Hook, after: Hook
    ) -> None:
        self._guard, self._gradient = guard, gradient
        self._before, self._after = before, after
        self._watched: dict[int, Watched] = {}
        self._handles: list[Any] = []
        self._others = 0
        self.blocks: tuple[nn.Module, ...] | None = None
        """The blocks of a model that the caller owns; None to find them in the model."""
        self.parameters: set[int] = set()
        """The ids of the parameters of all watched modules."""

    def watch(self, model: nn.Module) -> None:
        """Watch the model's root and blocks as they are now; what is watched already stays."""
        self.parameters |= {id(parameter) for parameter in model.parameters()}
        root = unwrapped(model, into_compiled=False)
        own = None if self.blocks is None else [("", block) for block in self.blocks]
        for number, (name, block) in enumerate(blocks_of(model) if own is None else own):
            self._add(Watched(weakref.ref(block), name, number, is_root=block is root), block)
        self._add(Watched(weakref.ref(root), is_root=True), root)

    def known(self, module: nn.Module) -> Watched | None:
        """Return what is known of a module; None of one that is not watched."""
        one = self._watched.get(id(module))
        # A module that is gone may have left its id to another one.
        return one if one is not None and one.module() is module else None

    def remember(self, module: nn.Module) -> Watched:
        """Know an outermost module from now on: a wrapper of the model, or another network.

        The passes of another network are noted as those of one block more.
        """
        parameters = {id(parameter) for parameter in module.parameters()}
        is_other = not parameters & self.parameters and wrapped(module) is None
        one = Watched(weakref.ref(module), type(module).__name__)
        if is_other and self._others < MOST_OTHERS:
            self._others += 1
            one.number = 1 + max(known.number for known in self._watched.values())
            self.parameters |= parameters
        self._add(one, module)
        return one

    def remove(self) -> None:
        """Take all hooks off again."""
        for handle in self._handles:
            handle.remove()

    def watch_gradients(self, one: Watched, module: nn.Module) -> None:
        """See the gradients of a block's parameters; call it once, when the block has just run.

        A block that fully_shard divides has other parameters while it runs than between its passes,
        whose hooks are called only when its gradients have been reduced.
        """
        hook = self._guard.around(lambda *_: self._gradient(one.number))
        for parameter in module.parameters():
            if parameter.requires_grad and parameter.is_leaf:
                self._handles.append(parameter.register_post_accumulate_grad_hook(hook))

    def _add(self, one: Watched, module: nn.Module) -> None:
        if self.known(module) is not None:
            return
        self._watched[id(module)] = one
        if self.blocks is not None:
            # The order of hooks around a block (torch's gather its parameters and give them up):
            #     torch's pre-hook | ours, block, ours | torch's hook
            # so that a block's span holds nothing of torch's own work around it.
            self._handles.append(module.register_forward_pre_hook(self._before))
            self._handles.append(
                module.register_forward_hook(self._after, prepend=True, always_call=True)
            )
        elif module._compiled_call_impl is not None:
            # Compiled in place: torch compiles the global hooks too, where they do nothing.
            self._handles.append(_Called(module, self._before, self._after))


class _Called:
    """Puts both hooks around a module that was compiled in place; they are not compiled there.

    The attribute that it replaces is no part of the module's state: torch leaves it out.
    """

    def __init__(self, module: nn.Module, before: Hook, after: Hook) -> None:
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
