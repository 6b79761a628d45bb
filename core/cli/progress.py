"""Progress and log lines on standard error."""

from __future__ import annotations

import sys

from core.plain import say
from core.trace.trace import Trace

ALWAYS = ("warning",)


class Progress:
    """Shows the step on a terminal, and log lines: warnings, or with `verbose` all."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        self._logged = 0
        self._step = -1
        self._on_line = False

    def show(self, trace: Trace) -> None:
        """Print what is new."""
        for row in trace.logs[self._logged :]:
            if row.level in ALWAYS or (self._verbose and row.level != "state"):
                self.close()
                say(row.text if row.level == "size" else f"{row.level}: {row.text}", sys.stderr)
        self._logged = len(trace.logs)
        step = max(trace.steps, default=-1)
        if step > self._step and sys.stderr.isatty():
            self._step = step
            total = len(trace.header.specification.all_rows)
            print(f"\rstep {step + 1} of {total}", end="", file=sys.stderr, flush=True)
            self._on_line = True

    def close(self) -> None:
        """End the line that shows the step."""
        if self._on_line:
            print(file=sys.stderr)
            self._on_line = False
