"""Data of a run for the page's timeline, which resources/report/timeline.js draws."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

import numpy as np

from core.arrays import Ints
from core.explain.causes import CAUSES, Cause
from core.plan.plan import Lane, Role
from core.trace.trace import Trace
from gui.look.causes import CAUSE_LOOKS
from gui.look.families import FAMILIES, family_of, family_texts
from gui.look.text import bytes_text, carried_rows_text, tr
from gui.look.theme import colour_names
from gui.report.page import Html, joined, paragraph
from gui.timeline.interact.describe import span_title
from gui.timeline.state.scene import Scene, name_of_step

MOST_SPANS = 250_000
"""Maximum number of spans on a page, about 3 MB.

The page has as many of the latest steps as fit. A trace without steps and a single step that does
not fit are cut to their first spans.
"""
MOST_LANES = 256
"""Maximum number of lanes on a page: browsers limit the height of a canvas."""
JsonValue: TypeAlias = "str | int | Sequence[JsonValue] | Mapping[str, JsonValue]"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a run in a timeline: the time from `begin` to `end` (ns), and the steps in it.

    `lanes` are the first lanes, as many as fit, of `all_lanes`: the compute lanes, and the other
    lanes that are not empty. `cut` is true if the only step is cut to its first `most_spans` spans.
    """

    begin: int
    end: int
    steps: tuple[int, ...]
    lanes: tuple[Lane, ...]
    all_lanes: int
    most_spans: int
    cut: bool = False


def excerpt_of(trace: Trace, steps: Sequence[int], most_spans: int | None = None) -> Excerpt:
    """Return the latest of `steps` that fit on a page; without steps, the trace's beginning.

    The steps kept are consecutive steps of the trace. At most `most_spans` spans fit, by default
    MOST_SPANS.
    """
    most = MOST_SPANS if most_spans is None else most_spans
    begin, end, kept = _times(trace, steps, most)
    cut = False
    if len(kept) == 1:
        _, whole_end = trace.step_bounds(kept[0])
        cut = end < whole_end
    filled = []
    for lane in in_order(trace.header.lanes):
        if lane.role is Role.COMPUTE or _count(trace, lane, begin, end):
            filled.append(lane)
    return Excerpt(
        begin=begin,
        end=end,
        steps=kept,
        lanes=tuple(filled[:MOST_LANES]),
        all_lanes=len(filled),
        most_spans=most,
        cut=cut,
    )


def _times(trace: Trace, steps: Sequence[int], most: int) -> tuple[int, int, tuple[int, ...]]:
    """Return begin and end of an excerpt in ns, and its steps."""
    if not steps:
        begin, last = trace.bounds
        # + 1: includes a span without length at the very end.
        end = _with_room(trace, begin, last + 1, most)
        return begin, end, ()
    consecutive = _consecutive_steps(trace, steps)
    kept = 1
    begin, last = trace.step_bounds(steps[-1])
    while kept < consecutive:
        # The excerpt would begin here if one more step were kept.
        earlier, _ = trace.step_bounds(steps[-kept - 1])
        count = sum(_count(trace, lane, earlier, last) for lane in trace.header.lanes)
        if count > most:
            break
        kept += 1
        begin = earlier
    end = _with_room(trace, begin, last, most)
    return begin, end, tuple(steps[-kept:])


def _consecutive_steps(trace: Trace, steps: Sequence[int]) -> int:
    """Return how many of the latest `steps` follow each other in the trace without a gap."""
    # `steps` may begin with a median step from long before the others. The page would have the bars
    # between them, but neither the names of their steps nor the causes of their idle time.
    position = trace.steps.index(steps[-1])
    count = 1
    while count < len(steps) and steps[-count - 1] == trace.steps[position - count]:
        count += 1
    return count


def _with_room(trace: Trace, begin: int, end: int, most: int) -> int:
    """Return `end`, or the start of the first span from `begin` on that does not fit."""
    of_lanes = [trace.spans(lane.index).start for lane in trace.header.lanes]
    starts = np.concatenate(of_lanes)
    is_within = (starts >= begin) & (starts < end)
    starts = starts[is_within]
    if len(starts) > most:
        # The start of the first span that does not fit, found without sorting all starts.
        return int(np.partition(starts, most)[most])
    return end


def timeline(scene: Scene, excerpt: Excerpt, shown: tuple[int, int], words: str) -> Html:
    """Return the element that the page's script turns into a timeline; `words` describe it.

    `shown` is the range that is visible at first, in ns. Texts are in the packed data, and the
    script inserts them as text, never as markup.
    """
    # Base64 needs no escaping in an attribute, and zlib compresses such repetitive text to a tenth.
    data = json.dumps(_data(scene, excerpt, shown))
    compressed = zlib.compress(data.encode(), 9)
    packed = base64.b64encode(compressed).decode()
    hint = tr("The timeline needs JavaScript.")
    figure = Html(
        f'<figure class="timeline" aria-label="{escape(words)}" data-run="{packed}">'
        f"<noscript><p>{escape(hint)}</p></noscript></figure>"
    )
    notes = [paragraph(text, "note") for text in _left_out(excerpt)]
    return joined(figure, *notes)


def _left_out(excerpt: Excerpt) -> Iterator[str]:
    """Yield notes on content that the timeline omits."""
    shown = len(excerpt.lanes)
    if shown < excerpt.all_lanes:
        yield tr(
            "The timeline has the first {n} of {all} lanes.",
            n=shown,
            all=excerpt.all_lanes,
        )
    if excerpt.cut:
        yield tr(
            "The step has more spans than the timeline has room for: it has the first {n}.",
            n=f"{excerpt.most_spans:,}",
        )


