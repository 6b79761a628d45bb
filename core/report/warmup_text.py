"""Sentence on the first steps of another program that count as warm-up."""

from __future__ import annotations

from core.message import Message, counted
from core.plain import duration_text
from core.trace.trace import Trace
from core.trace.warmup import found_warmup


def warmup_text(trace: Trace) -> Message | None:
    """Return a sentence on the warm-up that was found (core.trace.warmup); None if none was."""
    found = found_warmup(trace)
    if found is None:
        return None
    return counted(
        "The first step is warm-up: it took {longest}, later ones {usual}.",
        "The first {n} steps are warm-up: they took up to {longest}, later ones {usual}.",
        found.steps,
        longest=duration_text(found.longest_ns, like=found.usual_ns),
        usual=duration_text(found.usual_ns),
    )
