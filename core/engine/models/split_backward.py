"""A backward pass in two parts: the gradients of the inputs now, those of the parameters later.

The graph is cut where parameters hang on it. The nodes from which an input can be reached are the
path. A node of the path with an edge to parameters off it is a junction. The input pass runs the
path alone and keeps the gradients that arrive at junctions; the weight pass starts from these, one
junction at a time. Of a node autograd computes only what is asked for, so no product is computed
twice.

y = relu(linear(x)), with weight W and bias b, as autograd runs it from the output; J: the junction

    ReluBackward -> AddmmBackward (J) -> x                  input pass: what arrives at J is kept
                      |-> b                                 weight pass: starts at J
                      |-> TBackward -> W

Asking autograd twice, for inputs and then for parameters, would run the path twice: 1.4 times the
time of a whole backward pass was measured.

Parameters that several junctions share are the exception: these start together, between them the
path is run again, and each gets what the input pass kept for it.

Between two products little Python is run, and what can be is prepared before: a large product
leaves nothing else in the cache, and a line of Python after it takes several times as long.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import Variable
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

Below = dict[Node, list[tuple[Node, int]]]
"""Nodes, each after those below it, with their edges: a node and the number of its input."""

Arrived = tuple[Tensor | None, ...]
"""The gradients that arrive at a node, by the number of its input."""


@dataclass(frozen=True, slots=True)
class Group:
    """Starts of the weight pass that share parameters: edges of the graph and their gradients.

    `given` holds what junctions get, whatever arrives; it is empty where there is one start.
    """

    edges: tuple[GradientEdge, ...]
    gradients: tuple[Tensor, ...]
    parameters: tuple[Tensor, ...]
    given: dict[Node, Arrived]


@dataclass(frozen=True, slots=True)
class WeightPass:
    """What is left to do of a backward pass, once. `kept` are the nodes whose tensors it needs."""

    groups: list[Group]
    kept: list[Node]

    @property
    def gradients(self) -> list[Tensor]:
        """The gradients that it starts from."""
        return [gradient for group in self.groups for gradient in group.gradients]

    def tensors(self) -> Iterator[Tensor]:
        """All tensors that are held for it, some more than once."""
        yield from self.gradients
        for node in self.kept:
            for name in _saved_names(type(node))[1]:
                value = getattr(node, name)
                for one in value if isinstance(value, tuple) else (value,):
                    if isinstance(one, Tensor):
                        yield one


def backward_input(
    outputs: Sequence[Tensor], gradients: Sequence[Tensor], inputs: Sequence[Tensor]
) -> tuple[list[Tensor | None], WeightPass]:
    """The gradients of `inputs` (leaves), None where there is none, and what is left to do.

    `gradients` are those of `outputs`; an output need not depend on anything. No `.grad` changes.
    What the path has saved and the weight pass does not need is let go.
    """
    # An output that nothing trained went into is no part of a graph.
    used = [(y, g) for y, g in zip(outputs, gradients, strict=True) if y.requires_grad]
    roots = [get_gradient_edge(y) for y, _ in used]
    wanted = [x for x in inputs if x.requires_grad]
    ends = [get_gradient_edge(x) for x in wanted]
    cut = _cut(roots, [end.node for end in ends])

    on_path = [pair for pair, root in zip(used, roots, strict=True) if root.node in cut.path]
    found, arrived, given = _run_path(cut, roots, on_path, ends)
    for root, (_, gradient) in zip(roots, used, strict=True):
        # Nothing on the way to an input hangs on this output:
        # all of its backward is left to the weight pass.
        if root.node not in cut.path:
            arrived.setdefault(root.node, []).append((root, gradient))

    kept = _kept(cut, arrived)
    # The graph must be retained for the weight pass, and with it
    # would stay every activation: a schedule that runs weight passes
    # late would then need more memory than one that does not split.
    for node in cut.path - kept:
        _let_go(node)
    groups = [_group(cut, nodes, arrived, given) for nodes in cut.groups]
    by_input = dict(zip(wanted, found, strict=False))  # where there is no path, none is found
    results = [by_input.get(x) for x in inputs]
    return results, WeightPass([group for group in groups if group.edges], list(kept))


def backward_weight(weight_pass: WeightPass) -> None:
    """Accumulate the parameters' gradients into their `.grad`; `weight_pass` is used up.

    What a group has used is freed before the next one, whose products then take its place in
    memory: pages that the system must hand out first cost as much as a part of a product.
    """
    weight_pass.kept.clear()
    # Taken from the end, so that a list need not move up; the larger groups still come first.
    weight_pass.groups.reverse()
    while weight_pass.groups:
        group = weight_pass.groups.pop()
        # Between the starts of a group the path runs again, and what it carries from one start
        # to another adds to the gradient that was kept: hooks put what was kept in its place.
        if group.given:
            with ExitStack() as hooks:
                for node, gradients in group.given.items():
                    hooks.enter_context(node.register_prehook(_give(gradients)))
                _accumulate(group, True)  # the path between its starts may be a start of others
        else:
            _accumulate(group, False)
        del group


def _accumulate(group: Group, retain_graph: bool) -> None:
    """As torch.autograd.backward does it, less the look at each gradient's shape.

    These come from autograd itself, and a look costs as much as all else between two products.
    """
    Variable._execution_engine.run_backward(
        group.edges,
        group.gradients,
        retain_graph,
        False,  # no graph of the gradients
        group.parameters,
        allow_unreachable=True,
        accumulate_grad=True,
    )


@dataclass(frozen=True, slots=True)
class _Cut:
    """A graph, its path, and where a weight pass may start: in groups, with their leaves.

    Leaves are the nodes that accumulate into parameters. Groups share none; larger ones come
    first, since a start by itself frees what it has used.
    """

    below: Below
    path: set[Node]
    leaves: dict[Node, list[Node]]
    groups: list[list[Node]]


def _cut(roots: Sequence[GradientEdge], ends: Collection[Node]) -> _Cut:
    # Each node comes after all that is below it, so it is
    # known which of its children are on the path.
    below = _below(root.node for root in roots)
    path: set[Node] = set()
    leaves = {}
    for node, edges in below.items():
        # Some edges lead to an input and some do not: then this is a junction.
        off = [child for child, _ in edges if child not in path]
        if node in ends or len(off) < len(edges):
            path.add(node)
            if off and (found := _leaves(off, below)):
                leaves[node] = found
    for root in roots:
        if root.node not in path and (found := _leaves([root.node], below)):
            leaves[root.node] = found
    return _Cut(below, path, leaves, _grouped(leaves))


def _below(roots: Iterable[Node]) -> Below:
    """Every node that can be reached."""
    seen: Below = {}
    done: Below = {}
    # Not recursive: the graph of a deep model is deeper than Python's stack.
    # A node is looked at twice, with all that is below it in between; one
    # that is on the stack more than once keeps its first place.
    stack = list(roots)
    while stack:
        node = stack[-1]
        if node not in seen:
            seen[node] = [(child, n) for child, n in node.next_functions if child is not None]
            stack += [child for child, _ in seen[node] if child not in done]
        else:
            done[node] = seen[node]
            stack.pop()
    return done


def _leaves(nodes: Iterable[Node], below: Below) -> list[Node]:
    """The nodes that accumulate into a tensor's `.grad`, of those that can be reached."""
    stack = list(dict.fromkeys(nodes))
    seen = set(stack)
    leaves = []
    while stack:
        node = stack.pop()
        if not below[node] and hasattr(node, "variable"):
            leaves.append(node)
        for child, _ in below[node]:
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return leaves