def _data(scene: Scene, excerpt: Excerpt, shown: tuple[int, int]) -> Mapping[str, JsonValue]:
    trace = scene.trace
    descriptions = _Descriptions(trace)
    lanes = [_lane(scene, lane, excerpt, descriptions) for lane in excerpt.lanes]
    families: list[JsonValue] = []
    for family, text in family_texts(scene.kinds).items():
        families.append([text, FAMILIES.index(family)])
    return {
        "lanes": lanes,
        "what": descriptions.all,
        "colours": [colour_names(family) for family in FAMILIES],
        "families": families,
        "causes": [_cause(cause) for cause in CAUSES],
        "steps": [_step(trace, step, excerpt.begin) for step in excerpt.steps],
        "end": max(excerpt.end, shown[1]) - excerpt.begin,
        "shown": [at - excerpt.begin for at in shown],
        "words": _words(bool(excerpt.steps)),
    }


def _cause(cause: Cause) -> Sequence[JsonValue]:
    look = CAUSE_LOOKS[cause]
    return [tr(cause.label), tr(cause.sentence), look.colour, look.pattern.name.lower()]


def _step(trace: Trace, step: int, begin: int) -> Sequence[JsonValue]:
    """Return a step's name, start and end; the times are ns after `begin`."""
    start, end = trace.step_bounds(step)
    name = name_of_step(trace, step)
    return [name, int(start) - begin, int(end) - begin]


def _words(has_steps: bool) -> Mapping[str, JsonValue]:
    """Return the texts of the timeline's buttons, hint and tooltips."""
    hint = tr("Drag to move, wheel or + and − to zoom.")
    if has_steps:
        hint = tr("Drag to move, wheel or + and − to zoom, a double click for one step.")
    return {
        "whole": tr("Show all"),
        "before": tr("Previous step"),
        "next": tr("Next step"),
        "closer": tr("Zoom in"),
        "wider": tr("Zoom out"),
        "hint": hint,
        "into": tr("{time} into {step}"),
        "after": tr("{time} after the start"),
        "idle": tr("Idle: {cause}"),
    }


def in_order(lanes: Iterable[Lane]) -> list[Lane]:
    """Return the lanes in order: each compute lane, followed by the lanes that serve it."""
    roles = list(Role)
    return sorted(lanes, key=lambda lane: (lane.serves, roles.index(lane.role), lane.index))


def _lane(
    scene: Scene, lane: Lane, excerpt: Excerpt, descriptions: _Descriptions
) -> Mapping[str, JsonValue]:
    spans = scene.trace.spans(lane.index)
    # Spans of a lane are sorted and do not overlap, so at most one of them extends over `begin`.
    first, last = np.searchsorted(spans.start, [excerpt.begin, excerpt.end]).tolist()
    if first and spans.end[first - 1] > excerpt.begin:
        first -= 1
    mine = spans[first:last]
    places = []
    for index, row in enumerate(mine.row.tolist(), first):
        places.append(descriptions.place(lane.index, index, row))
    is_compute = lane.role is Role.COMPUTE
    note = ""
    if is_compute:
        facts = {fact.name: fact.idle for fact in scene.facts}
        note = facts.get(lane.name, "")
    return {
        "name": lane.name,
        "note": note,
        "low": int(not is_compute),
        "start": _steps_of(mine.start - excerpt.begin),
        "length": (mine.end - mine.start).tolist(),
        "what": places,
        **_idle(scene, lane, excerpt),
    }


def _idle(scene: Scene, lane: Lane, excerpt: Excerpt) -> Mapping[str, JsonValue]:
    """Return the idle intervals of a compute lane in the excerpt's steps."""
    steps = excerpt.steps if lane.role is Role.COMPUTE else ()
    parts = [np.zeros((3, 0), np.int64)]
    for step in steps:
        found = scene.explained.cause_intervals(step)
        mine = found.of_lane(lane.index)
        intervals = np.stack([found.start[mine], found.end[mine], found.cause[mine]])
        is_within = intervals[0] < excerpt.end
        parts.append(intervals[:, is_within])
    start, end, cause = np.concatenate(parts, axis=1)
    return {
        "idle": _steps_of(start - excerpt.begin),
        "idleLength": (end - start).tolist(),
        "cause": cause.tolist(),
    }


def _count(trace: Trace, lane: Lane, begin: int, end: int) -> int:
    """Return the number of a lane's spans that start from `begin` to `end` (exclusive)."""
    starts = trace.spans(lane.index).start
    first, last = np.searchsorted(starts, [begin, end]).tolist()
    return int(last - first)


def _steps_of(times: Ints) -> list[int]:
    """Return the differences between consecutive times, which have fewer digits than the times."""
    # The first number is the first time itself; the page adds up the others from there.
    return np.diff(times, prepend=0).tolist()  # type: ignore[no-any-return]


class _Descriptions:
    """Distinct descriptions of spans (label, title, payload, colour), stored once in the page."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._places = dict[int, int]()
        self.all: list[list[str | int]] = []

    def place(self, lane: int, index: int, row: int) -> int:
        """Return the index in `all` of the description of a task table's row; add it if new."""
        # One span represents its task in every step: the description has no times.
        if row not in self._places:
            self._places[row] = len(self.all)
            span = self._trace.span(lane, index)
            carried = []
            if span.rows:
                carried.append(carried_rows_text(span.rows, span.paired_rows))
            if span.bytes:
                carried.append(bytes_text(span.bytes))
            payload = " · ".join(carried)
            family = FAMILIES.index(family_of(span.kind))
            self.all.append([span.label, span_title(span), payload, family])
        return self._places[row]
