"""What the reader of a run found wrong with it, in the window's words."""

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
    """Return a line for each fault; none in a live run, whose last step is not complete yet."""
    return () if live else tuple(translated(fault.text) for fault in run_faults(trace))


def banner_text(faults: tuple[str, ...], path: Path | None = None) -> str:
    """One line above the timeline: the first fault, and how many more the log lists."""
    if not faults:
        return ""
    name = tr("This run") if path is None else path.name
    more = tr(" (and {n} more: see the Log)", n=len(faults) - 1) if len(faults) > 1 else ""
    return tr("{name} is incomplete: {fault}{more}", name=name, fault=faults[0], more=more)


def status_text(faults: tuple[str, ...]) -> str:
    """What stays in the status bar; nothing for a sound run."""
    if len(faults) < 2:
        return tr("incomplete: 1 fault, see the Log") if faults else ""
    return tr("incomplete: {n} faults, see the Log", n=len(faults))


def told_log(trace: Trace, live: bool) -> Log:
    """A run's log, with its faults as warnings behind it once the run is over."""
    log, faults = trace.logs, faults_of(trace, live)
    if not faults:
        return log
    # A log of its own: the trace's stays as it was
    # recorded, and is written as such when it is saved.
    longer = Log(log.levels, log.texts, log.arrays)
    count, end = len(faults), trace.bounds[1]
    longer.add(np.full(count, end), np.full(count, ABSENT), ["warning"] * count, faults)
    return longer