def _grouped(leaves: dict[Node, list[Node]]) -> list[list[Node]]:
    """Starts together if they share a leaf, the larger groups first."""
    group_of: dict[Node, list[Node]] = {}
    for node, own in leaves.items():
        joined = {id(group_of[leaf]): group_of[leaf] for leaf in own if leaf in group_of}
        group = [node, *(other for others in joined.values() for other in others)]
        group_of |= {leaf: group for member in group for leaf in leaves[member]}
    return sorted({id(group): group for group in group_of.values()}.values(), key=len, reverse=True)


_Arrivals = dict[Node, list[tuple[GradientEdge, Tensor]]]


def _run_path(
    cut: _Cut,
    roots: Iterable[GradientEdge],
    outputs: Sequence[tuple[Tensor, Tensor]],
    ends: Sequence[GradientEdge],
) -> tuple[Sequence[Tensor | None], _Arrivals, dict[Node, Arrived]]:
    """Inputs' gradients, what arrives at junctions, and what those that share a parameter get.

    That is after the hooks of the model's own tensors, which autograd runs in either pass. What
    arrives is before them.
    """
    if not outputs:
        return [], {}, {}
    # Starts of their own get what arrives from autograd.grad itself, by naming the
    # edge as an input: that costs no Python. Those that share parameters need it
    # as it is behind the tensors' hooks, since that is where `_give` puts it in.
    alone = {group[0] for group in cut.groups if len(group) == 1}
    edges = [GradientEdge(*edge) for edge in _edges(cut, roots) if edge[0] in alone]
    given: dict[Node, Arrived] = {}
    with ExitStack() as hooks:
        for node in cut.leaves.keys() & cut.path - alone:
            hooks.enter_context(node.register_prehook(_keep(given, node)))
        found: Sequence[Tensor | None] = torch.autograd.grad(
            [y for y, _ in outputs],
            [*ends, *edges],
            [g for _, g in outputs],
            retain_graph=True,  # for the weight pass; what it does not need is let go at once
            allow_unused=True,
        )
    arrived: _Arrivals = {}
    for edge, gradient in zip(edges, found[len(ends) :], strict=True):
        if gradient is not None:
            arrived.setdefault(edge.node, []).append((edge, gradient))
    for node, gradients in given.items():
        pairs = ((GradientEdge(node, n), g) for n, g in enumerate(gradients))
        arrived[node] = [(edge, g) for edge, g in pairs if g is not None]
    return found[: len(ends)], arrived, given


