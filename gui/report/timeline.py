"""A run as data for the page's own timeline, which resources/report/timeline.js draws."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import CAUSES
from core.plan.plan import Lane, Role
from core.trace.trace import Trace
from gui.look.causes import CAUSE_LOOKS
from gui.look.families import FAMILIES, family_of, family_texts
from gui.look.text import bytes_text, carried_rows_text, tr
from gui.look.theme import colour_names
from gui.report.page import Html, joined, paragraph
from gui.timeline.interact.describe import span_title
from gui.timeline.state.scene import Scene, step_name

MOST_SPANS = 250_000
"""Spans on a page, the latest steps' or without steps the first ones: about 3 MB.

Of a step that has more, the first ones."""
MOST_LANES = 256
"""Lanes on a page: browsers draw no picture of any height."""
Value: TypeAlias = "str | int | Sequence[Value] | Mapping[str, Value]"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a timeline has of a run: the time from `begin` to `end` (ns), and the steps in it.

    `lanes` have room, of `all_lanes` that have anything. With `cut` it ends amid its only step.
    """

    begin: int
    end: int
    steps: tuple[int, ...]
    lanes: tuple[Lane, ...]
    all_lanes: int
    cut: bool = False


def excerpt_of(trace: Trace, steps: Sequence[int]) -> Excerpt:
    """The latest of some steps that have room on a page; of none, the trace as far as there is."""
    begin, end, kept = _times(trace, steps)
    cut = len(kept) == 1 and end < trace.step_bounds(kept[0])[1]
    filled = [
        lane for lane in in_order(trace.header.lanes)
        if lane.role is Role.COMPUTE or _count(trace, lane, begin, end)
    ]  # fmt: skip
    return Excerpt(begin, end, kept, tuple(filled[:MOST_LANES]), len(filled), cut)


def _times(trace: Trace, steps: Sequence[int]) -> tuple[int, int, tuple[int, ...]]:
    """From when until when an excerpt is, and its steps."""
    if not steps:
        begin, end = trace.bounds
        return begin, _with_room(trace, begin, end + 1), ()  # with a mark at the very end
    kept, last = 1, trace.step_bounds(steps[-1])[1]
    while kept < len(steps):
        # With one step more than are kept so far.
        begin = trace.step_bounds(steps[-kept - 1])[0]
        if sum(_count(trace, lane, begin, last) for lane in trace.header.lanes) > MOST_SPANS:
            break
        kept += 1
    begin = trace.step_bounds(steps[-kept])[0]
    return begin, _with_room(trace, begin, last), tuple(steps[-kept:])


def _with_room(trace: Trace, begin: int, end: int) -> int:
    """`end`, or when the first span after `begin` starts that has no room."""
    starts = np.concatenate([trace.spans(lane.index).start for lane in trace.header.lanes])
    starts = starts[(starts >= begin) & (starts < end)]
    if len(starts) > MOST_SPANS:
        # The start of the first span too many, found without sorting all of them.
        return int(np.partition(starts, MOST_SPANS)[MOST_SPANS])
    return end


def timeline(scene: Scene, excerpt: Excerpt, shown: tuple[int, int], words: str) -> Html:
    """The element that the page's script makes a timeline of; `words` tell what it shows.

    `shown` is what is to be seen first, in ns. Text is in the packed data and reaches the page as
    text alone.
    """
    # Base64 needs no escaping in an attribute, and zlib makes a tenth of such repetitive text.
    packed = base64.b64encode(zlib.compress(json.dumps(_data(scene, excerpt, shown)).encode(), 9))
    hint = tr("The timeline needs JavaScript; the tables below say the same in figures.")
    figure = Html(
        f'<figure class="timeline" aria-label="{escape(words)}" data-run="{packed.decode()}">'
        f"<noscript><p>{escape(hint)}</p></noscript></figure>"
    )
    return joined(figure, *(paragraph(text, "note") for text in _left_out(excerpt)))


def _left_out(excerpt: Excerpt) -> Iterator[str]:
    """What the timeline has no room for."""
    if len(excerpt.lanes) < excerpt.all_lanes:
        yield tr("The timeline has the first {n} of {all} lanes.",
                 n=len(excerpt.lanes), all=excerpt.all_lanes)  # fmt: skip
    if excerpt.cut:
        yield tr("The step has more spans than the timeline has room for: it has the first {n}.",
                 n=f"{MOST_SPANS:,}")  # fmt: skip


