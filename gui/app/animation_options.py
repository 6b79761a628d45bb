"""Options of an animation, shared by the command line, the window and the painting code."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.playback.speed import REAL_TIME, STEP_SECONDS
from gui.app.figure_options import FigureOptions
from gui.look.text import tr

SECONDS = (0.1, 600.0)  # shortest and longest animation


@dataclass(frozen=True, slots=True)
class AnimationOptions:
    """Options of an animation: the options of its pictures, and its speed or its length.

    It lasts `seconds`, or plays at `speed`, a share of real time. Without either, it lasts
    STEP_SECONDS.
    """

    figure: FigureOptions = field(default_factory=FigureOptions)
    speed: float | None = None
    seconds: float | None = None

    def check(self) -> None:
        """Raise a one-line ValueError for options that cannot be used."""
        self.figure.check()
        if self.figure.preset is not None:
            raise ValueError("--figure is for still pictures: leave it out for an animation")
        if self.speed is not None and self.seconds is not None:
            raise ValueError("--speed and --seconds exclude each other: use one of them")
        if self.speed is not None and not 0 < self.speed <= REAL_TIME:
            raise ValueError(f"--speed {self.speed:g}: use a share of real time up to 1")
        least, most = SECONDS
        if self.seconds is not None and not least <= self.seconds <= most:
            raise ValueError(
                tr(
                    "--seconds {seconds}: use {least} to {most}",
                    seconds=f"{self.seconds:g}",
                    least=f"{least:g}",
                    most=f"{most:g}",
                )
            )

    def seconds_of(self, length_ns: float) -> float:
        """Return the duration in s, at least SECONDS[0], of an animation of `length_ns` of a run.

        Raises ValueError if it is longer than SECONDS[1].
        """
        if self.speed is None:
            return STEP_SECONDS if self.seconds is None else self.seconds
        seconds = length_ns / 1e9 / self.speed
        if seconds > SECONDS[1]:
            raise ValueError(
                tr(
                    "--speed {speed}: the animation would take {seconds} s, and at most {most} s "
                    "are written",
                    speed=f"{self.speed:g}",
                    seconds=f"{seconds:.0f}",
                    most=f"{SECONDS[1]:g}",
                )
            )
        return max(SECONDS[0], seconds)
