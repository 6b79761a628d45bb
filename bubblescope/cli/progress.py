"""Progress and log lines on standard error."""

from __future__ import annotations

import sys

from core.plain import say
from core.trace.trace import Trace

ALWAYS = ("warning",)


class Progress:
    """Shows the step on a terminal, and log lines: warnings, or with `verbose` all.

    `before` stands before the step; a warning that is in `shown` is not said again.
    """

    def __init__(self, verbose: bool, before: str = "", shown: set[str] | None = None) -> None:
        self._verbose, self._before = verbose, before
        self._shown = set() if shown is None else shown
        self._logged = 0
        self._step = -1
        self._on_line = False

    def show(self, trace: Trace) -> None:
        """Print what is new."""
        for row in trace.logs[self._logged :]:
            known = row.level in ALWAYS and row.text in self._shown
            if not known and (row.level in ALWAYS or (self._verbose and row.level != "state")):
                self._shown.add(row.text)
                self.close()
                say(row.text if row.level == "size" else f"{row.level}: {row.text}", sys.stderr)
        self._logged = len(trace.logs)
        step = max(trace.steps, default=-1)
        # In a file or a CI log, lines that overwrite themselves would stand one behind the other.
        if step > self._step and sys.stderr.isatty():
            self._step = step
            total = len(trace.header.specification.all_rows)
            text = f"\r{self._before}step {step + 1} of {total}"
            print(text, end="", file=sys.stderr, flush=True)
            self._on_line = True

    def close(self) -> None:
        """End the line that shows the step."""
        if self._on_line:
            print(file=sys.stderr)
            self._on_line = False
