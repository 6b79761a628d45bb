"""Converts any module into a list of blocks: exports it and cuts its graph at single tensors.

A stage has one tensor as its input and one as its output. So the graph of a module can be cut where
a single tensor that depends on the input is still needed later: between layers, but not inside a
residual branch. Values that do not depend on the input (masks, positions, sizes) are computed again
in every block that needs them.
"""

from __future__ import annotations

import io
import logging
import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, fx, nn

from core.message import message

_SIZE = torch.ops.aten.sym_size.int


def cut_blocks(module: nn.Module, example: Tensor) -> list[nn.Module]:
    """Return the module's blocks. Each starts with a use of parameters, and passes on one tensor.

    `example` is an input of at least two rows; later inputs may have another number of rows. Raises
    ValueError if the module does not have one input and one output tensor, and the error of
    torch.export if it cannot export the module.
    """
    # The number of rows is left open, because it differs between micro-batches. With an example of
    # one row it would become a constant: torch.export specialises for the sizes 0 and 1.
    axes: dict[int, Any] = dict.fromkeys(range(1, example.dim()), torch.export.Dim.STATIC)
    axes[0] = torch.export.Dim.AUTO
    with _quiet():
        exported = torch.export.export(
            module.train(), (example,), dynamic_shapes=(axes,), strict=False
        )
    return ExportedGraph.of(exported.module(check_guards=False)).blocks()


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the logs and output of torch.export: its exception contains the same text."""
    logging.disable(logging.WARNING)
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


@dataclass(frozen=True, slots=True)
class ExportedGraph:
    """The graph of an exported module, which can be cut into blocks.

    `order` contains the nodes that compute, and `places` their positions in it. `free` are the
    nodes that do not depend on the input. `entry` is the input and `result` the output, one tensor
    each.
    """

    module: fx.GraphModule
    order: list[fx.Node]
    free: frozenset[fx.Node]
    entry: fx.Node
    result: fx.Node
    places: dict[fx.Node, int]

    @classmethod
    def of(cls, module: fx.GraphModule) -> ExportedGraph:
        """Analyse the graph. Raises ValueError if it has several inputs or outputs."""
        entries = [node for node in module.graph.nodes if node.op == "placeholder"]
        results = list[fx.Node]()
        for node in module.graph.nodes:
            if node.op == "output":
                results += node.all_input_nodes
        if len(entries) != 1 or len(results) != 1:
            raise ValueError(
                message(
                    "it takes {entries} tensors and returns {results}; it must take one and "
                    "return one",
                    entries=len(entries),
                    results=len(results),
                )
            )
        order = [n for n in module.graph.nodes if n.op in ("call_function", "get_attr")]
        free = set[fx.Node]()
        # In the order of the graph, so that the sources of a node are before it.
        for node in order:
            is_independent = _is_row_count(node) or free.issuperset(node.all_input_nodes)
            if is_independent and _can_be_repeated(node):
                free.add(node)
        places = {node: place for place, node in enumerate(order)}
        return cls(
            module=module,
            order=order,
            free=frozenset(free),
            entry=entries[0],
            result=results[0],
            places=places,
        )

    def blocks(self) -> list[nn.Module]:
        """Return a module for each part between two cuts."""
        cuts = [(0, self.entry), *self._cuts(), (len(self.order), self.result)]
        blocks: list[nn.Module] = []
        for (first, input_node), (last, output_node) in pairwise(cuts):
            nodes = self.order[first:last]
            blocks.append(self._block(nodes, input_node, output_node))
        return blocks

    def _cuts(self) -> Iterator[tuple[int, fx.Node]]:
        """Yield the cuts of the graph: the place of the next node, and the tensor that passes."""
        last_use = {}
        for node in [self.entry, *self.order]:
            places = [self._place(user) for user in node.users]
            last_use[node] = max(places, default=-1)
        # `alive` are the nodes that depend on the input and are still needed. If only one is alive,
        # the graph can be cut:
        #     y = linear(x)      alive: y         cut
        #     z = norm(y)               y z       no cut, because y is still to be added
        #     u = y + mlp(z)            u         cut
        alive = {self.entry}
        has_parameters = False
        for place, node in enumerate(self.order):
            uses_parameters = self._uses_parameters(node)
            # Only directly before a node with parameters: activations, dropout and the like then
            # stay with the layer before them, and no block is without parameters.
            if uses_parameters and has_parameters and len(alive) == 1:
                (passing,) = alive
                if self._can_pass(passing, place):
                    yield place, passing
                    has_parameters = False
            has_parameters |= uses_parameters
            if node not in self.free:
                alive.add(node)
            alive = {other for other in alive if last_use[other] > place}

    def _place(self, node: fx.Node) -> int:
        return self.places.get(node, len(self.order))  # the output node is after all others

    def _uses_parameters(self, node: fx.Node) -> bool:
        """Return True if a node uses parameters, directly or through free nodes."""
        if node in self.free:
            return False
        return any(self._is_parameter(source) for source in node.all_input_nodes)

    def _is_parameter(self, node: fx.Node) -> bool:
        if node.op == "get_attr":
            return isinstance(_attribute(self.module, str(node.target)), nn.Parameter)
        return node in self.free and any(map(self._is_parameter, node.all_input_nodes))

    def _can_pass(self, node: fx.Node, place: int) -> bool:
        """Return True if a tensor can be the input of a stage that starts at `place`.

        Its first axis must be the rows, and the stage must not change it in place.
        """
        value = node.meta.get("val")
        rows = self.entry.meta["val"].shape[0]
        if not isinstance(value, Tensor) or not value.dim():
            return False
        if value.shape[0] != rows:
            return False
        # The input of the next stage is a leaf that requires a gradient; autograd forbids writing
        # to such a tensor.
        later = [user for user in node.users if self._place(user) >= place]
        return not any(node in _changed_by(user) for user in later)

    def _block(
        self, nodes: Sequence[fx.Node], input_node: fx.Node, output_node: fx.Node
    ) -> nn.Module:
        graph = fx.Graph()
        copies = {input_node: graph.placeholder("x")}

        def copy_node(node: fx.Node) -> fx.Node:
            if node not in copies:
                # The input of the whole module is not available here, but the input of the block
                # has the same rows.
                if _is_row_count(node):
                    copies[node] = graph.call_function(_SIZE, (copies[input_node], 0))
                    return copies[node]
                # Recursive only for free nodes: other sources are the block's input, or are before
                # the node in `nodes`.
                for source in node.all_input_nodes:
                    copy_node(source)
                copies[node] = graph.node_copy(node, copies.__getitem__)
            return copies[node]

        for node in nodes:
            if node not in self.free:
                copy_node(node)
        graph.output(copy_node(output_node))
        return fx.GraphModule(self.module, graph)


def calls_of(module: nn.Module, operator: str) -> list[fx.Node]:
    """Return the calls of a torch operator in an exported module; [] for any other module."""
    if not isinstance(module, fx.GraphModule):
        return []
    return [node for node in module.graph.nodes if _operator(node) == operator]


def _operator(node: fx.Node) -> str:
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return ""
    _, _, name = str(schema.name).rpartition(":")
    return name


def _attribute(module: nn.Module, path: str) -> object:
    return operator.attrgetter(path)(module)


def _is_row_count(node: fx.Node) -> bool:
    """Return True if a node reads the number of rows of the module's input."""
    if node.target is not _SIZE:
        return False
    source, axis = node.args
    is_input = isinstance(source, fx.Node) and source.op == "placeholder"
    return is_input and bool(axis == 0)


def _can_be_repeated(node: fx.Node) -> bool:
    """Return True if a node may run twice: it has no side effects and uses no random numbers."""
    tags = getattr(node.target, "tags", ())
    return not _changed_by(node) and torch.Tag.nondeterministic_seeded not in tags


def _changed_by(node: fx.Node) -> set[object]:
    """Return the arguments to which a node writes, according to its operator's schema."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return set()
    changed: set[object] = set()
    for value, argument in zip(node.args, schema.arguments, strict=False):
        if argument.alias_info and argument.alias_info.is_write:
            changed.add(value)
    return changed
