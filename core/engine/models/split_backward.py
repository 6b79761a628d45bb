"""A backward pass in two parts: first gradients of inputs, later gradients of parameters.

The graph is cut at the places where parameters enter it. The nodes from which an input can be
reached are the path. A junction is a node of the path that also has an edge to parameters off the
path. The input pass runs the path alone and keeps the gradients that arrive at junctions. The
weight pass starts with these gradients, one junction at a time. Autograd computes only the
requested gradients of a node, so no product is computed twice.

Example: y = relu(linear(x)) with weight W and bias b, in autograd's order, from the output. J is
the junction.

    ReluBackward -> AddmmBackward (J) -> x                  input pass: keeps the gradient at J
                      |-> b                                 weight pass: starts at J
                      |-> TBackward -> W

Two calls of autograd, for inputs and then for parameters, would run the path twice: that took 1.4
times as long as a whole backward pass.

Junctions that share parameters are an exception. The weight pass starts at all of them together,
and runs the path between them again. Each junction gets the gradient that the input pass kept.

Very little Python runs between two products, and as much as possible is prepared in advance: a
large product evicts everything else from the caches, and a line of Python directly after it takes
several times as long as usual.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import Variable
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

from core.engine.models.backward_graph import GraphCut, between, cut_graph, path_edges

_Arrived = tuple[Tensor | None, ...]
"""The gradients that arrive at a node, by the number of its input."""


@dataclass(frozen=True, slots=True)
class WeightGroup:
    """Starts of the weight pass that share parameters: edges of the graph, and their gradients.

    `given` maps junctions to gradients that replace the arriving ones. It is empty if there is only
    one start.
    """

    edges: tuple[GradientEdge, ...]
    gradients: tuple[Tensor, ...]
    parameters: tuple[Tensor, ...]
    given: dict[Node, _Arrived]


@dataclass(frozen=True, slots=True)
class WeightPass:
    """The second part of a backward pass, which can run once.

    `kept` are the nodes that still hold their saved tensors for it.
    """

    groups: list[WeightGroup]
    kept: list[Node]

    @property
    def gradients(self) -> list[Tensor]:
        """The gradients from which it starts."""
        found: list[Tensor] = []
        for group in self.groups:
            found += group.gradients
        return found

    def tensors(self) -> Iterator[Tensor]:
        """Yield all tensors that are held for it, some of them several times."""
        yield from self.gradients
        for node in self.kept:
            for name in _saved_names(type(node)).tensors:
                value = getattr(node, name)
                for item in value if isinstance(value, tuple) else (value,):
                    if isinstance(item, Tensor):
                        yield item


def stage_backward_input(
    outputs: Sequence[Tensor], gradients: Sequence[Tensor], inputs: Sequence[Tensor]
) -> tuple[list[Tensor | None], WeightPass]:
    """Return the gradients of `inputs` (leaves; None without a gradient), and the weight pass.

    `gradients` belong to `outputs`. An output may be independent of inputs and parameters. Does
    not change `.grad`. Frees the tensors that nodes of the path have saved, unless the weight pass
    needs them.
    """
    # An output without trained inputs and parameters has no graph.
    used: list[tuple[Tensor, Tensor]] = []
    for output, gradient in zip(outputs, gradients, strict=True):
        if output.requires_grad:
            used.append((output, gradient))
    roots = [get_gradient_edge(output) for output, _ in used]
    wanted = [x for x in inputs if x.requires_grad]
    ends = [get_gradient_edge(x) for x in wanted]
    end_nodes = [end.node for end in ends]
    cut = cut_graph(roots, end_nodes)

    on_path: list[tuple[Tensor, Tensor]] = []
    off_path: list[tuple[GradientEdge, Tensor]] = []
    for root, (output, gradient) in zip(roots, used, strict=True):
        if root.node in cut.path:
            on_path.append((output, gradient))
        else:
            off_path.append((root, gradient))
    found, arrived, given = _run_path(cut, roots, on_path, ends)
    # These outputs depend on no input, so their whole backward is in the weight pass.
    for root, gradient in off_path:
        arrived.setdefault(root.node, []).append((root, gradient))

    kept = _kept(cut, arrived)
    # The graph has to be retained for the weight pass, and it would retain all activations. A
    # schedule with late weight passes would then need more memory than without a split.
    for node in cut.path - kept:
        _free_saved(node)
    groups = []
    for nodes in cut.groups:
        group = _group(cut, nodes, arrived, given)
        if group.edges:
            groups.append(group)
    by_input = dict(zip(wanted, found, strict=False))  # `found` is empty if there is no path
    input_gradients = [by_input.get(x) for x in inputs]
    return input_gradients, WeightPass(groups, list(kept))


def stage_backward_weight(weight_pass: WeightPass) -> None:
    """Accumulate the parameters' gradients into their `.grad`; `weight_pass` is used up.

    The tensors of a group are freed before the next one, so that its products reuse their memory.
    New pages from the system would take as long as a part of a product.
    """
    weight_pass.kept.clear()
    # Reversed, because popping the last item is fast. Larger groups still run first.
    weight_pass.groups.reverse()
    while weight_pass.groups:
        group = weight_pass.groups.pop()
        # The path between the starts of a group runs again, and its gradients would be added to
        # the kept ones, which already include them. The hooks restore the kept gradients.
        if group.given:
            with ExitStack() as hooks:
                for node, gradients in group.given.items():
                    hooks.enter_context(node.register_prehook(_give(gradients)))
                _accumulate(group, True)  # other groups may start on the path between the starts
        else:
            _accumulate(group, False)
        del group


def _accumulate(group: WeightGroup, retain_graph: bool) -> None:
    """Do the same as torch.autograd.backward, without checking the shape of each gradient.

    Autograd itself has computed these gradients, and the checks would take as long as everything
    else between two products.
    """
    Variable._execution_engine.run_backward(
        group.edges,
        group.gradients,
        retain_graph,
        False,  # create_graph
        group.parameters,
        allow_unreachable=True,
        accumulate_grad=True,
    )


_Arrivals = dict[Node, list[tuple[GradientEdge, Tensor]]]


def _run_path(
    cut: GraphCut,
    roots: Iterable[GradientEdge],
    outputs: Sequence[tuple[Tensor, Tensor]],
    ends: Sequence[GradientEdge],
) -> tuple[Sequence[Tensor | None], _Arrivals, dict[Node, _Arrived]]:
    """Run the input pass.

    Returns the gradients of the inputs, the gradients that arrive at junctions, and the gradients
    that junctions with shared parameters get in the weight pass. Autograd runs the hooks of the
    model's tensors in both passes. Gradients are taken before these hooks, except at junctions with
    shared parameters.
    """
    if not outputs:
        return [], {}, {}
    # A single start gets its gradient from autograd.grad, as the gradient of an edge: this needs no
    # Python. Starts that share parameters need the gradient after the tensors' hooks, because
    # `_give` inserts it there.
    single = {group[0] for group in cut.groups if len(group) == 1}
    edges = [GradientEdge(*edge) for edge in path_edges(cut, roots) if edge[0] in single]
    given: dict[Node, _Arrived] = {}
    with ExitStack() as hooks:
        for node in cut.leaves.keys() & cut.path - single:
            hooks.enter_context(node.register_prehook(_keep(given, node)))
        found: Sequence[Tensor | None] = torch.autograd.grad(
            [output for output, _ in outputs],
            [*ends, *edges],
            [gradient for _, gradient in outputs],
            retain_graph=True,  # for the weight pass
            allow_unused=True,
        )
    arrived: _Arrivals = {}
    for edge, gradient in zip(edges, found[len(ends) :], strict=True):
        if gradient is not None:
            arrived.setdefault(edge.node, []).append((edge, gradient))
    for node, gradients in given.items():
        arrived[node] = []
        for number, gradient in enumerate(gradients):
            if gradient is not None:
                arrived[node].append((GradientEdge(node, number), gradient))
    return found[: len(ends)], arrived, given


def _kept(cut: GraphCut, arrived: _Arrivals) -> set[Node]:
    """Return the nodes that the weight pass runs.

    These are the nodes off the path, the junctions, and the nodes that run again.
    """
    # The same as (graph - path) | arrived.
    kept = cut.graph.keys() - cut.path | arrived.keys()
    for group in cut.groups:
        if len(group) > 1:
            kept |= between(cut, group)
    return kept


def _group(
    cut: GraphCut, nodes: Sequence[Node], arrived: _Arrivals, given: dict[Node, _Arrived]
) -> WeightGroup:
    edges: list[GradientEdge] = []
    gradients: list[Tensor] = []
    leaves: set[Node] = set()
    for node in nodes:
        leaves.update(cut.leaves[node])
        for edge, gradient in arrived.get(node, ()):
            edges.append(edge)
            gradients.append(gradient)
    parameters = tuple(leaf.variable for leaf in leaves)  # type: ignore[attr-defined]
    group_given = {node: given[node] for node in nodes if node in given}
    return WeightGroup(
        edges=tuple(edges),
        gradients=tuple(gradients),
        parameters=parameters,
        given=group_given,
    )


def _keep(given: dict[Node, _Arrived], node: Node) -> Callable[[_Arrived], None]:
    """Return a hook that stores the gradients of a node in `given`, after its tensors' hooks."""
    return lambda gradients: given.update({node: gradients})


