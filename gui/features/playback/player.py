"""Clock of playback: the position in a film, its speed, and when it stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.playback.film import Film
from core.playback.speed import start_speed

FRAME_MS = 16
LONGEST_TICK_S = 0.25  # longer ticks, as while a dialog opens, count as this long


class Player(QObject):
    """Plays `films` on one clock: `time` is ns since the start of each.

    A film that is shorter than others waits at its end. `moved` is emitted when `time` has changed,
    and `changed` when playback starts or stops, or a setting changes. `clock` returns seconds.
    """

    moved = Signal()
    changed = Signal()

    def __init__(self, parent: QObject, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(parent)
        self.films: Sequence[Film] = ()
        self.time = 0.0
        self.speed = 1.0
        self.loops = False
        self.clock = clock
        self._last = 0.0
        self._timer = QTimer(self, interval=FRAME_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.tick)

    @property
    def length(self) -> float:
        """The length of the longest film in ns; 0 without films."""
        return float(max((film.length for film in self.films), default=0))

    @property
    def playing(self) -> bool:
        """True while the clock runs."""
        return self._timer.isActive()

    def load(self, films: Sequence[Film]) -> None:
        """Load films and go to their start; the speed is such that they take some seconds."""
        self.pause()
        self.films = films
        self.time = 0.0
        if films:
            self.speed = start_speed(self.length)
        self.moved.emit()
        self.changed.emit()

    def play(self) -> None:
        """Start the clock; if it is at the end, go to the start first."""
        if not self.films:
            return
        if self.time >= self.length:
            self.seek(0.0)
        self._last = self.clock()
        self._timer.start()
        self.changed.emit()

    def pause(self) -> None:
        """Stop the clock."""
        if self.playing:
            self._timer.stop()
            self.changed.emit()

    def seek(self, time: float) -> None:
        """Go to a time in ns since the start, within the films."""
        self.time = min(max(0.0, time), self.length)
        self.moved.emit()

    def set_speed(self, speed: float) -> None:
        """Set the speed of playback; 1 is real time."""
        self.speed = speed
        self.changed.emit()

    def set_loops(self, loops: bool) -> None:
        """Set whether playback begins again at the end, or stops there."""
        self.loops = loops
        self.changed.emit()

    def next_event(self) -> None:
        """Go to the next start or end of a span in any film, and stop there."""
        self.pause()
        times = []
        for film in self.films:
            event = film.next_event(film.start + self.time)
            times.append(event - film.start)
        # A film that is over returns its end again, which is not a later event.
        later = [time for time in times if time > self.time]
        self.seek(min(later, default=self.length))

    def previous_event(self) -> None:
        """Go to the previous start or end of a span in any film, and stop there."""
        self.pause()
        times = []
        for film in self.films:
            event = film.previous_event(film.start + self.time)
            times.append(event - film.start)
        self.seek(max(times, default=0.0))

    def tick(self) -> None:
        """Advance by the time that has passed; stop at the end of a step, unless `loops` is set."""
        now = self.clock()
        passed = min(now - self._last, LONGEST_TICK_S)
        self._last = now
        time = self.time + passed * 1e9 * self.speed
        step_end = self._next_step_end()
        if step_end <= time and not self.loops:
            self.seek(step_end)
            self.pause()
        elif time < self.length:
            self.seek(time)
        elif self.loops:
            self.seek(0.0)
        else:
            self.seek(self.length)
            self.pause()

    def _next_step_end(self) -> float:
        """Return the next end of a step inside any film, in ns since its start, or infinity."""
        least = inf
        for film in self.films:
            end = film.next_step_end(film.start + self.time)
            if end is not None:
                least = min(least, float(end - film.start))
        return least
