"""What is told of another program's trace: its ranks, and what was odd about its file."""

from __future__ import annotations

from core.explain.ranks import RankTime
from core.trace.odd import sentences
from core.trace.trace import Trace
from gui.look.core_texts import translated
from gui.look.text import duration_text, percent_text, tr


def rank_heads() -> tuple[str, ...]:
    """What the columns of ranks are called."""
    return (
        tr("Rank"), tr("Time"), tr("Idle"), tr("Compute"), tr("Transfer alone"),
        tr("Communication"), tr("Of it overlapped"),
    )  # fmt: skip


def rank_words(time: RankTime) -> list[str]:
    """A rank's row."""
    span = max(1, time.span_ns)
    shares = (time.idle_ns, time.compute_ns, time.moving_ns, time.communication_ns)
    overlap = percent_text(time.overlap_fraction) if time.communication_ns else "–"
    words = (percent_text(share / span) for share in shares)
    return [time.place, duration_text(time.span_ns), *words, overlap]


def odd_lines(trace: Trace) -> list[str]:
    """A line for each thing that was odd about a trace's file."""
    nothing = tr("Nothing was odd about the file: all of it is shown.")
    return [translated(text) for text in sentences(trace.odd)] or [nothing]
