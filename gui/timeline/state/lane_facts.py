"""Texts of a lane's label: its stage or replica, blocks, idle share, and peak memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.explain.balance import LaneBalance
from core.message import N_
from core.plan.plan import Lane, Role
from core.plan.task import ABSENT
from core.trace.header import Header
from core.trace.trace import Trace
from gui.look.families import FAMILIES, FAMILY_CODES, Family
from gui.look.text import bytes_text, ntr, percent_text, tr
from gui.look.writing import shared_start

HELPERS = {
    "copy": N_("copy"),
    "comm": N_("comm"),
    "host annotations": N_("host annotations"),
    "device annotations": N_("device annotations"),
}
"""The ends of names of lanes that only transfer data, or contain annotations."""
LATEST_SPANS = 512  # the spans that show which stages and replicas a lane has


_FORWARDS = [FAMILIES.index(family) for family in (Family.FORWARD, Family.OVERLAP)]


@dataclass(frozen=True, slots=True)
class LaneFacts:
    """Texts of a lane's label: name, stages or replicas, idle time and memory.

    `stages` and `replicas` are the numbers that occur in its spans. `place` names one of the two,
    and `beside` the other if both are needed; `blocks` names the blocks of its stages. The first
    `shared` letters of the name are common to all lanes of its device.
    """

    name: str
    stages: tuple[int, ...] = ()
    replicas: tuple[int, ...] = ()
    place: str = ""
    beside: str = ""
    blocks: str = ""
    idle: str = ""
    peak: str = ""
    shared: int = 0


def stages_and_replicas(trace: Trace, lane: Lane) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of the stages and replicas whose forward passes a compute lane runs."""
    if lane.role is not Role.COMPUTE:
        return (), ()
    # The latest spans suffice: a lane has the same stages in all steps. This runs often.
    spans = trace.spans(lane.index)[-LATEST_SPANS:]
    forwards = spans[np.isin(FAMILY_CODES[spans["kind"]], _FORWARDS)]
    return _numbers(forwards["stage"]), _numbers(forwards["replica"])


def lane_facts(trace: Trace, lane: Lane, balance: LaneBalance, known: bool) -> LaneFacts:
    """Return the texts of a lane's label; `known` is true if there are steps with figures."""
    stages, replicas = stages_and_replicas(trace, lane)
    idle, peak = "", ""
    if known:
        idle = tr("idle {share}", share=percent_text(balance.time.idle_fraction))
    if balance.peak_bytes:
        peak = tr("peak {size}", size=bytes_text(balance.peak_bytes))
    return LaneFacts(lane.name, stages, replicas, idle=idle, peak=peak)


def helper_name(lane: Lane) -> str:
    """Return the name of a copy or communication lane below its lane: `copy`, `comm 2`."""
    words = lane.name.split()
    if len(words) > 1 and words[-1].isdigit():
        return f"{_helper_word(words[-2])} {words[-1]}"
    return _helper_word(words[-1])


def row_name(lane: Lane, lanes: Sequence[Lane]) -> str:
    """Return the name of a row below its lane: `copy`, `Python, depth 2`.

    Nested rows have their lane's name and what they contain; that is what is shown.
    """
    own = lanes[lane.serves].name
    if lane.role is not Role.NESTED or not lane.name.startswith(f"{own} "):
        return helper_name(lane)
    content = lane.name.removeprefix(own).strip()
    kind, is_deeper, depth = content.rpartition("depth ")
    if not is_deeper:
        return _helper_word(content)
    if not kind:
        return tr("calls, depth {n}", n=depth)
    return tr("{rows}, depth {n}", rows=_helper_word(kind.strip()), n=depth)


def _helper_word(word: str) -> str:
    return tr(HELPERS[word]) if word in HELPERS else word


def shared_letters(lanes: Sequence[Lane]) -> list[int]:
    """Return for each lane the length of the start that the names on its device share."""
    names: dict[str, list[str]] = {}
    for lane in lanes:
        if lane.role is Role.COMPUTE:
            names.setdefault(lane.device, []).append(lane.name)
    shared = {device: shared_start(some) for device, some in names.items()}
    return [shared.get(lane.device, 0) for lane in lanes]


def placed(facts: Sequence[LaneFacts], header: Header) -> Iterator[LaneFacts]:
    """Yield the facts with each lane's stage or replica, or both if there are several of both.

    Lanes of a model that is cut into stages also have the blocks of theirs.
    """
    replicas = header.replicas
    stages = {number for lane in facts for number in lane.stages}
    runs: list[tuple[int, int]] = []
    if len(stages) > 1:
        # Imported here, because the first paint of the window needs no strategies.
        from core.trace.stage_blocks import stage_blocks

        runs = stage_blocks(header, 1 + max(stages))
    for lane in facts:
        places = []
        if len(facts) > 1 and (replicas == 1 or len(stages) > 1):
            places.append(_numbered(tr("stage"), tr("stages"), lane.stages))
        if len(facts) > 1 and replicas > 1:
            places.append(_numbered(tr("replica"), tr("replicas"), lane.replicas))
        # Padded to two texts.
        place, beside, *_ = (*places, "", "")
        blocks = blocks_text([runs[number] for number in lane.stages]) if runs else ""
        yield replace(lane, place=place, beside=beside, blocks=blocks)


def blocks_text(runs: Sequence[tuple[int, int]]) -> str:
    """Return the blocks of a lane's stages: `block 3`, `blocks 0–2`, `blocks 0–1, 4–5`."""
    if not runs:
        return ""
    parts = []
    for first, end in runs:
        parts.append(str(first) if end - first == 1 else f"{first}–{end - 1}")
    count = sum(end - first for first, end in runs)
    return ntr("block {numbers}", "blocks {numbers}", count, numbers=", ".join(parts))


def _numbers(column: NDArray[np.integer]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.unique(column) if n != ABSENT)


def _numbered(one: str, many: str, numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"{one if len(numbers) == 1 else many} {listed}" if numbers else ""