def _give(gradients: _Arrived) -> Callable[[_Arrived], _Arrived]:
    """Return a hook that replaces the gradients of a node by `gradients`."""
    return lambda arrived: gradients


def _free_saved(node: Node) -> None:
    """Free the saved tensors of a node that autograd will not run again."""
    for name in _saved_names(type(node)).raw:
        saved = getattr(node, name)
        for item in saved if isinstance(saved, tuple) else (saved,):
            # Raised if the saved tensor is empty, or has hooks of the model already.
            with suppress(RuntimeError):
                # Autograd has no function that drops a saved tensor. But hooks are called at once
                # to pack it, and then the tensor itself is released.
                item.register_hooks(_pack_nothing, _pack_nothing)


def _pack_nothing(value: object) -> None:
    """Return None, which replaces a saved tensor."""


@dataclass(frozen=True, slots=True)
class _SavedNames:
    """Attributes of a kind of node: `raw` for its saved variables, `tensors` for their values."""

    raw: tuple[str, ...]
    tensors: tuple[str, ...]


@functools.cache
def _saved_names(kind: type) -> _SavedNames:
    # Cached, because dir() is slow, and a graph has many nodes of few kinds.
    names = dir(kind)
    raw = [name for name in names if name.startswith("_raw_saved_")]
    tensors = [name for name in names if name.startswith("_saved_")]
    if "saved_tensors" in names:
        tensors.append("saved_tensors")
    return _SavedNames(tuple(raw), tuple(tensors))
