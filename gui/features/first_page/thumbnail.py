"""Thumbnails: the bars of the first compute lanes in one step, for very small pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.paths import RESOURCES
from core.plan.plan import Role, working_lanes
from core.plan.task import KINDS, Kind
from core.trace.complete import measured_steps
from core.trace.trace import Trace

PARTS = 1000  # units of time in a thumbnail
MOST_LANES = 8
MOST_BARS = 2000


@dataclass(frozen=True, slots=True)
class Bar:
    """A task on a lane, from `start` to `end` in PARTS of the time shown; the top lane is 0.

    A task with `is_transfer` is on the copy or communication lane that serves the lane.
    """

    lane: int
    start: int
    end: int
    kind: Kind
    is_transfer: bool = False


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """Bars of `lanes` lanes, in order of lane and time."""

    lanes: int
    bars: tuple[Bar, ...]


def thumbnail_of(trace: Trace) -> Thumbnail | None:
    """Return a thumbnail of the last measured step or, without steps, of the whole trace.

    Returns None for a trace without spans, or with more than MOST_BARS bars.
    """
    if not trace.span_count:
        return None
    steps = measured_steps(trace)
    step = steps[-1] if steps else None
    start, end = trace.bounds if step is None else trace.step_bounds(step)
    compute = [lane.index for lane in trace.header.compute_lanes]
    places = {index: place for place, index in enumerate(compute[:MOST_LANES])}
    bars: list[Bar] = []
    for lane in working_lanes(trace.header.lanes):
        if lane.serves not in places:
            continue
        spans = trace.spans(lane.index)
        if step is not None:
            spans = spans[spans.of_step(step)]
        times = np.stack([spans.start, spans.end], axis=1) - start
        scale = PARTS / max(1, end - start)
        parts = np.rint(times * scale).astype(int)
        kinds = spans["kind"]
        if step is None:
            parts, kinds = _merged(parts, kinds)
        if len(bars) + len(parts) > MOST_BARS:
            return None
        place = places[lane.serves]
        is_transfer = lane.role is not Role.COMPUTE
        for (first, last), code in zip(parts.tolist(), kinds.tolist(), strict=True):
            bars.append(Bar(place, first, last, KINDS[code], is_transfer))
    return Thumbnail(len(places), tuple(bars))


def _merged(parts: NDArray[Any], kinds: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Merge spans of one kind that touch; `parts` has a row of start and end for each span."""
    if not len(parts):
        return parts, kinds
    starts = parts[:, 0]
    reach = np.maximum.accumulate(parts[:, 1])
    is_apart = starts[1:] > reach[:-1]
    is_other_kind = kinds[1:] != kinds[:-1]
    is_first = np.append(True, is_apart | is_other_kind)
    firsts = np.flatnonzero(is_first)
    nexts = np.append(firsts[1:], len(parts))
    lasts = nexts - 1
    merged = np.stack([starts[firsts], reach[lasts]], axis=1)
    return merged, kinds[firsts]


THUMBNAILS = RESOURCES / "thumbnails.json"
"""Thumbnails of the shipped samples and lessons, by file name."""


def write_thumbnails(thumbnails: Mapping[str, Thumbnail], path: Path) -> None:
    """Write thumbnails by name, a line each. Raises OSError."""
    lines = []
    for name, thumbnail in thumbnails.items():
        bars = []
        for bar in thumbnail.bars:
            values = [bar.lane, bar.start, bar.end, bar.kind, int(bar.is_transfer)]
            bars.append(values)
        row = json.dumps([thumbnail.lanes, bars], separators=(",", ":"))
        lines.append(f"{json.dumps(name)}: {row}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def read_thumbnails(path: Path) -> dict[str, Thumbnail]:
    """Read the thumbnails that `write_thumbnails` wrote. Raises OSError, ValueError."""
    rows = json.loads(path.read_text("utf-8"))
    return {name: _read(*row) for name, row in rows.items()}


def _read(lanes: int, bars: Sequence[tuple[int, int, int, str, int]]) -> Thumbnail:
    made = []
    for lane, start, end, kind, is_transfer in bars:
        made.append(Bar(lane, start, end, Kind(kind), bool(is_transfer)))
    return Thumbnail(lanes, tuple(made))
