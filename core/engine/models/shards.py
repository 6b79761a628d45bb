"""A model's blocks split over lanes: what each of them computes alone between two all-reduces.

Of two linear layers in a row each lane has a slice of the first one's outputs (its columns) and the
same slice of the second one's inputs (its rows), so that it needs nothing of other lanes in between
(Shoeybi et al., Megatron-LM, arXiv 1909.08053). Its output is a partial one; their sum is that of
the whole:

    lane 0  x -> columns 0 -> activation -> rows 0 --+
    lane 1  x -> columns 1 -> activation -> rows 1 --+-> sum: the next segment's x, on every lane

What must count once, the bias of the rows and the residual, is added by the first lane alone. So
there is one tensor at the border of two segments, and its gradient is the sum of the lanes' own.
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

M = TypeVar("M", bound=nn.Module, covariant=True)


@dataclass(frozen=True, slots=True)
class Layer(Generic[M]):
    """A module of the whole model, and what the names of its parameters begin with there."""

    name: str
    module: M

    @property
    def parameters(self) -> dict[str, nn.Parameter]:
        """Its parameters by their names in the whole model."""
        return {f"{self.name}.{name}": p for name, p in self.module.named_parameters()}


NOTHING: Layer[nn.Module] = Layer("", nn.Identity())


@dataclass(frozen=True, slots=True)
class SegmentModules:
    """What comes between two all-reduces, of the whole model: row(inside(column(before(x)))).

    First of all x goes through `enter`; with `residual` what comes out is added to the output.
    Every lane computes `enter` and `before` in the same way. The outputs of `column` are `parts`
    times `units` equal groups; lanes have equal runs of units, of every part, and `inside` is told
    of how many: (between, units) to what enters the rows.
    """

    column: Layer[nn.Linear]
    inside: Callable[[Tensor, int], Tensor]
    row: Layer[nn.Linear]
    units: int
    parts: int = 1
    enter: Layer[nn.Module] = NOTHING
    before: Layer[nn.Module] = NOTHING
    residual: bool = False


Segments = tuple[list[SegmentModules], list[Layer[nn.Module]]]
"""The segments of a model, and the layers behind the last, which every lane computes."""


class Cut(NamedTuple):
    """Which entries of a parameter along `dim` are a lane's."""

    dim: int
    entries: Tensor


class LaneBlocks(nn.Module):
    """What a lane computes between two all-reduces, on its own copies of the parameters.

    `cuts` says which part of each divided parameter it has, by the name in the whole model. The
    parameters in `repeated` are those that every lane has; their gradients are partial, as outputs
    are.
    """

    cuts: Mapping[str, Cut]
    repeated: frozenset[str]
    _layers: Sequence[Layer[nn.Module]]

    @property
    def whole_names(self) -> dict[str, nn.Parameter]:
        """The parameters by their names in the whole model."""
        return {name: p for layer in self._layers for name, p in layer.parameters.items()}


class Tail(LaneBlocks):
    """The layers behind the last segment, which every lane computes alike: nothing is partial."""

    def __init__(self, layers: Sequence[Layer[nn.Module]]) -> None:
        super().__init__()
        self._layers = [Layer(layer.name, copy.deepcopy(layer.module)) for layer in layers]
        self._inside = nn.Sequential(*(layer.module for layer in self._layers))
        self.cuts, self.repeated = {}, frozenset()

    def forward(self, x: Tensor) -> Tensor:
        """The model's output."""
        y: Tensor = self._inside(x)
        return y


class Shard(LaneBlocks):
    """One lane's share of a segment: from the whole x to a partial output of the whole's shape."""

    def __init__(self, segment: SegmentModules, shard: int, lanes: int) -> None:
        """Its own copies of the parameters, for lane `shard` of `lanes`, which divide the units."""
        super().__init__()
        column, row = segment.column.module, segment.row.module
        # Shape (parts, units, entries of a unit). A transformer's qkv layer with 2 heads of size 2,
        # cut for 2 lanes: its outputs 0 to 11 are q, k and v, each of both heads.
        #     q  0 1 | 2 3
        #     k  4 5 | 6 7
        #     v  8 9 | 10 11       lane 0 has 0 1 4 5 8 9 of the columns, and 0 1 of the rows
        # The rows' inputs are numbered as one part is: attention makes one value of q, k and v.
        outputs = torch.arange(column.out_features).view(segment.parts, segment.units, -1)
        mine = outputs.chunk(lanes, dim=1)[shard]
        columns, rows = mine.flatten(), mine[0].flatten()
        self._inside, self._units = segment.inside, mine.shape[1]
        # Once, as the row's bias: what each lane added would
        # be in the sum as often as there are lanes.
        self._residual = segment.residual and shard == 0
        self._enter = copy.deepcopy(segment.enter.module)
        self._before = copy.deepcopy(segment.before.module)
        self._column = _linear(column.weight[columns], column.bias[columns])
        self._row = _linear(row.weight[:, rows], row.bias if shard == 0 else None)
        self._layers = (
            Layer(segment.enter.name, self._enter),
            Layer(segment.before.name, self._before),
            Layer(segment.column.name, self._column),
            Layer(segment.row.name, self._row),
        )
        self.cuts = {
            f"{segment.column.name}.weight": Cut(0, columns),
            f"{segment.column.name}.bias": Cut(0, columns),
            f"{segment.row.name}.weight": Cut(1, rows),
        }
        # These see the gradient that comes through the lane's own columns
        # alone, so that of the whole is the sum over lanes, as for x.
        enter, before, *_ = self._layers
        self.repeated = frozenset([*enter.parameters, *before.parameters])

    def forward(self, x: Tensor) -> Tensor:
        """The lane's part of the segment's output."""
        x = self._enter(x)
        y: Tensor = self._row(self._inside(self._column(self._before(x)), self._units))
        return x + y if self._residual else y


