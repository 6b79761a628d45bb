"""Collectives in words: which rank arrived last and how often, the wait and the transfer."""

from __future__ import annotations

from core.explain.arrivals import Arrivals
from core.plan.plan import rank_names
from core.trace.event_rows import clock_disagreement
from core.trace.trace import Trace
from gui.look.text import duration_text, tr
from gui.timeline.interact.describe import kind_title
from gui.widgets.label import Label

MOST = 8
"""Collectives in the list: those with the longest waits."""


class ArrivalsList(Label):
    """A line for each collective, those with the longest waits first."""

    def __init__(self) -> None:
        super().__init__(wrapped=True, selectable=True)
        self.setAccessibleName(tr("Last rank to arrive at each collective"))
        self.setContentsMargins(12, 0, 12, 14)

    def show_arrivals(self, trace: Trace, met: tuple[Arrivals, ...]) -> None:
        """Show `collectives` of StepFigures."""
        clock = clock_disagreement(trace.clocks)
        first = sorted(met, key=lambda one: one.wait_ns / one.times, reverse=True)
        lines = [arrivals_words(trace, one, clock) for one in first[:MOST]]
        if len(met) > MOST:
            left = len(met) - MOST
            lines.append(tr("Collectives that are not listed, with shorter waits: {n}", n=left))
        self.setText("\n".join(lines))


def arrivals_words(trace: Trace, met: Arrivals, clock: float) -> str:
    """Return a line about a collective; the clocks of two ranks may disagree by `clock` ns."""
    number = met.bucket if met.bucket is not None else met.block
    words = [kind_title(met.kind)]
    if number is not None:
        words.append(str(number))
    if met.group is not None:
        words.append(f"({trace.table.names[met.group]})")
    name = " ".join(words)
    wait = met.wait_ns / met.times
    transfer = met.transfer_ns / met.times
    took = {"wait": duration_text(wait), "transfer": duration_text(transfer)}
    if clock and (wait < clock or not met.last):
        return tr(
            "{collective}: the last rank is uncertain (clocks ± {clock}); wait {wait}, "
            "transfer {transfer}",
            collective=name,
            clock=duration_text(clock),
            **took,
        )
    if not met.last:
        return tr(
            "{collective}: no rank arrived last; wait {wait}, transfer {transfer}",
            collective=name,
            **took,
        )
    lane, count = met.last[0]
    return tr(
        "{collective}: {lane} arrived last ({count} of {times}); wait {wait}, transfer {transfer}",
        collective=name,
        lane=rank_names(trace.header.lanes)[lane],
        count=count,
        times=met.times,
        **took,
    )
