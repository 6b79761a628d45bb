"""Warm-up: first steps of a recorded program that take longer than its later ones.

They allocate memory, compile, tune and fill caches. The number of warm-up steps of a Bubblescope
run is one of its settings. For other programs it is found from the durations of their steps.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from core.arrays import Ints
from core.scatter import scatter
from core.trace.trace import Trace

LONGER = 1.5
"""A first step is warm-up if it takes this many times the later ones' median."""
NOTABLY_LONGER = 1.05
"""Like LONGER, for runs whose scatter is known; the step must then exceed it too (CERTAIN)."""
CERTAIN = 4.0
"""The standard deviations by which a first step must exceed the later ones."""
FEWEST = 3
"""The fewest steps from which the usual duration of a step is known."""
FEWEST_SCATTER = 4
"""The fewest later steps from which their scatter is known."""
LOOKED_AT = 64
"""The number of first steps that decide, so that the result of a live run soon stays constant."""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """The number of a program's warm-up `steps`.

    The longest of them took `longest_ns`; the median of the later steps is `usual_ns`.
    """

    steps: int
    longest_ns: int
    usual_ns: int


def first_measured(trace: Trace) -> int:
    """Return the number of the first step that counts as measured; steps below it are warm-up."""
    asked = trace.header.specification.warmup
    if trace.header.source.has_plan:
        return asked
    numbers = trace.step_table.numbers
    first = bisect_left(numbers, asked)
    more = _longer(_lengths(trace)[first : first + LOOKED_AT])
    if not more:
        return asked
    return int(numbers[first + more])


def found_warmup(trace: Trace) -> WarmUp | None:
    """Return the warm-up of a program whose first measured steps differ from the later ones.

    None if they do not differ, and for runs whose settings have the number of warm-up steps.
    """
    asked = trace.header.specification.warmup
    first = first_measured(trace)
    if first == asked:
        return None
    count = bisect_left(trace.step_table.numbers, first)
    # Tasks outside of all steps have a step number below 0.
    outside = bisect_left(trace.step_table.numbers, 0)
    lengths = _lengths(trace)[outside:]
    warm = lengths[: count - outside]
    later = lengths[count - outside :]
    return WarmUp(
        steps=len(warm),
        longest_ns=int(warm.max()),
        usual_ns=int(np.median(later)),
    )


def _lengths(trace: Trace) -> Ints:
    return trace.step_table.ends - trace.step_table.starts


def _longer(lengths: Ints) -> int:
    """Return how many steps at the start are longer than the later half of the steps."""
    count = len(lengths)
    if count < FEWEST:
        return 0
    later = lengths[count // 2 :].astype(np.float64)
    usual = float(np.median(later))
    limit = LONGER * usual
    if len(later) >= FEWEST_SCATTER:
        limit = max(NOTABLY_LONGER * usual, usual + CERTAIN * scatter(later))
    is_usual = lengths <= limit
    return int(is_usual.argmax())  # never empty: the median of the later half is within the limit
