"""What plan and window need to know of a model: its blocks, their parameters, bytes a row."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.typed import typed

DTYPE_BYTES = {"float32": 4, "float64": 8, "bfloat16": 2}


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a model: its parameters as (name, number of elements) and its output's size."""

    name: str
    parameters: tuple[tuple[str, int], ...]
    output_elements: int

    @property
    def parameter_count(self) -> int:
        """Elements of all the block's parameters."""
        return sum(count for _, count in self.parameters)


@dataclass(frozen=True, slots=True)
class Segment:
    """Where a model can be split over lanes: what a lane computes alone between two all-reduces.

    It lies within the blocks `first` to `last` (exclusive), of which others may have the rest.
    Parameters are named as in nn.Sequential: each lane has an equal part of the `divided` ones (or
    one lane a small one as a whole), and all of the `repeated` ones.
    """

    first: int
    last: int
    divided: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model as a sequence of blocks, of which a stage takes a run.

    `input_bytes` is the size of one row of input. `depends_on_split` says that the result depends
    by nature on how the batch is split (batch normalisation), so that whole-batch gradients are no
    yardstick. `segments` are there if blocks can be split over lanes; the last of them divides
    nothing, every lane computes it from the same input. `divisors` are the numbers, by their flags,
    which the lanes then must divide.
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
        """Elements of every parameter by its name in nn.Sequential."""
        return {
            f"{index}.{name}": count
            for index, block in enumerate(self.blocks)
            for name, count in block.parameters
        }

    @property
    def parameter_bytes(self) -> int:
        """Bytes of all parameters."""
        return self.element_bytes * sum(block.parameter_count for block in self.blocks)

    def output_bytes(self, block: int) -> int:
        """Bytes of one row of the output of `block`."""
        return self.blocks[block].output_elements * self.element_bytes

    def run_bytes(self, first: int, last: int) -> int:
        """Bytes of the parameters of blocks `first` to `last` (exclusive)."""
        return self.element_bytes * sum(b.parameter_count for b in self.blocks[first:last])

    def step_bytes(self, rows: int) -> int:
        """Roughly what one step of `rows` rows holds on one device: a lower bound.

        Parameters, their gradients, the batch and every block's output once.
        """
        outputs = sum(self.output_bytes(block) for block in range(len(self.blocks)))
        return 2 * self.parameter_bytes + rows * (self.input_bytes + outputs)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ModelDescription:
        """The inverse of `to_dict`."""
        made: ModelDescription = typed(cls, values)
        return made
