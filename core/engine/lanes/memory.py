"""What each lane holds in memory, by storage, each storage once.

Tensors that the executor holds are counted by storage as they come and go. What autograd saves
in addition is measured once for each stage and number of rows (core.recorder.memory).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

import torch
from torch import Tensor


class Ledger:
    """The tensors that one lane holds; other lanes may take from it what they copy.

    `bytes` is the size of their storages, each once; `saved` what autograd keeps beside them.
    """

    def __init__(self) -> None:
        # A lane counts what it makes in its own thread; a lane that takes a value from it drops
        # that from this ledger in another thread.
        self._lock = threading.Lock()
        self._holders: Counter[int] = Counter()
        self.bytes = 0
        self.saved = 0

    def hold(self, tensor: Tensor) -> None:
        """Count the tensor's storage, if it is not held already."""
        storage = tensor.untyped_storage()
        with self._lock:
            if self._holders[storage.data_ptr()] == 0:
                self.bytes += storage.nbytes()
            self._holders[storage.data_ptr()] += 1

    def drop(self, tensor: Tensor) -> None:
        """Give back what `hold` counted."""
        storage = tensor.untyped_storage()
        with self._lock:
            self._holders[storage.data_ptr()] -= 1
            if self._holders[storage.data_ptr()] == 0:
                self.bytes -= storage.nbytes()

    def clear(self) -> None:
        """Forget everything, at the start of a step."""
        self._holders.clear()
        self.bytes = self.saved = 0


def optimizer_bytes(
    optimizer: torch.optim.Optimizer, held_bytes: Callable[[Tensor], int] = lambda t: t.nbytes
) -> int:
    """Bytes of the optimizer's state tensors, of each as many as `held_bytes` says."""
    states = (value for state in optimizer.state.values() for value in state.values())
    return sum(held_bytes(value) for value in states if isinstance(value, Tensor))
