"""Opening of the window."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def has_display() -> bool:
    """Return True if a window can be shown."""
    if sys.platform in ("darwin", "win32") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window(recording: Path | None) -> int:
    """Show the window, optionally with a recording, until it is closed.

    Returns the exit status. Raises ValueError if there is no display.
    """
    if not has_display():
        raise ValueError("there is no display to open a window on; `export` draws without one")
    from gui.window import quick_start

    quick_start.begin()
    from gui.window.start import start

    return start(sys.argv[:1], recording)
