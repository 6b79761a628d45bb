"""Ranking of the advisor's ways, each compared with the present settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.plan.pipeline.options import CHUNKS, MICROBATCHES, SCHEDULE
from core.plan.schedules import schedule_title
from core.plan.specification import Specification, with_defaults
from core.plan.strategies import STRATEGIES
from core.plan.strategies.dp_pp import REPLICAS
from core.predict.advisor import Advice, AdviceResult
from gui.look.text import tr


@dataclass(frozen=True, slots=True)
class Ranked:
    """An Advice with its place from 1, compared with the present settings.

    `against` is its step over the present settings' predicted step, less 1; None if these cannot
    be predicted. `present` marks the present settings. `measured_ns` is the step time of the last
    run of this way, None if it was not run yet.
    """

    place: int
    advice: Advice
    against: float | None
    present: bool
    measured_ns: int | None = None


def ranked(
    advised: AdviceResult, measured: Callable[[Specification], int | None] = lambda _: None
) -> list[Ranked]:
    """Return the ways in order, each compared with the present one, which is added if missing.

    Ways with measured costs precede guesses, and each of the two groups is sorted by step time. The
    present way is first, unless a way with measured costs saves enough. `measured` returns the
    measured step time of a way in ns, or None.
    """
    present = advised.present
    ways = list(advised.ways)
    if present is not None and not any(_is_same(way, present) for way in ways):
        ways.append(present)
    stays = advised.better is None

    def rank(way: Advice) -> tuple[bool, bool, int]:
        is_first = stays and present is not None and _is_same(way, present)
        return not is_first, not way.known, way.step_ns

    rows = []
    in_order = sorted(ways, key=rank)
    for place, way in enumerate(in_order, 1):
        change = None
        if present is not None and present.step_ns:
            change = way.step_ns / present.step_ns - 1
        is_present = present is not None and _is_same(way, present)
        measured_ns = advised.measured_ns if is_present else measured(way.specification)
        rows.append(Ranked(place, way, change, is_present, measured_ns))
    return rows


def best_of_each(rows: Sequence[Ranked]) -> set[int]:
    """Return the indices of the first row of each strategy and schedule, and of the present way."""
    best: set[int] = set()
    seen: set[tuple[str, str | None]] = set()
    for index, row in enumerate(rows):
        specification = row.advice.specification
        schedule = with_defaults(specification)[SCHEDULE]
        kind = (specification.strategy, schedule)
        if kind not in seen or row.present:
            best.add(index)
        seen.add(kind)
    return best


def _is_same(way: Advice, present: Advice) -> bool:
    """Return True if `way` is the present one, whose options may be left to their defaults."""
    one = way.specification
    other = present.specification
    if one.strategy != other.strategy:
        return False
    if one[SCHEDULE] != with_defaults(other)[SCHEDULE]:
        return False
    for option in (MICROBATCHES, CHUNKS, REPLICAS):
        if other[option] not in (None, one[option]):
            return False
    # Options left to their defaults can match several ways; only one has the same prediction.
    return way.step_ns == present.step_ns and way.memory_bytes == present.memory_bytes


def way_text(specification: Specification) -> str:
    """Return the schedule with chunks and replicas, or the strategy: `Interleaved 1F1B ×2`."""
    schedule = with_defaults(specification)[SCHEDULE]
    if schedule is None:
        return tr(STRATEGIES[specification.strategy].title)
    name = tr(schedule_title(schedule))
    chunks = specification[CHUNKS]
    if chunks:
        name += f" ×{chunks}"
    replicas = specification[REPLICAS]
    if replicas:
        return tr("{schedule}, {n} replicas", schedule=name, n=replicas)
    return name
