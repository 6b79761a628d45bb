"""Speeds of playback, as shares of real time."""

from __future__ import annotations

STEP_SECONDS = 8.0
"""Seconds that a step takes at the initial speed."""
REAL_TIME = 1.0
SPEEDS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""The speeds to choose from, the fastest first."""


def start_speed(length_ns: float, seconds: float = STEP_SECONDS) -> float:
    """Return the speed at which `length_ns` take `seconds`, at most real time."""
    return min(REAL_TIME, length_ns / (seconds * 1e9))


def speed_text(speed: float) -> str:
    """Return a speed as a fraction of real time: `1/100`; `1` for real time."""
    slower = 1 / speed
    number = f"{slower:,.0f}"
    if slower < 10 and slower != round(slower):
        number = f"{slower:.1f}"
    return "1" if number == "1" else f"1/{number}"
