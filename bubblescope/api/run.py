"""A run, a recording or a prediction, as a Python object."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from bubblescope.api.errors import BubblescopeError, in_one_line
from bubblescope.api.options import figure_options
from core.process.program import run_module
from core.recording.exporters.recording import write_recording
from core.report.summary import StepSummary, Summary, summarise
from core.report.verdict import Verdict
from core.sql import tables
from core.trace.trace import Trace


@dataclass(frozen=True)
class Run:
    """A run, a recording, another program's trace or a prediction.

    A notebook shows it as its verdict and an interactive timeline. Values are those of the median
    step, as in the window. `warning` says what is missing or damaged in the file that it was read
    from.
    """

    trace: Trace
    warning: str = ""

    @cached_property
    def summary(self) -> Summary:
        """Everything that the command `summary` prints."""
        with in_one_line():
            return summarise(self.trace)

    @property
    def verdict(self) -> Verdict | None:
        """The main limit of a step, as `text`, `kind` and `loss_ns`; None without a whole step."""
        return self.summary.verdict

    @property
    def median(self) -> StepSummary:
        """The median step. Raises BubblescopeError for a run without a measured step."""
        with in_one_line():
            return self.summary.median

    @property
    def step_ms(self) -> float:
        """Duration of the median step in ms."""
        return self.median.makespan_ns / 1e6

    @property
    def bubble(self) -> float:
        """Idle share of the compute lanes in the median step, from 0 to 1."""
        return self.median.bubble_by_makespan

    @property
    def steps(self) -> tuple[StepSummary, ...]:
        """The measured steps, in order."""
        return self.summary.steps

    def spans(self) -> pa.Table:
        """Return a row for each span of all steps, with times in ns: the table `spans` of SQL."""
        return tables.spans(self.trace)

    def idle(self) -> pa.Table:
        """Return a row for each idle interval of a measured step, with its cause."""
        return tables.idle(self.trace)

    def figure(self, path: Path | str, preset: str | None = None, **options: object) -> None:
        """Draw the timeline as PNG, SVG or PDF, by the ending of the name.

        `preset` and `options` are those of the command `export`, such as
        `figure("x.pdf", preset="one-column", greyscale=True)`.
        """
        from gui.figures.make import write_figure

        with in_one_line():
            write_figure([self.trace], Path(path), figure_options(preset, options))

    def report(self, path: Path | str) -> None:
        """Write the report with tables and pictures as one HTML file."""
        from gui.report.run import write_run_report

        with in_one_line():
            write_run_report(self.trace, Path(path))

    def save(self, path: Path | str) -> None:
        """Write a recording, which the window, the commands and `bubblescope.open` can read."""
        with in_one_line():
            for _ in write_recording(self.trace, path):
                pass

    def show(self) -> None:
        """Show the run in a window, and wait until it is closed. Raises BubblescopeError."""
        lines: list[str] = []
        with tempfile.TemporaryDirectory(prefix="bubblescope-") as folder:
            file = Path(folder) / "run.arrow"
            self.save(file)
            command = ["bubblescope", "open", str(file)]
            alive = str(Path(folder) / "alive")
            status = run_module(command, alive, {}, lines.append)
        if status:
            text = lines[-1].strip() if lines else f"the window ended with status {status}"
            raise BubblescopeError(text.removeprefix("bubblescope: "))

    def __repr__(self) -> str:
        found = self.summary.verdict
        if found is not None:
            return f"<Run: {found.text}>"
        return f"<Run of {len(self.trace.header.lanes)} lanes without a measured step>"

    def _repr_html_(self) -> str:
        from gui.report.notebook import notebook_html

        return notebook_html(self.trace)
