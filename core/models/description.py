"""Description of a model without torch: its blocks, their parameters, and sizes in bytes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.typed import typed

DTYPE_BYTES = {"float32": 4, "float64": 8, "bfloat16": 2}
"""Bytes of an element, by the name of its type."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a model.

    `parameters` are pairs of a name and a number of elements. `output_elements` is the number of
    elements of the output for one row. `frozen` are the names of parameters that are not trained,
    which have no gradients; recordings of earlier versions lack it.
    """

    name: str
    parameters: tuple[tuple[str, int], ...]
    output_elements: int
    frozen: tuple[str, ...] = ()

    @property
    def parameter_count(self) -> int:
        """Number of elements of all parameters of the block."""
        return sum(count for _, count in self.parameters)

    @property
    def trained(self) -> tuple[tuple[str, int], ...]:
        """The pairs of `parameters` that are trained."""
        return tuple(pair for pair in self.parameters if pair[0] not in self.frozen)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a model that can be split over lanes: the computation between two all-reduces.

    It is within the blocks `first` to `last` (exclusive), which may also contain parts of other
    segments. Parameters are named as in nn.Sequential. Each lane has an equal part of the `divided`
    ones (a small one may be whole on a single lane), and all of the `repeated` ones.
    """

    first: int
    last: int
    divided: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model as a sequence of blocks; a stage consists of consecutive blocks.

    `input_bytes` is the size of one row of input. `depends_on_split` is True if results depend on
    how the batch is split, as with batch normalisation; gradients of the whole batch then cannot be
    a reference. `segments` is empty unless blocks can be split over lanes; the last segment divides
    nothing: every lane computes it whole, from the same input. `divisors` are pairs of a
    command-line flag and its value, which must be a multiple of the number of lanes.
    """

    name: str
    blocks: tuple[Block, ...]
    input_bytes: int
    element_bytes: int = 4
    depends_on_split: bool = False
    segments: tuple[Segment, ...] = ()
    divisors: tuple[tuple[str, int], ...] = ()

    @property
    def parameter_counts(self) -> dict[str, int]:
        """Number of elements of each parameter, by the parameter's name in nn.Sequential."""
        counts: dict[str, int] = {}
        for index, block in enumerate(self.blocks):
            for name, count in block.parameters:
                counts[f"{index}.{name}"] = count
        return counts

    @property
    def parameter_bytes(self) -> int:
        """Bytes of all parameters."""
        return self.blocks_bytes(0, len(self.blocks))

    def output_bytes(self, block: int) -> int:
        """Return the bytes of one row of the output of `block`."""
        return self.blocks[block].output_elements * self.element_bytes

    def blocks_bytes(self, first: int, last: int) -> int:
        """Return the bytes of the parameters of blocks `first` to `last` (exclusive)."""
        elements = sum(block.parameter_count for block in self.blocks[first:last])
        return self.element_bytes * elements

    def gradient_bytes(self, first: int, last: int) -> int:
        """Return the bytes of the gradients of blocks `first` to `last` (exclusive)."""
        elements = 0
        for block in self.blocks[first:last]:
            elements += sum(count for _, count in block.trained)
        return self.element_bytes * elements

    def step_bytes(self, rows: int) -> int:
        """Return a lower bound of the bytes that a step of `rows` rows needs on one device.

        It counts the parameters, their gradients, the batch and the output of each block.
        """
        row_bytes = self.input_bytes
        for block in range(len(self.blocks)):
            row_bytes += self.output_bytes(block)
        gradient_bytes = self.gradient_bytes(0, len(self.blocks))
        return self.parameter_bytes + gradient_bytes + rows * row_bytes

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ModelDescription:
        """Return the description that `to_dict` wrote. Raises TypeError for invalid types."""
        made: ModelDescription = typed(cls, values)
        return made