def join(
    cuts: Sequence[Mapping[str, Cut]], tensors: Sequence[Mapping[str, Tensor]]
) -> dict[str, Tensor]:
    """A segment's parameters or gradients by name, from those of all lanes and their `cuts`.

    They come in order of the lanes. What is not divided is the first lane's.
    """
    joined = dict(tensors[0])
    for name, cut in cuts[0].items():
        # The pieces lie one behind the other in the order of
        # the lanes; entry i of the whole is at place[i].
        place = torch.cat([mine[name].entries for mine in cuts]).argsort()
        pieces = torch.cat([mine[name].to(joined[name].device) for mine in tensors], cut.dim)
        joined[name] = pieces.index_select(cut.dim, place.to(pieces.device))
    return joined


def lane_blocks(blocks: Sequence[nn.Module], stage: int, shard: int, lanes: int) -> LaneBlocks:
    """What one of `lanes` lanes has of a stage of a built-in model whose blocks are split."""
    segments, tail = segments_of(blocks)
    return Shard(segments[stage], shard, lanes) if stage < len(segments) else Tail(tail)


def segments_of(blocks: Sequence[nn.Module]) -> Segments:
    """The segments of a built-in model.

    Two consecutive blocks of a linear layer and its activation are a segment; a transformer block
    is two, its attention and its feed-forward layers. Raises TypeError for other blocks.
    """
    return _of_transformer(blocks) if isinstance(blocks[0], Embedding) else _of_layers(blocks)


def _of_layers(blocks: Sequence[nn.Module]) -> Segments:
    dense, activations = [], []
    for number, block in enumerate(blocks):
        linear, activation = block.children()
        if not isinstance(linear, nn.Linear):
            raise TypeError(f"block {number} begins with no linear layer")
        dense.append(Layer(f"{number}.0", linear))
        activations.append(Layer(f"{number}.1", activation))
    segments, waiting = [], NOTHING
    for first in range(0, len(blocks) - 1, 2):
        column, row = dense[first : first + 2]
        inside = _activated(activations[first].module)
        segments.append(
            SegmentModules(column, inside, row, column.module.out_features, enter=waiting)
        )
        # Only the sum of all lanes' parts may go through it, f(a) +
        # f(b) not being f(a + b): so it stands at the begin of the next
        # segment, behind the all-reduce, and every lane computes it.
        waiting = activations[first + 1]
    # An odd block has no partner whose rows would take its columns, and is not divided.
    rest = [Layer(f"{len(blocks) - 1}", blocks[-1])] if len(blocks) % 2 else []
    return segments, [waiting, *rest]


def _of_transformer(
    blocks: Sequence[nn.Module],
) -> Segments:
    segments, enter = [], Layer("0", blocks[0])
    for number, block in enumerate(blocks[1:-1], 1):
        if not isinstance(block, TransformerBlock):
            raise TypeError(f"block {number} is no transformer block")
        segments += _of_transformer_block(f"{number}", block, enter)
        enter = NOTHING
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
            _activated(functional.gelu),
            Layer(f"{name}.contract", block.contract),
            units=block.expand.out_features,
            before=Layer(f"{name}.norm2", block.norm2),
            residual=True,
        ),
    ]


def _activated(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor, int], Tensor]:
    """A function of each entry alone, which need not know how many units there are."""
    return lambda between, units: function(between)


def _linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    """A layer with copies of these."""
    outputs, inputs = weight.shape
    # Without the usual initialisation, which would draw
    # random numbers and be overwritten right below.
    made: nn.Linear = skip_init(
        nn.Linear, inputs, outputs, bias is not None, device=weight.device, dtype=weight.dtype
    )
    with torch.no_grad():
        made.weight.copy_(weight)
        if bias is not None:
            made.bias.copy_(bias)
    return made
