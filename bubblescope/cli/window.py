"""Opening of the window."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SCALES = {"QT_SCALE_FACTOR": (0.01, 30.0), "QT_FONT_DPI": (1.0, 5000.0)}
"""The least and greatest value of variables with which Qt can draw the window."""


def has_display() -> bool:
    """Return True if a window can be shown."""
    if sys.platform in ("darwin", "win32") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window(recording: Path | None) -> int:
    """Show the window, optionally with a recording, until it is closed.

    Returns the exit status. Raises ValueError if there is no display, or if the environment sets a
    scale that Qt cannot draw with.
    """
    if not has_display():
        raise ValueError("there is no display to open a window on; `export` draws without one")
    check_scales()
    from gui.window import quick_start

    quick_start.begin()
    from gui.window.start import start

    return start(sys.argv[:1], recording)


def check_scales() -> None:
    """Raise ValueError for a variable of SCALES that is a number out of range.

    Qt takes such numbers and then fails to draw. It ignores texts that are not numbers.
    """
    for name, (least, most) in SCALES.items():
        text = os.environ.get(name, "")
        try:
            value = float(text)
        except ValueError:
            continue
        if not least <= value <= most:  # also a NaN
            allowed = f"the window can be drawn with {least:g} to {most:g}"
            raise ValueError(f"{name} is {text}; {allowed}")
