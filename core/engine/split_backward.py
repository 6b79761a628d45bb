"""A backward pass in two parts: the gradients of the inputs now, those of the parameters later.

The graph is cut where parameters hang on it. The nodes from which an input can be reached are the
path. A node of the path with an edge to parameters off it is a junction. The input pass runs the
path alone and keeps the gradients that arrive at junctions; the weight pass starts from these. Of
a node autograd computes only what is asked for, so no product is computed twice.

Parameters that several junctions share are the exception: between such junctions the path is run
again, and every junction gets what the input pass kept for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

Arrived = tuple[Tensor | None, ...]
"""The gradients that arrive at a node, one for each output of the operation that it stands for."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a weight pass starts: a junction, or the node of an output that is off the path.

    `leaves` are the nodes that accumulate into the parameters which hang on it.
    """

    node: Node
    arrived: Arrived
    leaves: frozenset[Node]
    is_junction: bool

    def edges(self) -> list[tuple[GradientEdge, Tensor]]:
        """The edges on which gradients arrive at the node, with their gradients."""
        found = enumerate(self.arrived)
        return [(GradientEdge(self.node, n), g) for n, g in found if g is not None]


@dataclass(frozen=True, slots=True)
class WeightPass:
    """What is left to do of a backward pass: its starts, in groups that share no parameter.

    `kept` are the nodes whose saved tensors are held for it.
    """

    groups: tuple[tuple[Start, ...], ...]
    kept: tuple[Node, ...]

    @property
    def gradients(self) -> list[Tensor]:
        """The gradients that it starts from."""
        return [g for group in self.groups for start in group for _, g in start.edges()]

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
    used = [(y, g) for y, g in zip(outputs, gradients, strict=True) if y.requires_grad]
    roots = [get_gradient_edge(y) for y, _ in used]
    wanted = [x for x in inputs if x.requires_grad]
    ends = {get_gradient_edge(x).node for x in wanted}
    path, others = _divide([root.node for root in roots], ends)
    leaves = {node: _leaves(child for child in _children(node) if child not in path)
              for node in path}  # fmt: skip

    on_path = [pair for pair, root in zip(used, roots, strict=True) if root.node in path]
    junctions = [node for node in path if leaves[node]]
    found, arrived = _run_path(on_path, wanted, junctions)

    starts = [Start(node, gradients, leaves[node], True) for node, gradients in arrived.items()]
    starts += [
        Start(root.node, (None,) * root.output_nr + (gradient,), _leaves([root.node]), False)
        for root, (_, gradient) in zip(roots, used, strict=True)
        if root.node not in path
    ]
    groups = _grouped(starts)
    kept = {*arrived, *others, *(node for group in groups for node in _between(path, group))}
    for node in path:
        if node not in kept:
            _let_go(node)
    return [found.get(x) for x in inputs], WeightPass(groups, tuple(kept))


def _run_path(
    outputs: Sequence[tuple[Tensor, Tensor]], inputs: Sequence[Tensor], junctions: Iterable[Node]
) -> tuple[dict[Tensor, Tensor | None], dict[Node, Arrived]]:
    """From (output, gradient) to each input's gradient, and what arrives at junctions."""
    if not outputs:
        return {}, {}
    arrived: dict[Node, Arrived] = {}
    with ExitStack() as hooks:
        for node in junctions:
            hooks.enter_context(node.register_prehook(_keep(arrived, node)))
        gradients = torch.autograd.grad(
            [y for y, _ in outputs],
            inputs,
            [g for _, g in outputs],
            retain_graph=True,  # for the weight pass; what it does not need is let go at once
            allow_unused=True,
        )
    return dict(zip(inputs, gradients, strict=True)), arrived


