"""Progress and log lines on standard error."""

from __future__ import annotations

import sys

from core.plain import say
from core.trace.trace import Trace

ALWAYS = ("warning",)


class ProgressPrinter:
    """Prints the number of the current step on a terminal, and log lines.

    Only warnings are printed from the log, unless `verbose` is True. `before` is printed before the
    step. Warnings in `shown` are not printed again.
    """

    def __init__(self, verbose: bool, before: str = "", shown: set[str] | None = None) -> None:
        self._verbose = verbose
        self._before = before
        self._shown = set() if shown is None else shown
        self._logged = 0
        self._step = -1
        self._on_line = False

    def show(self, trace: Trace) -> None:
        """Print new log lines and the current step."""
        for row in trace.logs[self._logged :]:
            level = row.level
            text = row.text
            is_warning = level in ALWAYS
            is_detail = self._verbose and level != "state"
            is_repeated = is_warning and text in self._shown
            if (is_warning or is_detail) and not is_repeated:
                self._shown.add(text)
                self.close()
                line = text if level == "size" else f"{level}: {text}"
                say(line, sys.stderr)
        self._logged = len(trace.logs)
        step = max(trace.steps, default=-1)
        # Only on a terminal, because a file or a CI log would keep every line that is overwritten.
        if step > self._step and sys.stderr.isatty():
            self._step = step
            total = len(trace.header.specification.all_rows)
            text = f"{self._before}step {step + 1} of {total}"
            print(f"\r{text}", end="", file=sys.stderr, flush=True)
            self._on_line = True

    def close(self) -> None:
        """End the line that shows the step."""
        if self._on_line:
            print(file=sys.stderr)
            self._on_line = False
