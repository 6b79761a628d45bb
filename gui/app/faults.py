"""Texts for the faults that the reader found in a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.plan.task import ABSENT
from core.trace.complete import run_faults
from core.trace.event_rows import Log
from core.trace.trace import Trace
from gui.look.core_texts import translated
from gui.look.text import tr


def faults_of(trace: Trace, live: bool = False) -> tuple[str, ...]:
    """Return a line for each fault; none for a live run, whose last step is not complete yet."""
    if live:
        return ()
    return tuple(translated(fault.text) for fault in run_faults(trace))


def banner_text(faults: tuple[str, ...], path: Path | None = None) -> str:
    """Return the line above the timeline: the first fault, and the number of others in the log."""
    if not faults:
        return ""
    name = tr("This run") if path is None else path.name
    more = ""
    if len(faults) > 1:
        more = tr(" (and {n} more: see the Log)", n=len(faults) - 1)
    return tr("{name} is incomplete: {fault}{more}", name=name, fault=faults[0], more=more)


def status_text(faults: tuple[str, ...]) -> str:
    """Return the text for the status bar; "" without faults."""
    if len(faults) < 2:
        return tr("incomplete: 1 fault, see the Log") if faults else ""
    return tr("incomplete: {n} faults, see the Log", n=len(faults))


def log_with_faults(trace: Trace, live: bool) -> Log:
    """Return a run's log; after the run's end its faults follow as warnings."""
    log = trace.logs
    faults = faults_of(trace, live)
    if not faults:
        return log
    # A copy: the trace's log remains as it was recorded, and is saved like that.
    longer = Log(log.levels, log.texts, log.arrays)
    count = len(faults)
    end = trace.bounds[1]
    times = np.full(count, end)
    steps = np.full(count, ABSENT)
    longer.add(times, steps, ["warning"] * count, faults)
    return longer
