"""Blocks of a model divided over lanes, for the computation of a lane between two all-reduces.

Of two consecutive linear layers, each lane has a slice of the outputs of the first (its columns),
and the same slice of the inputs of the second (its rows). So it needs no values of other lanes in
between (Shoeybi et al., Megatron-LM, arXiv 1909.08053). Its output is partial; the sum over lanes
is the output of the whole layers:

    lane 0  x -> columns 0 -> activation -> rows 0 --+
    lane 1  x -> columns 1 -> activation -> rows 1 --+-> sum: the next segment's x, on every lane

Only the first lane adds the bias of the second layer and the residual, because the sum must contain
them once. So there is one tensor at the border of two segments, and its gradient is the sum of the
gradients of all lanes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import skip_init

from core.engine.models.modules import Embedding, TransformerBlock, attention
from core.message import message

M = TypeVar("M", bound=nn.Module, covariant=True)


@dataclass(frozen=True, slots=True)
class Layer(Generic[M]):
    """A module of the whole model, and the prefix of its parameters' names in the model."""

    name: str
    module: M

    @property
    def parameters(self) -> dict[str, nn.Parameter]:
        """The parameters by their names in the whole model."""
        return {f"{self.name}.{name}": p for name, p in self.module.named_parameters()}


_IDENTITY: Layer[nn.Module] = Layer("", nn.Identity())


@dataclass(frozen=True, slots=True)
class SegmentModules:
    """Modules of the whole model between two all-reduces.

    They compute x = enter(x), and then row(inside(column(before(x)))), plus x with `residual`. All
    lanes compute `enter` and `before`. The outputs of `column` are `parts` times `units` equal
    groups. Each lane has the same number of consecutive units in every part, and passes it to
    `inside` as the second argument.
    """

    column: Layer[nn.Linear]
    inside: Callable[[Tensor, int], Tensor]
    row: Layer[nn.Linear]
    units: int
    parts: int = 1
    enter: Layer[nn.Module] = _IDENTITY
    before: Layer[nn.Module] = _IDENTITY
    residual: bool = False


Segments = tuple[list[SegmentModules], list[Layer[nn.Module]]]
"""The segments of a model, and the layers after the last segment, which every lane computes."""


class ParameterSlice(NamedTuple):
    """A lane's part of a parameter: the indices of its entries along `dim`."""

    dim: int
    entries: Tensor


class LaneBlocks(nn.Module):
    """The computation of a lane between two all-reduces, on copies of the parameters.

    `slices` are the lane's parts of divided parameters, by the name in the whole model. All lanes
    have the parameters in `repeated`, whose gradients are partial like the outputs.
    """

    slices: Mapping[str, ParameterSlice]
    repeated: frozenset[str]
    _layers: Sequence[Layer[nn.Module]]

    @property
    def whole_names(self) -> dict[str, nn.Parameter]:
        """The parameters by their names in the whole model."""
        named: dict[str, nn.Parameter] = {}
        for layer in self._layers:
            named |= layer.parameters
        return named


class Tail(LaneBlocks):
    """The layers after the last segment. Every lane computes all of them: nothing is partial."""

    def __init__(self, layers: Sequence[Layer[nn.Module]]) -> None:
        super().__init__()
        self._layers = [Layer(layer.name, copy.deepcopy(layer.module)) for layer in layers]
        self._inside = nn.Sequential(*(layer.module for layer in self._layers))
        self.slices = {}
        self.repeated = frozenset()

    def forward(self, x: Tensor) -> Tensor:
        """Return the model's output."""
        y: Tensor = self._inside(x)
        return y


class Shard(LaneBlocks):
    """A lane's part of a segment. Its output is partial, but has the shape of the whole output."""

    def __init__(self, segment: SegmentModules, shard: int, lanes: int) -> None:
        """Copy the parameters of lane `shard` of `lanes`; `lanes` must divide the units."""
        super().__init__()
        column = segment.column.module
        row = segment.row.module
        # Shape (parts, units, entries of a unit). Example: a transformer's qkv layer with 2 heads
        # of size 2, for 2 lanes. Its outputs 0 to 11 are q, k and v, each for both heads.
        #     q  0 1 | 2 3
        #     k  4 5 | 6 7
        #     v  8 9 | 10 11       lane 0 has columns 0 1 4 5 8 9 and rows 0 1
        # The inputs of the second layer are numbered as in one part, because attention computes one
        # value from q, k and v.
        outputs = torch.arange(column.out_features).view(segment.parts, segment.units, -1)
        own_outputs = outputs.chunk(lanes, dim=1)[shard]
        columns = own_outputs.flatten()
        rows = own_outputs[0].flatten()
        self._inside = segment.inside
        self._units = own_outputs.shape[1]
        # On one lane only, like the second layer's bias: the sum must contain it once.
        self._residual = segment.residual and shard == 0
        self._enter = copy.deepcopy(segment.enter.module)
        self._before = copy.deepcopy(segment.before.module)
        row_bias = row.bias if shard == 0 else None
        self._column = _linear(column.weight[columns], column.bias[columns])
        self._row = _linear(row.weight[:, rows], row_bias)
        self._layers = (
            Layer(segment.enter.name, self._enter),
            Layer(segment.before.name, self._before),
            Layer(segment.column.name, self._column),
            Layer(segment.row.name, self._row),
        )
        self.slices = {
            f"{segment.column.name}.weight": ParameterSlice(0, columns),
            f"{segment.column.name}.bias": ParameterSlice(0, columns),
            f"{segment.row.name}.weight": ParameterSlice(1, rows),
        }
        # Their gradients contain only the effect of the lane's columns, so the gradients of the
        # whole model are sums over lanes, as for x.
        enter, before, *_ = self._layers
        self.repeated = frozenset(enter.parameters) | frozenset(before.parameters)

    def forward(self, x: Tensor) -> Tensor:
        """Return the lane's part of the segment's output."""
        x = self._enter(x)
        hidden = self._inside(self._column(self._before(x)), self._units)
        y: Tensor = self._row(hidden)
        if not self._residual:
            return y
        return x + y


