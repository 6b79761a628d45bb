"""The words beside a lane: what it holds, how much of it was idle, and its most memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.explain.balance import LaneBalance
from core.plan.plan import Lane, Role
from core.plan.task import ABSENT
from core.trace.trace import Trace
from gui.look.families import FAMILIES, FAMILY_CODES, Family
from gui.look.text import bytes_text, percent_text, tr
from gui.look.writing import shared_start

LATEST_SPANS = 512  # tell which stage or replica a lane holds


_FORWARDS = [FAMILIES.index(family) for family in (Family.FORWARD, Family.OVERLAP)]


@dataclass(frozen=True, slots=True)
class LaneFacts:
    """What the lane label says: a name, what it holds, idle time and memory.

    `stages` and `replicas` are the numbers of those that it holds, as far as its spans tell;
    `place` says which, and `beside` what more there is to say of a replica's stage. Its first
    `shared` letters are those that the names of all lanes of its device begin with.
    """

    name: str
    stages: tuple[int, ...] = ()
    replicas: tuple[int, ...] = ()
    place: str = ""
    beside: str = ""
    idle: str = ""
    peak: str = ""
    shared: int = 0


def lane_facts(trace: Trace, lane: Lane, balance: LaneBalance, known: bool) -> LaneFacts:
    """The words beside a lane; `known` if there are steps to take figures over."""
    stages: tuple[int, ...] = ()
    replicas: tuple[int, ...] = ()
    if lane.role is Role.COMPUTE:
        # The latest will do: a lane holds the same stages
        # in all steps, and this is asked again and again.
        spans = trace.spans(lane.index)[-LATEST_SPANS:]
        mine = spans[np.isin(FAMILY_CODES[spans["kind"]], _FORWARDS)]
        stages, replicas = _numbers(mine["stage"]), _numbers(mine["replica"])
    share, peak = percent_text(balance.time.idle_fraction), balance.peak_bytes
    return LaneFacts(
        lane.name, stages, replicas,
        idle=tr("idle {share}", share=share) if known else "",
        peak=tr("peak {size}", size=bytes_text(peak)) if peak else "",
    )  # fmt: skip


def shared_letters(lanes: Sequence[Lane]) -> list[int]:
    """For each lane, how many letters the names of all compute lanes of its device begin with."""
    names: dict[str, list[str]] = {}
    for lane in lanes:
        if lane.role is Role.COMPUTE:
            names.setdefault(lane.device, []).append(lane.name)
    shared = {device: shared_start(some) for device, some in names.items()}
    return [shared.get(lane.device, 0) for lane in lanes]


def placed(facts: Sequence[LaneFacts], replicas: int) -> Iterator[LaneFacts]:
    """Say which stage or replica each lane holds, or both where a run has several of both."""
    stages = {number for lane in facts for number in lane.stages}
    for lane in facts:
        places = []
        if len(facts) > 1 and (replicas == 1 or len(stages) > 1):
            places.append(_numbered(tr("stage"), tr("stages"), lane.stages))
        if len(facts) > 1 and replicas > 1:
            places.append(_numbered(tr("replica"), tr("replicas"), lane.replicas))
        # Filled up to two words, of which there may be none, one or both.
        place, beside, *_ = (*places, "", "")
        yield replace(lane, place=place, beside=beside)


def _numbers(column: NDArray[np.integer]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.unique(column) if n != ABSENT)


def _numbered(one: str, many: str, numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"{one if len(numbers) == 1 else many} {listed}" if numbers else ""
