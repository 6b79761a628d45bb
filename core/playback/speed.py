"""Speeds of playback: the share of real time at which the clock of a film goes."""

from __future__ import annotations

STEP_SECONDS = 8.0
"""Seconds that a step takes at first."""
REAL_TIME = 1.0
SPEEDS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""The speeds on offer, from real time on."""


def start_speed(length_ns: float, seconds: float = STEP_SECONDS) -> float:
    """Return the speed at which `length_ns` take `seconds`, but never more than real time."""
    return min(REAL_TIME, length_ns / (seconds * 1e9))


def speed_text(speed: float) -> str:
    """Return a speed as a fraction of real time: `1/100`; `1` for real time."""
    slower = 1 / speed
    number = f"{slower:,.0f}"
    if slower < 10 and slower != round(slower):
        number = f"{slower:.1f}"
    return "1" if number == "1" else f"1/{number}"
