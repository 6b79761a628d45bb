"""The window as its parts know it that work with the run that it shows."""

from __future__ import annotations

from typing import Protocol

from gui.app.session import Run


class Shown(Protocol):
    """What they may look at, and have done."""

    run_shown: Run | None

    def show_run(self, run: Run) -> None:
        """Show a run, listing it if it is new."""

    def note(self, text: str) -> None:
        """Say in the status bar that something was done."""
