"""Memory that each lane holds, counted by storage.

Tensors of the executor are counted when they are stored and removed. The memory that autograd
saves in addition is measured once for each stage and number of rows (core.recorder.memory).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

import torch
from torch import Tensor


class Ledger:
    """Tensors that one lane holds; a lane that has copied a tensor may remove it.

    `bytes` is the size of their storages, each counted once. `saved` is the number of bytes that
    autograd keeps in addition.
    """

    def __init__(self) -> None:
        # A lane adds its tensors in its own thread, but the lane that takes a value removes it
        # from this ledger in another thread.
        self._lock = threading.Lock()
        self._holders: Counter[int] = Counter()
        self.bytes = 0
        self.saved = 0

    def hold(self, tensor: Tensor) -> None:
        """Count the tensor's storage, unless it is held already."""
        storage = tensor.untyped_storage()
        with self._lock:
            if self._holders[storage.data_ptr()] == 0:
                self.bytes += storage.nbytes()
            self._holders[storage.data_ptr()] += 1

    def drop(self, tensor: Tensor) -> None:
        """Undo one `hold` of the tensor."""
        storage = tensor.untyped_storage()
        with self._lock:
            self._holders[storage.data_ptr()] -= 1
            if self._holders[storage.data_ptr()] == 0:
                self.bytes -= storage.nbytes()

    def clear(self) -> None:
        """Remove everything, at the start of a step."""
        self._holders.clear()
        self.bytes = 0
        self.saved = 0


def optimizer_bytes(
    optimizer: torch.optim.Optimizer, held_bytes: Callable[[Tensor], int] = lambda t: t.nbytes
) -> int:
    """Return the bytes of the optimizer's state; `held_bytes` gives the bytes of a tensor."""
    total = 0
    for state in optimizer.state.values():
        for value in state.values():
            if isinstance(value, Tensor):
                total += held_bytes(value)
    return total
