"""Records functional collectives, which DTensor calls, from the request to the end of the wait."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from .guard import Guard
from .rank_step import Op, group_name

MODULE = "torch.distributed._functional_collectives"
KINDS = {
    "all_reduce": "all-reduce",
    "all_gather_single": "all-gather",
    "all_gather_single_autograd": "all-gather",
    "all_gather_tensor": "all-gather",
    "all_gather_tensor_autograd": "all-gather",
    "reduce_scatter_single": "reduce-scatter",
    "reduce_scatter_single_autograd": "reduce-scatter",
    "reduce_scatter_tensor": "reduce-scatter",
    "reduce_scatter_tensor_autograd": "reduce-scatter",
}
"""The functions that are recorded, and their kinds; `wait_tensor` waits for their results."""
MOST_PENDING = 4096
"""Most collectives that are tracked at the same time until their results are waited for."""
NoteEnd = Callable[[], None]


@dataclass(slots=True)
class CollectiveCall:
    """A running collective: its operation, its clock, and whether the caller waits for it."""

    op: Op
    now: Callable[[], int]
    waits: bool = False

    def end(self) -> None:
        """Set the end to the current time, unless it is set already."""
        if self.op.end is None:
            self.op.end = self.now()


class FunctionalCollectives:
    """Records calls of torch's functional collectives, if the job has imported them.

    `begin` notes a collective, given its kind, tensor and group name, and returns its call.
    `waiting` runs a function in which the calling thread waits, and then a function that notes the
    end.
    """

    def __init__(
        self,
        guard: Guard,
        begin: Callable[[str, Tensor, str], CollectiveCall],
        waiting: Callable[[Callable[[], Any], NoteEnd], Any],
    ) -> None:
        self._guard = guard
        self._begin = begin
        self._waiting = waiting
        self.is_on = True
        self._module: Any = None
        self._originals: dict[str, Callable[..., Any]] = {}
        self._pending: dict[int, CollectiveCall] = {}  # by the address of the result
        self._is_calling = False

    def install(self) -> None:
        """Begin recording. Call it again later if the job has not imported the module yet."""
        module: Any = sys.modules.get(MODULE)
        if self._module is not None or module is None:
            return
        self._module = module
        for name, kind in KINDS.items():
            original = getattr(module, name, None)
            if original is not None:
                self._replace(name, self._recorded(kind, original))
        self._replace("wait_tensor", self._wait_tensor(module.wait_tensor))

    def remove(self) -> None:
        """End recording and restore the module."""
        self.is_on = False
        for name, original in self._originals.items():
            setattr(self._module, name, original)

    def _replace(self, name: str, function: Callable[..., Any]) -> None:
        self._originals[name] = getattr(self._module, name)
        setattr(self._module, name, function)

    def _recorded(self, kind: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def call(*arguments: Any, **options: Any) -> Any:
            # First, so that a compiled graph does not depend on the state of the recording.
            if torch.compiler.is_compiling():
                return original(*arguments, **options)
            if self._is_calling or not self.is_on:
                return original(*arguments, **options)
            self._is_calling = True  # these functions call each other; only the outer call counts
            begun = self._guard(self._begun, kind, arguments, options)
            try:
                result = original(*arguments, **options)
            finally:
                self._is_calling = False
            if begun is not None:
                self._guard(self._launched, begun, result)
            return result

        return call

    def _begun(
        self, kind: str, arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> CollectiveCall:
        tensor = arguments[0] if arguments else options["self"]
        # `group` is the last positional argument: only `tag` follows it, always given by name.
        group = options["group"] if "group" in options else arguments[-1]
        _, ranks, _ = self._module._expand_group(group, options.get("tag", ""))
        return self._begin(kind, tensor, group_name(ranks, dist.get_world_size()))

    def _launched(self, call: CollectiveCall, result: Any) -> None:
        """Register the call to end when its result is waited for; a plain tensor has ended."""
        value = getattr(result, "elem", None)
        if value is None:
            call.end()
        elif len(self._pending) < MOST_PENDING:
            self._pending[value.data_ptr()] = call

    def _wait_tensor(self, original: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        @wraps(original)
        def wait_tensor(tensor: Tensor) -> Tensor:
            # torch.compile compiles this function too, so it uses only names that torch.compile
            # knows.
            if torch.compiler.is_compiling() or not self._pending:
                return original(tensor)
            call = self._guard(self._pending_of, tensor)
            if call is None:
                return original(tensor)
            found: Tensor = self._waiting(lambda: original(tensor), call.end)
            return found

        return wait_tensor

    def _pending_of(self, tensor: Tensor) -> CollectiveCall | None:
        return self._pending.pop(tensor.data_ptr(), None)
