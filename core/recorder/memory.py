"""Counts the memory of blocks' saved tensors, of the model, and of the optimizer.

The tensors that autograd has saved are read from the graph of a block's outputs, once for each
block and input shape. Saved-tensor hooks would count them too, but they would change the job.
Autograd does not check hooked tensors for changes in place, and it gives a function's backward pass
copies of them, without the attributes that a script may have set.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .blocks import is_compiled
from .rank_step import CounterValue
from .values import leaves_of

ReportMemory = Callable[[str, float], None]
"""Called with (name, bytes) when the memory that is held changes."""
FIRST_UPDATES = 3
"""The memory of model and optimizer is read after each of this many first updates."""
UPDATES_APART = 64
"""Number of updates between two later readings."""
MOST_SIZES = 1 << 14
"""Most sizes that are remembered, each of a block and an input shape. Shapes may never recur."""


TELLS_HOOKS = hasattr(torch._C._autograd.SavedTensor, "unpack_hook")
"""True if torch tells which saved tensors hooks have packed: torch 2.13 and later."""


def saved_tensors(outputs: Iterable[object], first: int = 0) -> list[Tensor]:
    """Return the tensors that autograd has saved for the backward pass of `outputs`.

    `first` leaves out the functions before it in autograd's sequence. Tensors that saved-tensor
    hooks have packed are left out, as in a checkpoint; before torch 2.13 the hooks unpack them.
    Tensors that a function written in C++ outside of torch has saved are left out too.
    """
    saved: list[Tensor] = []
    waiting: list[Any] = [value.grad_fn for value in outputs if isinstance(value, Tensor)]
    seen: set[Any] = {None}
    while waiting:
        function = waiting.pop()
        if function in seen or function._sequence_nr() < first:
            continue
        seen.add(function)
        saved += _saved_by(function)
        waiting += [following for following, _ in function.next_functions]
    return saved


def _saved_by(function: Any) -> Iterator[Tensor]:
    """Yield the tensors that one function of autograd's graph has saved."""
    kind: type = type(function)
    for name in _saved_names(kind):
        try:
            found = getattr(function, name)
        except RuntimeError:  # a backward pass has freed them
            continue
        for item in found if isinstance(found, tuple) else (found,):
            value = item
            if TELLS_HOOKS:
                # Unpacking would call the hooks, and a checkpoint's hooks run its blocks again.
                value = item.data if item.unpack_hook is None else None
            if isinstance(value, Tensor):
                yield value


@functools.cache
def _saved_names(kind: type) -> tuple[str, ...]:
    """Return the attributes in which a kind of function keeps its saved tensors."""
    # Cached, because dir() is slow, and a graph has many functions of few kinds.
    names = dir(kind)
    if TELLS_HOOKS:
        return tuple(name for name in names if name.startswith("_raw_saved_"))
    return tuple(name for name in names if name.startswith("_saved_") or name == "saved_tensors")


def extra_bytes(saved: Iterable[Tensor], known: Iterable[Tensor]) -> int:
    """Return the size in bytes of the storages of `saved` that are not storages of `known`.

    A storage that several tensors share counts once.
    """
    return _extra(saved, {address for address, _ in _storages(known)})


def _extra(saved: Iterable[Tensor], known: set[int]) -> int:
    """Return the size in bytes of storages not in `known`, and add their addresses to it."""
    total = 0
    for address, size in _storages(saved):
        if address not in known:
            known.add(address)
            total += size
    return total


def _storages(tensors: Iterable[Tensor]) -> Iterator[tuple[int, int]]:
    """Yield the address and size in bytes of the storage of each tensor that has one."""
    for tensor in chain.from_iterable(map(_plain, tensors)):
        # Sparse tensors and uninitialized parameters have no storage.
        with suppress(RuntimeError, ValueError):
            storage = tensor.untyped_storage()
            yield storage.data_ptr(), storage.nbytes()


