"""A bar for the steps of a run, on a terminal or in a notebook."""

from __future__ import annotations

from tqdm.auto import tqdm  # type: ignore[import-untyped]

from core.trace.trace import Trace


class ProgressBar:
    """Shows the number of steps that have begun, of all steps with warm-up."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: tqdm | None = None

    def show(self, trace: Trace) -> None:
        """Move the bar to the current step; the first call shows it."""
        if self._bar is None:
            total = len(trace.header.specification.all_rows)
            self._bar = tqdm(total=total, desc=self._title, unit="step", leave=False)
        self._bar.update(len(trace.steps) - self._bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


class NoProgress:
    """Shows nothing."""

    def show(self, trace: Trace) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
