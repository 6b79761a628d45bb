"""The sentence on first steps of another program that count as warm-up."""

from __future__ import annotations

from core.message import N_
from core.plain import Say, duration_text, plainly
from core.trace.trace import Trace
from core.trace.warmup import found_warmup

FIRST_STEP = N_("The first step is warm-up: it took {longest}, later ones {usual}.")
FIRST_STEPS = N_("The first {n} steps are warm-up: they took up to {longest}, later ones {usual}.")


def warmup_text(trace: Trace, say: Say = plainly) -> str:
    """Return a sentence on the warm-up that was found (core.trace.warmup); "" if none was.

    `say` fills the placeholders of a text, and may translate it first.
    """
    found = found_warmup(trace)
    if found is None:
        return ""
    longest, usual = duration_text(found.longest_ns), duration_text(found.usual_ns)
    text = FIRST_STEP if found.steps == 1 else FIRST_STEPS
    return say(text, n=found.steps, longest=longest, usual=usual)
