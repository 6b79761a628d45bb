"""Bars made of parts: the shares of the critical path, and the causes of each lane's idle time."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from core.explain.causes import CAUSES, Cause
from core.explain.critical import PathShare
from core.message import N_
from core.override import override
from core.plan.plan import Lane, Role
from gui.look.causes import CAUSE_LOOKS, SHARE_LOOKS, Look
from gui.look.text import duration_text, join_clauses, percent_text, tr
from gui.look.writing import RIGHT
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import LINE, PAD, Drawing

BAR = 18.0
ROW = 21.0
SHARE_WORDS: dict[PathShare, tuple[str, str]] = {
    PathShare.COMPUTE: (N_("compute"), N_("Tasks that compute.")),
    PathShare.TRANSFER: (
        N_("transfer"),
        N_("Tasks that move data between two lanes, or to or from one."),
    ),
    PathShare.COLLECTIVE: (N_("collective"), N_("Collectives that every rank has reached.")),
    PathShare.WAITING: (
        N_("waiting"),
        N_("The next task was launched, but its lane had not begun it."),
    ),
    PathShare.HOST: (N_("host"), N_("The next task was ready but started late.")),
    PathShare.INCOMPLETE: (
        N_("incomplete"),
        N_("Spans of the step are missing: its path is not known."),
    ),
}
BarPiece = tuple[Look, float, str]
"""A piece of a bar: its look, its ns, and its tooltip."""


class PartsBar(Drawing):
    """A drawing with bars of several parts."""

    def draw_parts(self, ink: Ink, bar: QRectF, parts: list[BarPiece], whole: float) -> None:
        """Draw the parts from left to right; the width of the bar corresponds to `whole` ns."""
        ink.fill(bar, self.theme.grid)
        scale = bar.width() / whole if whole else 0.0
        top = bar.top()
        x = bar.left()
        for look, ns, tip in parts:
            width = ns * scale
            rect = QRectF(x, top, width, bar.height())
            self.fill(ink.painter, rect, look)
            if width > 3:
                seam = QRectF(rect.right() - 1, top, 1, BAR)
                ink.fill(seam, self.theme.plot)
            self.spot(rect, tip)
            x += width


class PathBar(PartsBar):
    """A bar with the shares of the critical path; their sum is the makespan."""

    def __init__(self) -> None:
        super().__init__(tr("Shares of the critical path"))
        self.shares: dict[PathShare, int] = {}

    def show_shares(self, shares: dict[str, int]) -> None:
        """Show the `critical_path` of StepFigures."""
        self.shares = {share: shares[share] for share in PathShare if shares.get(share)}
        self.refresh()

    @override
    def content_height(self) -> float:
        legend = LINE * len(self.shares)
        return BAR + 6 + legend + 4

    @override
    def words(self) -> str:
        return join_clauses(self._words(share) for share in self.shares)

    @override
    def draw(self, ink: Ink) -> None:
        whole = sum(self.shares.values())
        parts = []
        for share, ns in self.shares.items():
            _, meaning = SHARE_WORDS[share]
            tip = f"{self._words(share)}\n{tr(meaning)}"
            parts.append((SHARE_LOOKS[share], float(ns), tip))
        self.draw_parts(ink, self.across(0, BAR), parts, whole)
        for number, (share, ns) in enumerate(self.shares.items()):
            y = BAR + 6 + LINE * number
            name, _ = SHARE_WORDS[share]
            look, _, tip = parts[number]
            self.legend_line(ink, y, look, tr(name), ns, whole)
            line = QRectF(0, y, self.width(), LINE)
            self.spot(line, tip)

    def _words(self, share: PathShare) -> str:
        ns = self.shares[share]
        whole = sum(self.shares.values())
        name, _ = SHARE_WORDS[share]
        time = duration_text(ns)
        percent = percent_text(ns / whole)
        return f"{tr(name)}: {time}, {percent}"


class IdleBars(PartsBar):
    """A bar for each compute lane: how much of the step it is idle, and why."""

    def __init__(self) -> None:
        super().__init__(tr("Idle time of each lane by cause"))
        self.lanes: list[tuple[str, dict[Cause, int]]] = []
        self._makespan = 0

    def show_idle(
        self, lanes: tuple[Lane, ...], idle_by_cause: tuple[dict[str, int], ...], makespan: int
    ) -> None:
        """Show `idle_by_cause` of StepFigures; lanes that only move data are left out."""
        self._makespan = makespan
        self.lanes = []
        for lane, idle in zip(lanes, idle_by_cause, strict=True):
            if lane.role is Role.COMPUTE:
                present = {cause: idle[cause] for cause in CAUSES if idle.get(cause)}
                self.lanes.append((lane.name, present))
        self.refresh()

    @property
    def totals(self) -> dict[Cause, int]:
        """Idle time of all lanes in ns, by cause; causes without idle time are left out."""
        totals = {}
        for cause in CAUSES:
            total = sum(idle.get(cause, 0) for _, idle in self.lanes)
            if total:
                totals[cause] = total
        return totals

    @override
    def content_height(self) -> float:
        bars = ROW * len(self.lanes)
        legend = LINE * max(1, len(self.totals))
        return bars + 6 + legend + 4

    @override
    def words(self) -> str:
        lines = []
        for name, idle in self.lanes:
            parts = []
            for cause, ns in idle.items():
                label = tr(cause.label)
                parts.append(f"{label} {duration_text(ns)}")
            said = ", ".join(parts) or tr("never idle")
            lines.append(f"{name}: {said}")
        return join_clauses(lines)

    @override
    def draw(self, ink: Ink) -> None:
        names = 10.0
        figures = 8.0
        times = []
        for name, idle in self.lanes:
            time = duration_text(sum(idle.values()))
            times.append(time)
            names = max(names, ink.bold_width(name) + 10)
            figures = max(figures, ink.small_width(time) + 8)
        left = PAD + names
        right = self.width() - PAD - figures
        name_column = QRectF(PAD, 0, names, BAR)
        time_column = QRectF(right, 0, figures, BAR)
        bar = QRectF(left, 1, right - left, BAR - 3)
        for (name, idle), time in zip(self.lanes, times, strict=True):
            ink.bold(name_column, name)
            ink.small(time_column, time, RIGHT)
            self._draw_lane(ink, bar, name, idle)
            for column in (name_column, time_column, bar):
                column.translate(0, ROW)
        self._legend(ink, name_column.top() + 6)

    def _draw_lane(self, ink: Ink, bar: QRectF, name: str, idle: dict[Cause, int]) -> None:
        """Draw the causes of a lane's idle time, with an outline as long as the step."""
        parts = []
        for cause, ns in idle.items():
            tip = self._tip(name, cause, ns)
            parts.append((CAUSE_LOOKS[cause], float(ns), tip))
        self.draw_parts(ink, bar, parts, self._makespan)
        # Half a pixel outwards, so that the line covers no part of the bar.
        edge = bar.adjusted(-0.5, -0.5, 0.5, 0.5)
        ink.outline(edge, self.theme.line)

    def _legend(self, ink: Ink, y: float) -> None:
        totals = self.totals
        if not totals:
            ink.small(self.across(y, LINE), tr("never idle"))
        whole = self._makespan * len(self.lanes)
        for number, (cause, ns) in enumerate(totals.items()):
            top = y + LINE * number
            look = CAUSE_LOOKS[cause]
            self.legend_line(ink, top, look, tr(cause.label), ns, whole)

    def _tip(self, lane: str, cause: Cause, ns: int) -> str:
        share = percent_text(ns / self._makespan) if self._makespan else ""
        return tr(
            "{lane} is idle for {time}, {share} of the step: {cause}.",
            lane=lane,
            time=duration_text(ns),
            share=share,
            cause=tr(cause.label),
        )