def join(
    slices: Sequence[Mapping[str, ParameterSlice]], tensors: Sequence[Mapping[str, Tensor]]
) -> dict[str, Tensor]:
    """Join the parameters or gradients of all lanes for a segment; return them by name.

    Both arguments are in the order of the lanes. Tensors that are not divided are taken from the
    first lane.
    """
    joined = dict(tensors[0])
    for name, (dim, _) in slices[0].items():
        # The lanes' pieces are concatenated in order; entry i of the whole tensor is at place[i].
        entries = torch.cat([lane_slices[name].entries for lane_slices in slices])
        place = entries.argsort()
        device = joined[name].device
        on_device = [lane_tensors[name].to(device) for lane_tensors in tensors]
        pieces = torch.cat(on_device, dim)
        joined[name] = pieces.index_select(dim, place.to(pieces.device))
    return joined


def build_lane_blocks(
    blocks: Sequence[nn.Module], stage: int, shard: int, lanes: int
) -> LaneBlocks:
    """Return the blocks of a lane for a stage of a built-in model that is divided over `lanes`."""
    segments, tail = segments_of(blocks)
    if stage < len(segments):
        return Shard(segments[stage], shard, lanes)
    return Tail(tail)


def segments_of(blocks: Sequence[nn.Module]) -> Segments:
    """Return the segments of a built-in model.

    Two consecutive blocks of a linear layer and an activation are a segment. A transformer block is
    two segments: attention and feed-forward layers. Raises TypeError for other blocks.
    """
    if isinstance(blocks[0], Embedding):
        return _of_transformer(blocks)
    return _of_layers(blocks)


def _of_layers(blocks: Sequence[nn.Module]) -> Segments:
    linears = []
    activations = []
    for number, block in enumerate(blocks):
        linear, activation = block.children()
        if not isinstance(linear, nn.Linear):
            raise TypeError(
                message("block {number} does not begin with a linear layer", number=number)
            )
        linears.append(Layer(f"{number}.0", linear))
        activations.append(Layer(f"{number}.1", activation))
    segments = []
    enter = _IDENTITY
    for first in range(0, len(blocks) - 1, 2):
        column, row = linears[first : first + 2]
        inside = _elementwise(activations[first].module)
        units = column.module.out_features
        segments.append(
            SegmentModules(
                column=column,
                inside=inside,
                row=row,
                units=units,
                enter=enter,
            )
        )
        # The input of the second activation must be the sum over lanes, because f(a) + f(b) is not
        # f(a + b). So it is at the start of the next segment, after the all-reduce.
        enter = activations[first + 1]
    # An odd last block is not divided: there is no second block whose rows would use its columns.
    tail = [enter]
    if len(blocks) % 2:
        tail.append(Layer(f"{len(blocks) - 1}", blocks[-1]))
    return segments, tail


def _of_transformer(blocks: Sequence[nn.Module]) -> Segments:
    segments = []
    enter = Layer("0", blocks[0])
    for number, block in enumerate(blocks[1:-1], 1):
        if not isinstance(block, TransformerBlock):
            raise TypeError(message("block {number} is not a transformer block", number=number))
        segments += _of_transformer_block(f"{number}", block, enter)
        enter = _IDENTITY
    return segments, [Layer(f"{len(blocks) - 1}", blocks[-1])]


def _of_transformer_block(
    name: str, block: TransformerBlock, enter: Layer[nn.Module]
) -> list[SegmentModules]:
    return [
        SegmentModules(
            Layer(f"{name}.qkv", block.qkv),
            attention,
            Layer(f"{name}.projection", block.projection),
            units=block.heads,
            parts=3,
            enter=enter,
            before=Layer(f"{name}.norm1", block.norm1),
            residual=True,
        ),
        SegmentModules(
            Layer(f"{name}.expand", block.expand),
            _elementwise(functional.gelu),
            Layer(f"{name}.contract", block.contract),
            units=block.expand.out_features,
            before=Layer(f"{name}.norm2", block.norm2),
            residual=True,
        ),
    ]


def _elementwise(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor, int], Tensor]:
    """Return an elementwise function with the signature of `inside`; it ignores the units."""
    return lambda hidden, units: function(hidden)


def _linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    """Return a linear layer with copies of a weight and a bias."""
    outputs, inputs = weight.shape
    # Without the usual initialisation, which would use random numbers and be overwritten.
    layer: nn.Linear = skip_init(
        nn.Linear, inputs, outputs, bias is not None, device=weight.device, dtype=weight.dtype
    )
    with torch.no_grad():
        layer.weight.copy_(weight)
        if bias is not None:
            layer.bias.copy_(bias)
    return layer
