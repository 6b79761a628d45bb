"""First steps of a recorded program that differ from its later ones, and so measure nothing.

They allocate memory, compile, tune and fill caches. A run of Bubblescope's own has as many warm-up
steps as it was asked for. Of another program nobody says how many it needs, so its warm-up is found
from the lengths of its steps.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.scatter import scatter
from core.trace.trace import Trace

LONGER = 1.5
"""A first step this many times as long as the later ones is warm-up, however few these are."""
NOTABLY_LONGER = 1.05
"""The same where the scatter of the later steps is known, and a first step lies beyond it."""
CERTAIN = 4.0
"""How many standard deviations a first step must be longer than the later ones."""
FEWEST = 3
"""With fewer steps nothing is known of how long a step usually takes."""
FEWEST_SCATTER = 4
"""With fewer later steps nothing is known of how much they scatter."""
LOOKED_AT = 64
"""Steps from the start that decide, so that the answer soon stays the same while a run goes on."""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """A program's first `steps` that measure nothing.

    The longest of them took `longest_ns`, a later step usually takes `usual_ns`.
    """

    steps: int
    longest_ns: int
    usual_ns: int


def first_measured(trace: Trace) -> int:
    """Return the number of the first step that counts as measured; steps below it are warm-up."""
    asked = trace.header.specification.warmup
    if not trace.header.foreign:
        return asked
    numbers = trace.step_table.numbers
    first = bisect_left(numbers, asked)
    more = _longer(_lengths(trace)[first : first + LOOKED_AT])
    return int(numbers[first + more]) if more else asked


def found_warmup(trace: Trace) -> WarmUp | None:
    """Return the warm-up of a program whose first measured steps differ from the later ones.

    None if they do not, and of runs that say how many steps are warm-up.
    """
    asked, first = trace.header.specification.warmup, first_measured(trace)
    if first == asked:
        return None
    count = bisect_left(trace.step_table.numbers, first)
    # A number below 0 is that of tasks outside of all steps.
    outside = bisect_left(trace.step_table.numbers, 0)
    lengths = _lengths(trace)[outside:]
    warm, later = lengths[: count - outside], lengths[count - outside :]
    return WarmUp(len(warm), int(warm.max()), int(np.median(later)))


def _lengths(trace: Trace) -> NDArray[np.int64]:
    return trace.step_table.ends - trace.step_table.starts


def _longer(lengths: NDArray[np.int64]) -> int:
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
    return int(is_usual.argmax())  # the median of the later half is usual, so there is one
