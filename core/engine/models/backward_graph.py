"""Autograd's graph of a stage, divided for a backward pass in two parts.

The module core.engine.models.split_backward explains paths, junctions and starts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from torch.autograd.graph import GradientEdge, Node

Graph = dict[Node, list[tuple[Node, int]]]
"""The nodes of a graph, each after its children, with its edges: (child, number of its input)."""


@dataclass(frozen=True, slots=True)
class GraphCut:
    """A graph, its path, and the possible starts of a weight pass, in groups.

    `leaves` maps each start to its leaves, the nodes that accumulate into parameters. Different
    groups have different leaves. Larger groups are first, because a single start frees its tensors.
    """

    graph: Graph
    path: set[Node]
    leaves: dict[Node, list[Node]]
    groups: list[list[Node]]


def cut_graph(roots: Sequence[GradientEdge], ends: Collection[Node]) -> GraphCut:
    """Find the path from `roots` to `ends`, the nodes of inputs, and the starts off the path."""
    # Every node is after its children, so it is known which of them are on the path.
    graph = _reachable(root.node for root in roots)
    path: set[Node] = set()
    leaves: dict[Node, list[Node]] = {}
    for node, edges in graph.items():
        off_path = [child for child, _ in edges if child not in path]
        if node in ends or len(off_path) < len(edges):
            path.add(node)
            # A node with children on and off the path is a junction if those off it have leaves.
            if off_path:
                _add_leaves(leaves, node, off_path, graph)
    for root in roots:
        if root.node not in path:
            _add_leaves(leaves, root.node, [root.node], graph)
    return GraphCut(
        graph=graph,
        path=path,
        leaves=leaves,
        groups=_grouped(leaves),
    )


def _add_leaves(
    leaves: dict[Node, list[Node]], start: Node, nodes: Iterable[Node], graph: Graph
) -> None:
    """Add a start with the leaves that can be reached from `nodes`, if there are any."""
    found = _leaves(nodes, graph)
    if found:
        leaves[start] = found


def _reachable(roots: Iterable[Node]) -> Graph:
    """Return all nodes that can be reached from `roots`, children first."""
    seen: Graph = {}
    done: Graph = {}
    # Not recursive, because the graph of a deep model is deeper than Python's stack. Each node is
    # visited twice, before and after its children. A node that is on the stack several times keeps
    # its first place in the result.
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


def _leaves(nodes: Iterable[Node], graph: Graph) -> list[Node]:
    """Return the nodes below `nodes`, or among them, that accumulate into a tensor's `.grad`."""
    stack = list(dict.fromkeys(nodes))
    seen = set(stack)
    leaves = []
    while stack:
        node = stack.pop()
        if not graph[node] and hasattr(node, "variable"):
            leaves.append(node)
        for child, _ in graph[node]:
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return leaves


def _grouped(leaves: dict[Node, list[Node]]) -> list[list[Node]]:
    """Return groups of starts that share leaves, larger groups first."""
    group_of: dict[Node, list[Node]] = {}
    for node, node_leaves in leaves.items():
        overlapping: dict[int, list[Node]] = {}
        for leaf in node_leaves:
            if leaf in group_of:
                overlapping[id(group_of[leaf])] = group_of[leaf]
        group = [node]
        for other in overlapping.values():
            group += other
        for member in group:
            for leaf in leaves[member]:
                group_of[leaf] = group
    groups = {id(group): group for group in group_of.values()}
    return sorted(groups.values(), key=len, reverse=True)


def path_edges(cut: GraphCut, roots: Iterable[GradientEdge]) -> set[tuple[Node, int]]:
    """Return every edge to a node of the path."""
    edges = {(root.node, root.output_nr) for root in roots}
    for node in cut.path:
        edges.update(cut.graph[node])
    # The number of the node's input is part of an edge: an operation with several outputs, such as
    # a split, has several inputs in the backward pass, each with a gradient.
    return {edge for edge in edges if edge[0] in cut.path}


def between(cut: GraphCut, junctions: Collection[Node]) -> set[Node]:
    """Return the nodes of the path that are on a way from one junction to another."""
    # Two walks along the path, upwards and downwards from the junctions. Both walks visit the nodes
    # between two junctions.
    above: set[Node] = set()
    below: set[Node] = set()
    order = [node for node in cut.graph if node in cut.path]
    for node in order:
        for child, _ in cut.graph[node]:
            if child in junctions or child in above:
                above.add(node)
                break
    for node in reversed(order):
        if node in junctions or node in below:
            below.update(child for child, _ in cut.graph[node])
    return above & below