def _edges(cut: _Cut, roots: Iterable[GradientEdge]) -> set[tuple[Node, int]]:
    """Every edge to a node of the path."""
    edges = {(root.node, root.output_nr) for root in roots}
    for node in cut.path:
        edges.update(cut.below[node])
    # With the number of the node's input: an operation with several outputs, such as
    # a split, has as many inputs in the backward pass, and gets a gradient at each.
    return {edge for edge in edges if edge[0] in cut.path}


def _kept(cut: _Cut, arrived: _Arrivals) -> set[Node]:
    """The nodes that the weight pass runs: those off the path, junctions, and what is run again."""
    # That is (below - path) | arrived.
    kept = cut.below.keys() - cut.path | arrived.keys()
    for group in cut.groups:
        if len(group) > 1:
            kept |= _between(cut, group)
    return kept


def _between(cut: _Cut, junctions: Collection[Node]) -> set[Node]:
    """The nodes of the path that lie on a way from one junction to another."""
    # Two walks along the path: up from the junctions, and down
    # from them. What lies between two of them is met by both.
    leading: set[Node] = set()
    following: set[Node] = set()
    order = [node for node in cut.below if node in cut.path]
    for node in order:
        if any(child in junctions or child in leading for child, _ in cut.below[node]):
            leading.add(node)
    for node in reversed(order):
        if node in junctions or node in following:
            following.update(child for child, _ in cut.below[node])
    return leading & following


def _group(
    cut: _Cut, nodes: Sequence[Node], arrived: _Arrivals, given: dict[Node, Arrived]
) -> Group:
    pairs = [pair for node in nodes for pair in arrived.get(node, ())]
    leaves = {leaf for node in nodes for leaf in cut.leaves[node]}
    return Group(
        tuple(edge for edge, _ in pairs),
        tuple(gradient for _, gradient in pairs),
        tuple(leaf.variable for leaf in leaves),  # type: ignore[attr-defined]
        {node: given[node] for node in nodes if node in given},
    )


def _keep(given: dict[Node, Arrived], node: Node) -> Callable[[Arrived], None]:
    """A hook that keeps what arrives at a node, after the hooks of the model's own tensors."""
    return lambda gradients: given.update({node: gradients})


def _give(gradients: Arrived) -> Callable[[Arrived], Arrived]:
    """A hook by which a node gets `gradients`, whatever arrives: a part of them, or them twice."""
    return lambda arrived: gradients


def _let_go(node: Node) -> None:
    """Free the tensors that a node has saved. Autograd will not run it again."""
    for name in _saved_names(type(node))[0]:
        saved = getattr(node, name)
        for one in saved if isinstance(saved, tuple) else (saved,):
            # One that holds nothing takes no hooks, nor one that has hooks of the model's own.
            with suppress(RuntimeError):
                # Autograd has no call to drop a saved tensor. One that gets hooks
                # is packed by them at once, and the tensor itself is let go of.
                one.register_hooks(_nothing, _nothing)


def _nothing(value: object) -> None:
    """What is packed in a freed tensor's place."""


@functools.cache
def _saved_names(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of a kind of node that hold what it saved, and those that hold its tensors."""
    # Once for each kind: dir() is slow, and a graph has many nodes of few kinds.
    names = dir(kind)
    return (
        tuple(name for name in names if name.startswith("_raw_saved_")),
        tuple(name for name in names if name == "saved_tensors" or name.startswith("_saved_")),
    )