def _plain(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the tensors inside a wrapper such as a DTensor: the parts held by this process."""
    wrapper: Any = tensor
    if is_traceable_wrapper_subclass(wrapper):
        names, _ = wrapper.__tensor_flatten__()
        for name in names:
            part = getattr(wrapper, name)
            if isinstance(part, Tensor):  # a DTensor's device mesh is not a tensor
                yield from _plain(part)
    else:
        yield tensor


def _has_no_hooks() -> bool:
    """Return True if no saved-tensor hooks are active; a checkpoint uses such hooks."""
    try:
        autograd: Any = torch._C._autograd
        # torch has no public function for this.
        return autograd._top_saved_tensors_default_hooks(False) is None
    except AttributeError:
        return False


def _next_function() -> int:
    """Return the number of the next function that this thread adds to autograd's graph."""
    # torch has no public function for this.
    autograd: Any = torch._C._autograd
    return int(autograd._get_sequence_nr())


def _local_bytes(tensor: Tensor) -> int:
    """Return the size in bytes of a tensor's part in this process; 0 if its shape is not known."""
    with suppress(RuntimeError, ValueError):
        return sum(part.nbytes for part in _plain(tensor))
    return 0


class StepMemory:
    """Collects a step's memory counters.

    A step may have thousands of passes, so of `activations` it keeps only the peak and the value
    at the step's end, which is 0.
    """

    def __init__(self) -> None:
        self._peak = CounterValue("activations", 0, 0)
        self._rows: list[CounterValue] = []
        self._known: dict[str, int] = {}
        self._updates = 0

    def report(self, name: str, value: float) -> None:
        """Take the bytes of activations that are held now."""
        if value > self._peak.value:
            self._peak = CounterValue(name, time.perf_counter_ns(), int(value))

    def update(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Add the memory of model and optimizer after an update, where it has changed."""
        self._updates += 1
        if self._updates > FIRST_UPDATES and self._updates % UPDATES_APART:
            return
        parameters = list(model.parameters())
        gradients = [p.grad for p in parameters if p.grad is not None]
        self._add("parameters", parameters)
        self._add("gradients", gradients)
        # LBFGS keeps lists of tensors in its state, and custom optimizers any object.
        self._add("optimizer", leaves_of(list(optimizer.state.values())))

    def end_step(self) -> list[CounterValue]:
        """Return the step's counters, each in order of time, and begin the next step."""
        rows, self._rows = self._rows, []
        peak = self._peak
        self._peak = CounterValue("activations", 0, 0)
        if peak.value:
            rows += [peak, CounterValue(peak.name, time.perf_counter_ns(), 0)]
        return rows

    def _add(self, name: str, values: Iterable[object]) -> None:
        """Add a counter with the size of the tensors among values, if it has changed."""
        size = sum(_local_bytes(value) for value in values if isinstance(value, Tensor))
        if self._known.get(name) != size:
            self._known[name] = size
            self._rows.append(CounterValue(name, time.perf_counter_ns(), size))


class ActivationMemory:
    """Counts the bytes that autograd keeps from blocks' forward passes; `report` gets the sum."""

    def __init__(self, report: ReportMemory) -> None:
        self._report = report
        self._sizes: dict[Hashable, int] = {}
        self._known: set[int] = set()
        # For each block that runs forward: its key in `_sizes`, and the number of its first
        # function in autograd's sequence if it is measured.
        self._open: list[tuple[Hashable, int | None]] = []
        self._held = 0

    def begin_step(self) -> None:
        """Forget the tensors of the last step."""
        self._known.clear()
        self._held = 0

    def forget(self) -> None:
        """Forget all sizes, because the blocks have new numbers."""
        self.begin_step()
        self._sizes.clear()

    def begin_forward(self, number: int, shape: Hashable, block: nn.Module) -> None:
        """Begin a block's forward pass; its size is measured if it is not known for this shape."""
        place = number, shape
        first: int | None = None
        if place not in self._sizes and _has_no_hooks():
            if not TELLS_HOOKS or any(map(is_compiled, block.modules())):
                self._remember(place, 0)
            else:
                first = _next_function()
        self._open.append((place, first))

    def end_forward(self, block: nn.Module, output: object) -> int:
        """End a block's forward pass; return the bytes kept for its backward pass.

        The output is None if the pass raised an exception.
        """
        place, first = self._open.pop()
        if first is not None and output is not None:
            # Parameters are held anyway. A tensor that two blocks save, such as the one between
            # them, counts once.
            self._known |= {address for address, _ in _storages(block.parameters())}
            saved = saved_tensors(leaves_of(output), first)
            self._remember(place, _extra(saved, self._known))
        size = self._sizes.get(place, 0)
        self._change(size)
        return size

    def release(self, size: int) -> None:
        """Subtract the bytes of a block whose backward pass is over."""
        self._change(-size)

    def _remember(self, place: Hashable, size: int) -> None:
        """Remember a size, and forget the oldest one if there are too many."""
        self._sizes[place] = size
        if len(self._sizes) > MOST_SIZES:
            del self._sizes[next(iter(self._sizes))]

    def _change(self, by: int) -> None:
        self._held += by
        self._report("activations", self._held)
