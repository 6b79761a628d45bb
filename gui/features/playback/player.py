"""The clock of playback: where a film is, how fast it goes, and when it stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.playback.film import Film
from core.playback.speed import start_speed

FRAME_MS = 16
LONGEST_TICK_S = 0.25  # after a longer one, as while a dialog was open, the film goes on from there


class Player(QObject):
    """Plays `films` on one clock: `time` is ns since the start of each.

    A film that is shorter than others waits at its end. `moved` says that `time` has changed,
    `changed` that it plays or stopped, or that the speed changed. The `clock` returns seconds.
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
        """True while the clock goes."""
        return self._timer.isActive()

    def load(self, films: Sequence[Film]) -> None:
        """Show other films, from their start, at a speed at which they take some seconds."""
        self.pause()
        self.films = films
        self.time = 0.0
        if films:
            self.speed = start_speed(self.length)
        self.moved.emit()
        self.changed.emit()

    def play(self) -> None:
        """Let the clock go; from the start if it is at the end."""
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
        """Play at a share of real time."""
        self.speed = speed
        self.changed.emit()

    def set_loops(self, loops: bool) -> None:
        """Begin again at the end, or stop there."""
        self.loops = loops
        self.changed.emit()

    def next_event(self) -> None:
        """Go to the next start or end of a span in any film, and stop there."""
        self.pause()
        times = []
        for film in self.films:
            event = film.next_event(film.start + self.time)
            times.append(event - film.start)
        # A film that is over says its end again, which is no event to go to.
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
        """Go on by the time that has passed; stop at the end of a step, unless it loops."""
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
        """Return the next end of a step inside a film, in ns since its start; else infinity."""
        least = inf
        for film in self.films:
            end = film.next_step_end(film.start + self.time)
            if end is not None:
                least = min(least, float(end - film.start))
        return least
