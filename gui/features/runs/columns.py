"""The columns of a list of runs."""

from __future__ import annotations

import numpy as np

from core.engine.messages import Outcome
from core.trace.columns import sorted_positions
from core.trace.source import Source
from core.trace.warmup import first_measured
from gui.app.run import Run
from gui.app.run_names import shown_title
from gui.look.text import duration_text, tr


def run_columns(run: Run) -> tuple[str, str, str, str]:
    """Return number, title, outcome and median makespan of the measured steps of a run."""
    table = run.trace.step_table
    first = int(sorted_positions(table.numbers, first_measured(run.trace)))
    lengths = table.ends[first:] - table.starts[first:]
    step = ""
    if len(lengths) and not run.live:
        step = duration_text(float(np.median(lengths)))
    return str(run.number), shown_title(run), outcome_text(run), step


def outcome_text(run: Run) -> str:
    """Return a word for a run's outcome or, for an opened run, the name of its file."""
    if run.source is not None:
        return run.source.name
    if run.trace.header.source is Source.PREDICTED:
        return tr("predicted")
    words = {
        None: tr("running"),
        Outcome.FINISHED: tr("finished"),
        Outcome.STOPPED: tr("stopped"),
        Outcome.FAILED: tr("failed"),
        Outcome.REFUSED: tr("refused"),
    }
    return words[run.outcome]
