"""The tensors among what modules take and give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from torch import Tensor


def leaves_of(values: object) -> Iterator[object]:
    """Yield the values that tuples, lists and mappings hold, at any depth."""
    if isinstance(values, Mapping):
        values = tuple(values.values())
    if isinstance(values, tuple | list):
        for value in values:
            yield from leaves_of(value)
    else:
        yield values


def rows_of(leaves: Sequence[object]) -> int:
    """Return the rows of the first tensor among values; 0 if there is none."""
    first = next((leaf for leaf in leaves if isinstance(leaf, Tensor)), None)
    return 0 if first is None or not first.dim() else int(first.shape[0])


def flows(leaf: object) -> bool:
    """Return True if a gradient flows on through the value."""
    return isinstance(leaf, Tensor) and leaf.requires_grad and leaf.grad_fn is not None


def bytes_of(tensor: Tensor) -> int:
    """Return the bytes that a tensor holds; of a sparse one its indices and values."""
    if tensor.is_sparse:
        return tensor._indices().nbytes + tensor._values().nbytes
    return tensor.nbytes
