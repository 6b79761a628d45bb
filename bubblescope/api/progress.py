"""Bars for the steps of a run and the runs of a sweep, on a terminal or in a notebook."""

from __future__ import annotations

from tqdm.auto import tqdm  # type: ignore[import-untyped]

from bubblescope.api.sweep_text import setting_text
from bubblescope.api.sweeping import SweepPlace
from core.sweep.sweep import Sweep
from core.sweep.table import SweepRow
from core.trace.trace import Trace


class ProgressBar:
    """Shows how many of all steps, including warm-up, have begun."""

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


class SweepBar:
    """Shows the number of runs of a sweep that have ended, and the setting of the current one."""

    def __init__(self, asked: Sweep, is_shown: bool) -> None:
        self._sweep = asked
        self._is_shown = is_shown
        self._bar: tqdm | None = None

    def begins(self, place: SweepPlace) -> NoProgress:
        """Show the setting of a run; its steps are not shown."""
        if self._bar is None and self._is_shown:
            self._bar = tqdm(total=place.count, desc="sweep", unit="run", leave=False)
        if self._bar is not None:
            # Runs of failed settings are skipped, so the number may grow by more than one.
            self._bar.update(place.number - 1 - self._bar.n)
            self._bar.set_postfix_str(setting_text(self._sweep, place.setting))
        return NoProgress()

    def has_measured(self, row: SweepRow) -> None:
        """Count a run."""
        if self._bar is not None:
            self._bar.update()

    def has_failed(self, text: str) -> None:
        """Do nothing: failures are reported at the end."""

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
