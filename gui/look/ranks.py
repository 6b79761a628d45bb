"""Texts about an imported trace: its ranks, and irregularities of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.trace.imported import issue_sentences
from core.trace.trace import Trace
from gui.look.core_texts import translated
from gui.look.text import duration_text, percent_text, tr

if TYPE_CHECKING:
    from core.explain.ranks import RankTime


def rank_heads() -> tuple[str, ...]:
    """Return the headers of the columns of ranks."""
    return (
        tr("Rank"),
        tr("Time"),
        tr("Idle"),
        tr("Compute"),
        tr("Exposed transfer"),
        tr("Communication"),
        tr("Overlapped"),
    )


def rank_words(time: RankTime) -> list[str]:
    """Return the cells of a rank's row."""
    span = max(1, time.span_ns)
    shares = (time.idle_ns, time.compute_ns, time.moving_ns, time.communication_ns)
    overlap = percent_text(time.overlap_fraction) if time.communication_ns else "–"
    words = (percent_text(share / span) for share in shares)
    return [time.place, duration_text(time.span_ns), *words, overlap]


def issue_lines(trace: Trace) -> list[str]:
    """Return a line for each irregularity of a trace's file."""
    nothing = tr("The file has no irregularities; all of it is shown.")
    return [translated(text) for text in issue_sentences(trace.imported)] or [nothing]
