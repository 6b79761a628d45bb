"""Costs of tasks by kind, stage or block, size, lane and micro-batch."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from core.errors import PlanError
from core.plan.link import Link
from core.plan.task import Kind
from core.plan.transfers import LanePair

CurvePoint = tuple[float, float]
"""A size, and its cost in ns."""

Curve = tuple[CurvePoint, ...]
"""Points with increasing sizes above 0. Costs between two points are interpolated; outside they are
proportional to the size, from the nearest point."""

Curves = tuple[Curve, ...]
"""A curve for each stage or block, or a single curve for all of them."""

ReadCurve = Callable[[Curve, float], float]
"""A function that returns the cost in ns of a size on a curve."""

STAGED = (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.STEP)
"""Kinds with costs by stage or block. A loss has one cost, an overlap its halves' costs."""

MOST_PASSES = 20
"""The most passes over a step's tasks to measure their costs; a time limit may end it sooner."""
MOST = 1e15
"""The largest cost, size or bandwidth, so that products of them stay finite."""


class CostError(PlanError):
    """Costs that cannot be read or that lack a task; the message names the value or kind."""


@dataclass(frozen=True, slots=True)
class CostModel:
    """Costs of the tasks of any plan.

    `passes` has curves for the known kinds of STAGED: one for each stage (with `by_block`, for each
    block), or a single one for all. The loss has one curve. Sizes are rows with `by_rows`;
    otherwise they are numbers of micro-batches, whose costs do not depend on their rows. The size
    of a step is 1.

    A full backward without a curve costs the sum of its two parts, and an overlap the sum of its
    forward and backward. A transfer costs its kind's curve over bytes in `transfers`; other kinds
    use `link`, or else take a constant `transfer_ns`.

    `further` has the backward passes of all micro-batches of a stage except the first, which add to
    existing gradients. Kinds that are absent cost the same for every micro-batch.

    With `by_block`, a curve is of a task through a single block. A task through several blocks
    costs their sum, minus `joined` ns for each block after the first. `joined` has curves over rows
    of the cost of starting a task of this kind: calls, and data that the processor's caches no
    longer hold. It is below 0 if a task through several blocks is longer than separate tasks,
    because its blocks use up the caches. With `input_is_data` the first block's input needs no
    gradient, as in training. The backward-input of a stage that begins with this block then runs
    only that block's part; the gradients of its other blocks' inputs are computed in the
    backward-weight.

    A task with fractions of blocks costs as much as whole blocks with fewer rows and the same
    arithmetic, times the factor of its kind in `divided`.

    `estimated_from` has the parts of the model (`Stage.held`) from whose costs the costs of blocks
    were estimated, so that only tasks through exactly such a part have a measured cost; it is empty
    if blocks were measured.

    `scatter` is the relative scatter (0 to 1) of a pass's time between measurements.

    Further costs, each absent by default:

    - `gap_ns`: time after each computing task in which its lane cannot start the next one, because
      the host prepares it
    - `lane_factors`: the factor by which the computing tasks of a lane take longer
    - `microbatch_factors`: the factor by which the passes and the loss of each micro-batch take
      longer; work of all micro-batches at once takes the mean
    - `pairs`: curves over bytes of point-to-point transfers between two compute lanes
    - `head`: for costs by stage, curves of the time that the last stage takes in addition to its
      curve, because it has the model's head. With a head, empty or not, curves of fewer stages than
      a plan has are divided equally among the stages cut from each; the head is not divided.
    """

    passes: Mapping[Kind, Curves]
    transfers: Mapping[Kind, Curve] = field(default_factory=dict)
    link: Link | None = None
    transfer_ns: float | None = None
    by_rows: bool = False
    by_block: bool = False
    further: Mapping[Kind, Curves] = field(default_factory=dict)
    joined: Mapping[Kind, Curve] = field(default_factory=dict)
    divided: Mapping[Kind, float] = field(default_factory=dict)
    input_is_data: bool = False
    estimated_from: frozenset[tuple[tuple[int, float], ...]] = frozenset()
    scatter: float = 0.0
    gap_ns: float = 0.0
    lane_factors: Mapping[int, float] = field(default_factory=dict)
    microbatch_factors: tuple[float, ...] = ()
    pairs: Mapping[LanePair, Curve] = field(default_factory=dict)
    head: Mapping[Kind, Curve] | None = None

    def over(self, link: Link) -> CostModel:
        """Return a copy in which every transfer uses `link`, without measured transfers."""
        return replace(
            self,
            link=link,
            transfer_ns=None,
            transfers={},
            pairs={},
        )


def cost_name(kind: Kind) -> str:
    """Return the name of a kind's cost in files and messages: `backward_input_ms`."""
    return f"{kind.replace('-', '_')}_ms"


def further_name(kind: Kind) -> str:
    """Return the name of the costs of micro-batches after the first: `backward_further_ms`."""
    return f"{kind.replace('-', '_')}_further_ms"


def constant_curve(ns: float) -> Curve:
    """Return a curve with the same cost for every size from 1 to MOST."""
    return ((1.0, ns), (MOST, ns))


def is_constant(curve: Curve) -> bool:
    """Return True for the curves that `constant_curve` returns."""
    return curve == constant_curve(curve[0][1])


def cost_at(curve: Curve, size: float) -> float:
    """Return the cost in ns of a size on a curve."""
    below, above = _neighbours(curve, size)
    if below is None or above is None:
        # Proportional, because extrapolating a line through two near points could go below 0.
        nearest, cost = below or above or (1.0, 0.0)
        return cost * size / nearest
    low, least = below
    high, most = above
    if low == high:
        return least
    return least + (most - least) * (size - low) / (high - low)


def curve_sizes(curves: Iterable[Curve]) -> list[float]:
    """Return the sizes of the points of some curves, in increasing order, each once."""
    sizes: set[float] = set()
    for curve in curves:
        sizes.update(size for size, _ in curve)
    return sorted(sizes)


def summed_curves(curves: Sequence[Curve], factor: float = 1.0) -> Curve:
    """Return the curve of the sum of some costs, times a factor, at all their sizes."""
    points: list[CurvePoint] = []
    for size in curve_sizes(curves):
        total = sum(cost_at(curve, size) for curve in curves)
        points.append((size, factor * total))
    return tuple(points)


def least_cost_at(curve: Curve, size: float) -> float:
    """Return a lower bound in ns of the cost of a size.

    Assumes that with more rows the cost never falls, and the cost of a row never rises.
    """
    below, above = _neighbours(curve, size)
    least = 0.0
    if below is not None:
        least = below[1]
    if above is not None:
        in_proportion = above[1] * size / above[0]
        least = max(least, in_proportion)
    return min(cost_at(curve, size), least)


def most_cost_at(curve: Curve, size: float) -> float:
    """Return an upper bound in ns of the cost of a size; see `least_cost_at`."""
    below, above = _neighbours(curve, size)
    most = math.inf
    if above is not None:
        most = above[1]
    if below is not None:
        in_proportion = below[1] * size / below[0]
        most = min(most, in_proportion)
    return max(cost_at(curve, size), most)


def _neighbours(curve: Curve, size: float) -> tuple[CurvePoint | None, CurvePoint | None]:
    """Return the nearest points below and above a size; the same point twice if it has the size."""
    at = bisect_left(curve, size, key=itemgetter(0))
    below = curve[at - 1] if at else None
    if at == len(curve):
        return below, None
    above = curve[at]
    if above[0] == size:
        return above, above
    return below, above
