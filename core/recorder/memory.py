"""Counts the memory of blocks' saved tensors, of the model, and of the optimizer.

The tensors that autograd saves are measured once for each block and input shape, with saved-tensor
hooks. After that their size is known. The hooks run Python code for every saved tensor, so leaving
them on would lengthen the recorded passes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
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


_disable_hooks = torch.autograd.graph.disable_saved_tensors_hooks
_collecting_lock = threading.Lock()
_collecting = 0
"""The number of `saved_tensors` contexts that are open, in any thread."""


@contextmanager
def saved_tensors() -> Iterator[list[Tensor]]:
    """Collect the tensors that autograd saves for the backward pass within the context.

    Tensors that torch.func's transforms and torch.vmap save are left out.
    """
    saved: list[Tensor] = []

    def pack(tensor: Tensor) -> Tensor:
        saved.append(tensor)
        return tensor

    # Tensors are packed as themselves: the backward pass does not change, and nothing is copied.
    with _yielding_to_transforms(), torch.autograd.graph.saved_tensors_hooks(pack, _unpacked):
        yield saved


def _unpacked(tensor: Tensor) -> Tensor:
    """Return the saved tensor. This function also identifies the hooks of `saved_tensors`."""
    return tensor


@contextmanager
def _yielding_to_transforms() -> Iterator[None]:
    """Keep torch.func's transforms and torch.vmap working while saved tensors are collected.

    They refuse to run under saved-tensor hooks. They call the function that is replaced here.
    """
    global _collecting
    with _collecting_lock:
        _collecting += 1
        torch.autograd.graph.disable_saved_tensors_hooks = _disable_other_hooks  # type: ignore[assignment]
    try:
        yield
    finally:
        with _collecting_lock:
            _collecting -= 1
            if not _collecting:
                torch.autograd.graph.disable_saved_tensors_hooks = _disable_hooks


def _disable_other_hooks(message: str) -> AbstractContextManager[None]:
    """Disable saved-tensor hooks as torch does, with ours removed within the context."""
    # torch.compile recognises torch's own function, and does not run the hooks while it compiles.
    if torch.compiler.is_compiling():
        return _disable_hooks(message)
    return _without_ours(message)


@contextmanager
def _without_ours(message: str) -> Iterator[None]:
    # torch has no public function for the hooks that are active.
    autograd: Any = torch._C._autograd
    removed = []
    hooks = autograd._top_saved_tensors_default_hooks(False)
    while hooks is not None and hooks[1] is _unpacked:
        removed.append(hooks)
        autograd._pop_saved_tensors_default_hooks()
        hooks = autograd._top_saved_tensors_default_hooks(False)
    try:
        with _disable_hooks(message):
            yield
    finally:
        for pack, unpack in reversed(removed):
            autograd._push_saved_tensors_default_hooks(pack, unpack)


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


def _has_free_hooks() -> bool:
    """Return True if no other saved-tensor hooks are active; a checkpoint uses such hooks."""
    try:
        autograd: Any = torch._C._autograd
        # torch has no public function for this.
        others = autograd._top_saved_tensors_default_hooks(False)
        return others is None and bool(autograd._saved_tensors_hooks_is_enabled())
    except AttributeError:
        return False


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
        # Blocks that run forward, each with its key in `_sizes`, and a measurement if one runs.
        self._open: list[tuple[nn.Module, Hashable, _Measurement | None]] = []
        self._held = 0

    def begin_step(self) -> None:
        """Forget the tensors of the last step."""
        self._known.clear()
        self._held = 0

    def begin_forward(self, number: int, shape: Hashable, block: nn.Module) -> None:
        """Begin a block's forward pass; measure it if the size for this shape is not known."""
        place = number, shape
        measured: _Measurement | None = None
        if place not in self._sizes and _has_free_hooks():
            if any(map(is_compiled, block.modules())):
                self._sizes[place] = 0
            else:
                measured = _Measurement()
        self._open.append((block, place, measured))

    def end_forward(self, block: nn.Module) -> int:
        """End a block's forward pass; return the bytes kept for its backward pass."""
        _, place, measured = self._open.pop()
        if measured is not None:
            measured.hooks.close()
            # Parameters are held anyway. A tensor that two blocks save, such as the one between
            # them, counts once.
            self._known |= {address for address, _ in _storages(block.parameters())}
            self._sizes[place] = _extra(measured.saved, self._known)
        size = self._sizes.get(place, 0)
        self._change(size)
        return size

    def release(self, size: int) -> None:
        """Subtract the bytes of a block whose backward pass is over."""
        self._change(-size)

    def abandon(self, block: nn.Module) -> None:
        """Stop measuring the innermost running block, if it is this one.

        Call it where the block begins or ends. In between, other code may have put saved-tensor
        hooks on top of these.
        """
        while self._open and self._open[-1][0] is block:
            *_, measured = self._open.pop()
            if measured is not None:
                measured.hooks.close()

    def _change(self, by: int) -> None:
        self._held += by
        self._report("activations", self._held)


class _Measurement:
    """Collects the tensors that autograd saves in `saved`, until `hooks` are closed."""

    def __init__(self) -> None:
        self.hooks = ExitStack()
        self.saved = self.hooks.enter_context(saved_tensors())
