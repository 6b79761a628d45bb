"""Finds the tensors in the inputs and outputs of modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from torch import Tensor


def leaves_of(values: object) -> Iterator[object]:
    """Yield the values inside tuples, lists and mappings, at any depth."""
    if isinstance(values, Mapping):
        values = tuple(values.values())
    if isinstance(values, tuple | list):
        for value in values:
            yield from leaves_of(value)
    else:
        yield values


def rows_of(leaves: Sequence[object]) -> int:
    """Return the number of rows of the first tensor among the values; 0 if there is none."""
    for leaf in leaves:
        if isinstance(leaf, Tensor):
            if not leaf.dim():
                return 0
            return int(leaf.shape[0])
    return 0


def needs_gradient(leaf: object) -> bool:
    """Return True if the value is a computed tensor through which gradients flow."""
    return isinstance(leaf, Tensor) and leaf.requires_grad and leaf.grad_fn is not None


def tensor_bytes(tensor: Tensor) -> int:
    """Return the size of a tensor in bytes; for a sparse tensor, of its indices and values."""
    if tensor.is_sparse:
        return tensor._indices().nbytes + tensor._values().nbytes
    return tensor.nbytes
