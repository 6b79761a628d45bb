"""Protocol: the parts of the main window that controllers of the shown run may use."""

from __future__ import annotations

from typing import Protocol

from gui.app.session import Run


class Shown(Protocol):
    """The shown run, and functions to show a run and to report an action."""

    run_shown: Run | None

    def show_run(self, run: Run) -> None:
        """Show a run; add it to the list if it is new."""

    def note(self, text: str) -> None:
        """Report an action in the status bar."""