def backward_weight(weight_pass: WeightPass) -> None:
    """Accumulate the parameters' gradients into their `.grad`. To be called once."""
    for group in weight_pass.groups:
        starts: list[tuple[GradientEdge, Tensor]] = []
        parameters: dict[Node, Tensor] = {}
        with ExitStack() as hooks:
            for start in group:
                starts += start.edges()
                parameters |= {leaf: _parameter(leaf) for leaf in start.leaves}
                if start.is_junction:
                    hooks.enter_context(start.node.register_prehook(_give(start.arrived)))
            torch.autograd.backward(
                [edge for edge, _ in starts],
                [gradient for _, gradient in starts],
                retain_graph=len(group) > 1,  # the path between its starts may serve others too
                inputs=list(parameters.values()),
            )


def _divide(
    roots: Iterable[Node], targets: Collection[Node]
) -> tuple[dict[Node, None], list[Node]]:
    """The nodes from which a target can be reached, children first, and all others."""
    path: dict[Node, None] = {}
    others: list[Node] = []
    for node in _children_first(roots):
        if node in targets or any(child in path for child in _children(node)):
            path[node] = None
        else:
            others.append(node)
    return path, others


def _children_first(roots: Iterable[Node]) -> list[Node]:
    """Every node that can be reached, after its children."""
    order: list[Node] = []
    seen: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in roots]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(child, False) for child in _children(node)]
    return order


def _children(node: Node) -> list[Node]:
    return [child for child, _ in node.next_functions if child is not None]


def _leaves(nodes: Iterable[Node]) -> frozenset[Node]:
    """The nodes that accumulate into a tensor's `.grad`, of those that can be reached."""
    return frozenset(node for node in _children_first(nodes) if hasattr(node, "variable"))


def _parameter(leaf: Node) -> Tensor:
    parameter: Tensor = leaf.variable  # type: ignore[attr-defined]
    return parameter


def _grouped(starts: Iterable[Start]) -> tuple[tuple[Start, ...], ...]:
    """Starts with parameters, together if they share one; the larger groups first.

    A group of one frees what it has used, so groups that may need it again come before.
    """
    group_of: dict[Node, list[Start]] = {}
    for start in starts:
        joined = {id(group_of[leaf]): group_of[leaf] for leaf in start.leaves if leaf in group_of}
        group = [start, *(other for group in joined.values() for other in group)]
        group_of |= {leaf: group for member in group for leaf in member.leaves}
    groups = {id(group): tuple(group) for group in group_of.values()}
    return tuple(sorted(groups.values(), key=len, reverse=True))


def _between(path: Iterable[Node], group: Collection[Start]) -> set[Node]:
    """The nodes of the path (children first) from one junction of a group to another."""
    if len(group) == 1:
        return set()
    junctions = {start.node for start in group}
    leading: set[Node] = set()
    for node in (path := list(path)):
        if any(child in junctions or child in leading for child in _children(node)):
            leading.add(node)
    below: set[Node] = set()
    for node in reversed(path):
        if node in junctions or node in below:
            below.update(_children(node))
    return leading & below


def _keep(arrived: dict[Node, Arrived], node: Node) -> Callable[[Arrived], None]:
    """A hook that keeps what arrives at a node, after the hooks of the model's own tensors."""
    return lambda gradients: arrived.update({node: gradients})


def _give(arrived: Arrived) -> Callable[[Arrived], Arrived]:
    """A hook by which a node gets what `_keep` has kept, whatever arrives.

    The model's hooks would change that a second time, and where the path is run again, that may
    arrive in part or twice.
    """
    return lambda gradients: arrived


def _let_go(node: Node) -> None:
    """Free the tensors that a node has saved. Autograd will not run it again."""
    for name in _saved_names(type(node))[0]:
        saved = getattr(node, name)
        for one in saved if isinstance(saved, tuple) else (saved,):
            # One that holds nothing takes no hooks, nor one that has hooks of the model's own.
            with suppress(RuntimeError):
                one.register_hooks(_nothing, _nothing)


def _nothing(value: object) -> None:
    """What is packed in a freed tensor's place."""


@functools.cache
def _saved_names(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of a kind of node that hold what it saved, and those that hold its tensors."""
    names = dir(kind)
    return (
        tuple(name for name in names if name.startswith("_raw_saved_")),
        tuple(name for name in names if name == "saved_tensors" or name.startswith("_saved_")),
    )
