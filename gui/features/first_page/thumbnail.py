"""A step in small: what its first compute lanes do, for a picture of a few pixels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.paths import RESOURCES
from core.plan.plan import Role, working_lanes
from core.plan.task import KINDS, Kind
from core.trace.complete import measured_steps
from core.trace.trace import Trace

PARTS = 1000  # of a step, in which times are told
MOST_LANES, MOST_BARS = 8, 2000


@dataclass(frozen=True, slots=True)
class Bar:
    """A task of a lane, counted from 0 downwards, from `start` to `end` in PARTS of the step.

    One that is `beside` stands on the lane's own copy or communication lane.
    """

    lane: int
    start: int
    end: int
    kind: Kind
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The bars of so many `lanes`, in order of lane and time."""

    lanes: int
    bars: tuple[Bar, ...]


def thumbnail_of(trace: Trace) -> Thumbnail | None:
    """The last measured step of a run in small; None if none was measured, or it is too large."""
    steps = measured_steps(trace)
    if not steps:
        return None
    start, end = trace.step_bounds(steps[-1])
    compute = [lane.index for lane in trace.header.compute_lanes]
    places = {index: place for place, index in enumerate(compute[:MOST_LANES])}
    bars: list[Bar] = []
    for lane in working_lanes(trace.header.lanes):
        if lane.serves not in places:
            continue
        spans = trace.spans(lane.index)
        spans = spans[spans.of_step(steps[-1])]
        if len(bars) + len(spans) > MOST_BARS:
            return None
        times = np.stack([spans.start, spans.end], axis=1) - start
        parts = np.rint(times * (PARTS / max(1, end - start))).astype(int).tolist()
        place, beside = places[lane.serves], lane.role is not Role.COMPUTE
        kinds = [KINDS[code] for code in spans["kind"].tolist()]
        bars += [
            Bar(place, first, last, kind, beside)
            for (first, last), kind in zip(parts, kinds, strict=True)
        ]
    return Thumbnail(len(places), tuple(bars))


THUMBNAILS = RESOURCES / "thumbnails.json"
"""Those of the samples and lessons that come with the app, by the names of their files."""


def write_thumbnails(thumbnails: Mapping[str, Thumbnail], path: Path) -> None:
    """Write thumbnails by name, a line each. Raises OSError."""
    rows = {
        name: [
            small.lanes,
            [[bar.lane, bar.start, bar.end, bar.kind, int(bar.beside)] for bar in small.bars],
        ]
        for name, small in thumbnails.items()
    }
    lines = [f"{json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}"
             for name, row in rows.items()]  # fmt: skip
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def read_thumbnails(path: Path) -> dict[str, Thumbnail]:
    """The thumbnails that `write_thumbnails` wrote. Raises OSError, ValueError."""
    return {name: _read(*row) for name, row in json.loads(path.read_text("utf-8")).items()}


def _read(lanes: int, bars: Sequence[tuple[int, int, int, str, int]]) -> Thumbnail:
    made = [Bar(lane, start, end, Kind(kind), bool(own)) for lane, start, end, kind, own in bars]
    return Thumbnail(lanes, tuple(made))
