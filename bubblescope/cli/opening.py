"""Reading of recordings for the commands."""

from __future__ import annotations

import sys

from bubblescope.cli.report import incomplete_text
from core.plain import plain, say
from core.recording.recording import open_recording
from core.trace.complete import run_faults
from core.trace.trace import Trace


def open_with_warnings(name: str) -> Trace:
    """Read a recording; print warnings to standard error. Raises RecordingError."""
    opened = open_recording(name)
    texts = [str(fault.text) for fault in run_faults(opened.trace)]
    faults = incomplete_text(texts)
    warnings = [opened.warning] if opened.warning else []
    if faults:
        warnings.append(f"{name} is incomplete: {faults}")
    for warning in warnings:
        say(plain(f"warning: {warning}"), sys.stderr)
    return opened.trace
