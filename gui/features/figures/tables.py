"""Files with a table of the runs of a figure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from core.message import N_
from core.report.run_table import run_rows, write_run_table
from core.trace.trace import Trace
from gui.app.saving import Saver
from gui.app.titles import run_names
from gui.look.text import tr

KINDS = (N_("LaTeX table (*.tex)"), N_("Markdown table (*.md)"), N_("CSV table (*.csv)"))


def ask_table(saver: Saver, name: str, traces: Sequence[Trace], above: QWidget | None) -> None:
    """Ask for a file, suggesting `name`, and write a table of the runs into it."""
    saver.ask(tr("Save table"), name, KINDS, partial(write_table, saver, traces), above)


def write_table(saver: Saver, traces: Sequence[Trace], path: Path) -> None:
    """Write a table with a row for the median step of each run; the suffix sets its format."""
    names = run_names(traces)
    saver.write(path, lambda: write_run_table(run_rows(traces, names), path, tr))
