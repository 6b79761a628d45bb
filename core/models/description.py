"""Description of a model without torch: its blocks, their parameters, and bytes a row."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.typed import typed

DTYPE_BYTES = {"float32": 4, "float64": 8, "bfloat16": 2}


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a model: parameters as (name, number of elements), and a row's output elements."""

    name: str
    parameters: tuple[tuple[str, int], ...]
    output_elements: int

    @property
    def parameter_count(self) -> int:
        """Number of elements of all parameters of the block."""
        return sum(count for _, count in self.parameters)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a model that lanes can share: the computation between two all-reduces.

    It is within the blocks `first` to `last` (exclusive), which other segments may share.
    Parameters are named as in nn.Sequential. Each lane has an equal part of the `divided` ones (a
    small one may be whole on a single lane), and all of the `repeated` ones.
    """

    first: int
    last: int
    divided: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model as a sequence of blocks; a stage has consecutive ones.

    `input_bytes` is the size of one row of input. `depends_on_split` is True if results depend on
    how the batch is split (batch normalisation), so that gradients of the whole batch are no
    reference. `segments` is not empty if blocks can be split over lanes; the last segment divides
    nothing, and every lane computes it from the same input. The number of lanes must then divide
    each of the `divisors`, which are (flag, value) pairs.
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
        """Number of elements of every parameter by its name in nn.Sequential."""
        counts: dict[str, int] = {}
        for index, block in enumerate(self.blocks):
            for name, count in block.parameters:
                counts[f"{index}.{name}"] = count
        return counts

    @property
    def parameter_bytes(self) -> int:
        """Bytes of all parameters."""
        return self.element_bytes * sum(block.parameter_count for block in self.blocks)

    def output_bytes(self, block: int) -> int:
        """Return the bytes of one row of the output of `block`."""
        return self.blocks[block].output_elements * self.element_bytes

    def run_bytes(self, first: int, last: int) -> int:
        """Return the bytes of the parameters of blocks `first` to `last` (exclusive)."""
        return self.element_bytes * sum(b.parameter_count for b in self.blocks[first:last])

    def step_bytes(self, rows: int) -> int:
        """Return a lower bound of the bytes that a step of `rows` rows needs on one device.

        It counts parameters, gradients, the batch and every block's output once.
        """
        outputs = sum(self.output_bytes(block) for block in range(len(self.blocks)))
        return 2 * self.parameter_bytes + rows * (self.input_bytes + outputs)

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ModelDescription:
        """Invert `to_dict`. Raises TypeError for values of the wrong type."""
        made: ModelDescription = typed(cls, values)
        return made
