"""Any module as a row of blocks: exported by torch.export and cut where one tensor passes.

A stage takes one tensor and gives one. So the graph of a module can be cut wherever a single tensor
that was computed from the input is still needed later: between layers, but not within a residual
branch. What does not depend on the input (masks, positions, sizes) is computed again in every block
that needs it.
"""

from __future__ import annotations

import io
import logging
import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, fx, nn

SIZE = torch.ops.aten.sym_size.int


def cut_blocks(module: nn.Module, example: Tensor) -> list[nn.Module]:
    """The module's blocks: each begins where parameters are used and one tensor is passed on.

    `example` is an input of two rows or more; the number of rows may be another one later. Raises
    ValueError if the module does not give one tensor, and what torch.export raises if it cannot
    export it.
    """
    # The number of rows stays open, since micro-batches differ in it. An example of one row
    # would be taken as a constant: torch.export makes special cases of the sizes 0 and 1.
    rows = torch.export.Dim.AUTO
    shapes = ({0: rows, **{axis: torch.export.Dim.STATIC for axis in range(1, example.dim())}},)
    with _quiet():
        exported = torch.export.export(
            module.train(), (example,), dynamic_shapes=shapes, strict=False
        )
    return Cutting.of(exported.module(check_guards=False)).blocks()


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress what torch.export logs and prints of a module that it refuses: its error has it."""
    logging.disable(logging.WARNING)
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


@dataclass(frozen=True, slots=True)
class Cutting:
    """A graph whose nodes are in `order`; `free` are those that do not depend on the input.

    `entry` is the input and `result` the output, one tensor each; `places` are those in `order`.
    """

    module: fx.GraphModule
    order: list[fx.Node]
    free: frozenset[fx.Node]
    entry: fx.Node
    result: fx.Node
    places: dict[fx.Node, int]

    @classmethod
    def of(cls, module: fx.GraphModule) -> Cutting:
        """Raises ValueError if the graph has several inputs or outputs."""
        entries = [node for node in module.graph.nodes if node.op == "placeholder"]
        results = list[fx.Node]()
        for node in module.graph.nodes:
            if node.op == "output":
                results += node.all_input_nodes
        if len(entries) != 1 or len(results) != 1:
            raise ValueError(
                f"it takes {len(entries)} tensors and gives {len(results)}; "
                "it must take one and give one"
            )
        order = [n for n in module.graph.nodes if n.op in ("call_function", "get_attr")]
        # In the graph's order, so that a node's sources have been looked at before it.
        free = set[fx.Node]()
        for node in order:
            if _can_be_repeated(node) and (
                _is_row_count(node) or all(n in free for n in node.all_input_nodes)
            ):
                free.add(node)
        places = {node: place for place, node in enumerate(order)}
        return cls(module, order, frozenset(free), entries[0], results[0], places)

    def blocks(self) -> list[nn.Module]:
        """A module for what lies between two cuts."""
        cuts = [(0, self.entry), *self._cuts(), (len(self.order), self.result)]
        return [
            self._block(self.order[first:last], enters, leaves)
            for (first, enters), (last, leaves) in pairwise(cuts)
        ]

    def _cuts(self) -> Iterator[tuple[int, fx.Node]]:
        """Where the graph can be cut: before which node, and the tensor that passes there."""
        last_use = {
            node: max((self._place(user) for user in node.users), default=-1)
            for node in [self.entry, *self.order]
        }
        # What is computed from the input and needed from here on. Where it is one tensor is a cut:
        #     y = linear(x)      alive: y         here
        #     z = norm(y)               y z       not here, y is still to be added
        #     u = y + mlp(z)            u         here
        alive, has_parameters = {self.entry}, False
        for place, node in enumerate(self.order):
            starts = self._uses_parameters(node)
            # Right before a node with parameters: so activations, dropout and the like
            # stay with the layer in front of them, and no block is without parameters.
            if starts and has_parameters and len(alive) == 1:
                (passes,) = alive
                if self._can_pass(passes, place):
                    yield place, passes
                    has_parameters = False
            has_parameters |= starts
            if node not in self.free:
                alive.add(node)
            alive = {one for one in alive if last_use[one] > place}

    def _place(self, node: fx.Node) -> int:
        return self.places.get(node, len(self.order))  # the output stands behind all

    def _uses_parameters(self, node: fx.Node) -> bool:
        """Whether a node computes from parameters, directly or through what is free."""
        if node in self.free:
            return False
        return any(self._is_parameter(source) for source in node.all_input_nodes)

    def _is_parameter(self, node: fx.Node) -> bool:
        if node.op == "get_attr":
            return isinstance(_attribute(self.module, str(node.target)), nn.Parameter)
        return node in self.free and any(map(self._is_parameter, node.all_input_nodes))

    def _can_pass(self, node: fx.Node, place: int) -> bool:
        """Whether another stage can take a tensor: rows first, and not changed in place there."""
        value, entry = node.meta.get("val"), self.entry.meta["val"]
        if not isinstance(value, Tensor) or not value.dim() or value.shape[0] != entry.shape[0]:
            return False
        # The next stage takes it as a leaf that wants a
        # gradient, which autograd lets nobody write to.
        later = [user for user in node.users if self._place(user) >= place]
        return not any(node in _changed_by(user) for user in later)

    def _block(self, nodes: Sequence[fx.Node], enters: fx.Node, leaves: fx.Node) -> nn.Module:
        graph = fx.Graph()
        made = {enters: graph.placeholder("x")}

        def make(node: fx.Node) -> fx.Node:
            if node not in made:
                # A block has its own micro-batch: the input of
                # the whole module is not there to be asked.
                if _is_row_count(node):
                    made[node] = graph.call_function(SIZE, (made[enters], 0))
                    return made[node]
                # Recursive for what is free alone: all others of
                # a block come before it in `nodes`, or enter it.
                for source in node.all_input_nodes:
                    make(source)
                made[node] = graph.node_copy(node, made.__getitem__)
            return made[node]

        for node in nodes:
            if node not in self.free:
                make(node)
        graph.output(make(leaves))
        return fx.GraphModule(self.module, graph)


def calls_of(module: nn.Module, operator: str) -> list[fx.Node]:
    """Where a cut module calls torch's operator of a name; nowhere for a module of its own code."""
    if not isinstance(module, fx.GraphModule):
        return []
    return [node for node in module.graph.nodes if _operator(node) == operator]


def _operator(node: fx.Node) -> str:
    schema = getattr(node.target, "_schema", None)
    return "" if schema is None else str(schema.name).rpartition(":")[2]


def _attribute(module: nn.Module, path: str) -> object:
    return operator.attrgetter(path)(module)


def _is_row_count(node: fx.Node) -> bool:
    """Whether a node reads the input's number of rows, which each block's own input has too."""
    if node.target is not SIZE:
        return False
    source, axis = node.args
    return isinstance(source, fx.Node) and source.op == "placeholder" and bool(axis == 0)


def _can_be_repeated(node: fx.Node) -> bool:
    """Whether a node has no side effects and draws no random numbers, so that it can run twice."""
    tags = getattr(node.target, "tags", ())
    return not _changed_by(node) and torch.Tag.nondeterministic_seeded not in tags


def _changed_by(node: fx.Node) -> set[object]:
    """The arguments that a node writes to, by its operator's schema."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return set()
    written = (
        argument.alias_info and argument.alias_info.is_write for argument in schema.arguments
    )
    return {value for value, writes in zip(node.args, written, strict=False) if writes}
