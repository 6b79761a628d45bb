"""Figures of a live run, brought up to date part by part: no frame waits for all of them."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable

Part = Callable[[], None]
STARVED_S = 0.1  # after the last part; then the next one is done beside a frame


class Rounds:
    """Parts that are brought up to date one after the other, a round of them every so often.

    `begin` starts to count the time; `step`, asked between two frames, does the next part.
    """

    def __init__(self, every_ms: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s, self._clock = every_ms / 1e3, clock
        self._left: deque[Part] = deque()
        self._due = math.inf
        self._last = clock()

    @property
    def starved(self) -> bool:
        """Whether frames have left no room between them for a while."""
        return self._clock() - self._last > STARVED_S

    def begin(self) -> None:
        """Leave an unfinished round; the next one is due after the usual time."""
        self._left.clear()
        self._due = self._clock() + self._every_s

    def step(self, parts: Callable[[], Iterable[Part]]) -> None:
        """Do the next part of the round, or the first of `parts` if another round is due."""
        self._last = self._clock()
        if not self._left and self._last >= self._due:
            self._due = self._last + self._every_s
            self._left.extend(parts())
        if self._left:
            self._left.popleft()()
