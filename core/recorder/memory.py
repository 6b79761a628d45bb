"""What a block keeps in memory for its backward pass, counted by storage, each storage once.

The tensors that autograd saves are measured once for each block and shape of its input, with
saved-tensor hooks, and taken as known from then on: the hooks cost Python code for every saved
tensor, which would show in the times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .blocks import is_compiled
from .rank_step import CounterValue

ReportMemory = Callable[[str, float], None]
"""Called with (name, bytes) when memory held changes."""
FIRST_UPDATES, UPDATES_APART = 3, 64
"""Of model and optimizer the memory is taken after the first updates, then seldom."""


@contextmanager
def saved_tensors() -> Iterator[list[Tensor]]:
    """Collects the tensors that autograd saves for the backward pass within the context."""
    saved: list[Tensor] = []

    def pack(tensor: Tensor) -> Tensor:
        saved.append(tensor)
        return tensor

    # Packed as themselves: the backward pass is the same, and this holds no copies.
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        yield saved


def extra_bytes(saved: Iterable[Tensor], known: Iterable[Tensor]) -> int:
    """Return the bytes of the storages of `saved` that are not those of `known`, each once."""
    return _extra(saved, {address for address, _ in _storages(known)})


def _extra(saved: Iterable[Tensor], known: set[int]) -> int:
    """Return the bytes of storages that are not `known` by address, and add them to these."""
    total = 0
    for address, size in _storages(saved):
        if address not in known:
            known.add(address)
            total += size
    return total


def _storages(tensors: Iterable[Tensor]) -> Iterator[tuple[int, int]]:
    """Yield address and bytes of the storages of tensors; those without one are left out."""
    for tensor in chain.from_iterable(map(_plain, tensors)):
        # A sparse tensor has none, nor has a parameter whose shape is not known yet.
        with suppress(RuntimeError, ValueError):
            storage = tensor.untyped_storage()
            yield storage.data_ptr(), storage.nbytes()


def _plain(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the tensors in this process that a wrapper, such as a DTensor, holds."""
    wrapper: Any = tensor
    if is_traceable_wrapper_subclass(wrapper):
        names, _ = wrapper.__tensor_flatten__()
        inside = (getattr(wrapper, name) for name in names)
        for part in inside:
            if isinstance(part, Tensor):  # beside them there may be a mesh
                yield from _plain(part)
    else:
        yield tensor


def _has_free_hooks() -> bool:
    """Return True if nobody else has saved-tensor hooks now: a checkpoint's decide what is kept."""
    try:
        autograd: Any = torch._C._autograd
        # torch has no public way to ask.
        others = autograd._top_saved_tensors_default_hooks(False)
        return others is None and bool(autograd._saved_tensors_hooks_is_enabled())
    except AttributeError:
        return False


def _bytes_of(tensor: Tensor) -> int:
    """Return the bytes of a tensor in this process; 0 while its shape is not known."""
    with suppress(RuntimeError, ValueError):
        return sum(part.nbytes for part in _plain(tensor))
    return 0


class StepCounters:
    """Collects a step's memory counters: the most that was kept, and what its end leaves.

    A job may have thousands of passes in a step: of `activations` it tells two values a step.
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
        """Take what model and optimizer hold after an update, where that has changed."""
        self._updates += 1
        if self._updates > FIRST_UPDATES and self._updates % UPDATES_APART:
            return
        parameters = list(model.parameters())
        gradients = [p.grad for p in parameters if p.grad is not None]
        states = [value for state in optimizer.state.values() for value in state.values()]
        now = time.perf_counter_ns()
        for name, tensors in (
            ("parameters", parameters),
            ("gradients", gradients),
            ("optimizer", states),
        ):
            size = sum(_bytes_of(tensor) for tensor in tensors if isinstance(tensor, Tensor))
            if self._known.get(name) != size:
                self._known[name] = size
                self._rows.append(CounterValue(name, now, size))

    def end_step(self) -> list[CounterValue]:
        """Return the step's counters, in the order of time by name; the next step begins."""
        rows, self._rows = self._rows, []
        if self._peak.value:
            rows += [self._peak, CounterValue(self._peak.name, time.perf_counter_ns(), 0)]
            self._peak = CounterValue("activations", 0, 0)
        return rows


class Activations:
    """Counts the bytes that autograd keeps from blocks' forward passes; `report` gets the sum."""

    def __init__(self, report: ReportMemory) -> None:
        self._report = report
        self._sizes: dict[Hashable, int] = {}
        self._known: set[int] = set()
        # Blocks that run forward: each with its place among the sizes, and what is measured.
        self._open: list[tuple[nn.Module, Hashable, _Measured | None]] = []
        self._held = 0

    def begin_step(self) -> None:
        """Forget the tensors of the last step."""
        self._known.clear()
        self._held = 0

    def begin_forward(self, number: int, shape: Hashable, block: nn.Module) -> None:
        """A block begins to run on an input of this shape; measure it unless its size is known."""
        place = number, shape
        measured: _Measured | None = None
        if place not in self._sizes and _has_free_hooks():
            if any(map(is_compiled, block.modules())):
                self._sizes[place] = 0
            else:
                measured = _Measured()
        self._open.append((block, place, measured))

    def end_forward(self, block: nn.Module) -> int:
        """The block has run; return the bytes kept for its backward pass."""
        _, place, measured = self._open.pop()
        if measured is not None:
            measured.hooks.close()
            # Parameters are held anyway. What one block has saved and the next one saves too,
            # such as the tensor between them, counts once.
            self._known |= {address for address, _ in _storages(block.parameters())}
            self._sizes[place] = _extra(measured.saved, self._known)
        size = self._sizes.get(place, 0)
        self._change(size)
        return size

    def release(self, size: int) -> None:
        """A block's backward pass is over."""
        self._change(-size)

    def abandon(self, block: nn.Module) -> None:
        """Measure a block no more if it is the one that runs.

        Call it where the block begins or ends: in between, others may have hooks on top of these.
        """
        while self._open and self._open[-1][0] is block:
            *_, measured = self._open.pop()
            if measured is not None:
                measured.hooks.close()

    def _change(self, by: int) -> None:
        self._held += by
        self._report("activations", self._held)


class _Measured:
    """The tensors that autograd has `saved` since this was made, until `hooks` are closed."""

    def __init__(self) -> None:
        self.hooks = ExitStack()
        self.saved = self.hooks.enter_context(saved_tensors())