def _data(scene: Scene, excerpt: Excerpt, shown: tuple[int, int]) -> Mapping[str, Value]:
    trace, warmup = scene.trace, scene.trace.header.specification.warmup
    descriptions = _Descriptions(trace)
    return {
        "lanes": [_lane(scene, lane, excerpt, descriptions) for lane in excerpt.lanes],
        "what": descriptions.all,
        "colours": [colour_names(family) for family in FAMILIES],
        "families": [
            [text, FAMILIES.index(family)] for family, text in family_texts(scene.kinds).items()
        ],
        "causes": [
            [tr(cause.label), tr(cause.sentence), CAUSE_LOOKS[cause].colour,
             CAUSE_LOOKS[cause].pattern.name.lower()]
            for cause in CAUSES
        ],
        "steps": [
            [step_name(step, warmup), *(int(at) - excerpt.begin for at in trace.step_bounds(step))]
            for step in excerpt.steps
        ],
        "end": max(excerpt.end, shown[1]) - excerpt.begin,
        "shown": [at - excerpt.begin for at in shown],
        "words": {
            "whole": tr("Show all"), "before": tr("Step before"), "next": tr("Next step"),
            "closer": tr("Zoom in"), "wider": tr("Zoom out"),
            "hint": tr("Drag to move, wheel or + and − to zoom, a double click for one step.")
            if excerpt.steps
            else tr("Drag to move, wheel or + and − to zoom."),
            "into": tr("{time} into {step}"), "after": tr("{time} after the start"),
            "idle": tr("Idle: {cause}"),
        },
    }  # fmt: skip


def in_order(lanes: Iterable[Lane]) -> list[Lane]:
    """Each compute lane, and under it the lanes that serve it."""
    roles = list(Role)
    return sorted(lanes, key=lambda lane: (lane.serves, roles.index(lane.role), lane.index))


def _lane(
    scene: Scene, lane: Lane, excerpt: Excerpt, descriptions: _Descriptions
) -> Mapping[str, Value]:
    spans = scene.trace.spans(lane.index)
    # A lane's spans are sorted by start and apart, so at most one of them reaches over `begin`.
    first, last = np.searchsorted(spans.start, [excerpt.begin, excerpt.end]).tolist()
    if first and spans.end[first - 1] > excerpt.begin:  # it reaches into the first step
        first -= 1
    mine = spans[first:last]
    facts = {fact.name: fact.idle for fact in scene.facts}
    return {
        "name": lane.name,
        "note": facts.get(lane.name, "") if lane.role is Role.COMPUTE else "",
        "low": int(lane.role is not Role.COMPUTE),
        "start": _steps_of(mine.start - excerpt.begin),
        "length": (mine.end - mine.start).tolist(),
        "what": [
            descriptions.place(lane.index, first + n, row)
            for n, row in enumerate(mine.row.tolist())
        ],
        **_idle(scene, lane, excerpt),
    }


def _idle(scene: Scene, lane: Lane, excerpt: Excerpt) -> Mapping[str, Value]:
    """The idle time of a compute lane in the excerpt's steps."""
    parts = [np.zeros((3, 0), np.int64)]
    for step in excerpt.steps if lane.role is Role.COMPUTE else ():
        found = scene.explained.cause_intervals(step)
        mine = found.of_lane(lane.index)
        intervals = np.stack([found.start[mine], found.end[mine], found.cause[mine]])
        parts.append(intervals[:, intervals[0] < excerpt.end])
    start, end, cause = np.concatenate(parts, axis=1)
    return {
        "idle": _steps_of(start - excerpt.begin),
        "idleLength": (end - start).tolist(),
        "cause": cause.tolist(),
    }


def _count(trace: Trace, lane: Lane, begin: int, end: int) -> int:
    """How many of a lane's spans start in the time from `begin` to `end`."""
    first, last = np.searchsorted(trace.spans(lane.index).start, [begin, end]).tolist()
    return int(last - first)


def _steps_of(times: NDArray[np.int64]) -> list[int]:
    """Each time as the distance from the one before it, which takes fewer digits."""
    # The 0 in front keeps the first time as it is, from which the page adds up the others.
    return np.diff(times, prepend=0).tolist()  # type: ignore[no-any-return]


class _Descriptions:
    """Distinct descriptions of spans (label, title, payload, colour), stored once in the page."""

    def __init__(self, trace: Trace) -> None:
        self._trace, self._places = trace, dict[int, int]()
        self.all: list[list[str | int]] = []

    def place(self, lane: int, index: int, row: int) -> int:
        """The place of what a span of a row of the task table tells."""
        # One span stands for all of its task in every step: they tell the same but for their times.
        if row not in self._places:
            self._places[row] = len(self.all)
            span = self._trace.span(lane, index)
            carried = [carried_rows_text(span.rows, span.paired_rows)] if span.rows else []
            carried += [bytes_text(span.bytes)] if span.bytes else []
            family = FAMILIES.index(family_of(span.kind))
            self.all.append([span.label, span_title(span), " · ".join(carried), family])
        return self._places[row]
