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
"""Name endings of lanes that only transfer data, or contain annotations."""
LATEST_SPANS = 512  # latest spans of a lane, from which its stages and replicas are taken


_FORWARDS = [FAMILIES.index(family) for family in (Family.FORWARD, Family.OVERLAP)]


@dataclass(frozen=True, slots=True)
class LaneFacts:
    """Texts of a lane's label: name, stages or replicas, idle time and memory.

    `stages` and `replicas` are the numbers that occur in its spans. `place` is the text for one of
    the two, `other_place` for the other if both are shown; `blocks` names the blocks of its stages.
    The first `shared` letters of the name are common to all lanes of its device.
    """

    name: str
    stages: tuple[int, ...] = ()
    replicas: tuple[int, ...] = ()
    place: str = ""
    other_place: str = ""
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
    families = FAMILY_CODES[spans["kind"]]
    forwards = spans[np.isin(families, _FORWARDS)]
    stages = _numbers(forwards["stage"])
    replicas = _numbers(forwards["replica"])
    return stages, replicas


def lane_facts(trace: Trace, lane: Lane, balance: LaneBalance, known: bool) -> LaneFacts:
    """Return the texts of a lane's label; `known` is True if there are steps with figures."""
    stages, replicas = stages_and_replicas(trace, lane)
    idle = ""
    if known:
        share = percent_text(balance.time.idle_fraction)
        idle = tr("idle {share}", share=share)
    peak = ""
    if balance.peak_bytes:
        size = bytes_text(balance.peak_bytes)
        peak = tr("peak {size}", size=size)
    return LaneFacts(lane.name, stages, replicas, idle=idle, peak=peak)


def helper_name(lane: Lane) -> str:
    """Return the short name of a lane, shown below the lane that it serves: `copy`, `comm 2`.

    Returns "" if the lane's name is blank.
    """
    words = lane.name.split()
    if not words:
        return ""
    last = words[-1]
    if len(words) > 1 and last.isdigit():
        word = _helper_word(words[-2])
        return f"{word} {last}"
    return _helper_word(last)


def row_name(lane: Lane, lanes: Sequence[Lane]) -> str:
    """Return the short name of a row, shown below its lane: `copy`, `Python, depth 2`.

    The name of a nested row begins with its lane's name; only the rest is shown.
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
    """Return for each lane the length of the prefix that the names on its device share."""
    names: dict[str, list[str]] = {}
    for lane in lanes:
        if lane.role is Role.COMPUTE:
            on_device = names.setdefault(lane.device, [])
            on_device.append(lane.name)
    shared = {device: shared_start(some) for device, some in names.items()}
    return [shared.get(lane.device, 0) for lane in lanes]


def placed(facts: Sequence[LaneFacts], header: Header) -> Iterator[LaneFacts]:
    """Yield the facts with each lane's stage or replica, or both if there are several of both.

    If the model is cut into stages, lanes also have the blocks of their stages.
    """
    stages: set[int] = set()
    for lane in facts:
        stages.update(lane.stages)
    has_lanes = len(facts) > 1
    has_stages = len(stages) > 1
    has_replicas = header.replicas > 1
    runs: list[tuple[int, int]] = []
    if has_stages:
        # Imported here, because the first paint of the window needs no strategies.
        from core.trace.stage_blocks import stage_blocks

        runs = stage_blocks(header, 1 + max(stages))
    for lane in facts:
        places = []
        if has_lanes and (has_stages or header.replicas == 1):
            places.append(_numbered(tr("stage"), tr("stages"), lane.stages))
        if has_lanes and has_replicas:
            places.append(_numbered(tr("replica"), tr("replicas"), lane.replicas))
        # Padded to two texts.
        place, other_place, *_ = (*places, "", "")
        blocks = ""
        if runs:
            own_runs = [runs[number] for number in lane.stages]
            blocks = blocks_text(own_runs)
        yield replace(lane, place=place, other_place=other_place, blocks=blocks)


def blocks_text(runs: Sequence[tuple[int, int]]) -> str:
    """Return the blocks of a lane's stages: `block 3`, `blocks 0–2`, `blocks 0–1, 4–5`."""
    if not runs:
        return ""
    count = 0
    parts = []
    for first, end in runs:
        last = end - 1
        part = str(first) if first == last else f"{first}–{last}"
        parts.append(part)
        count += end - first
    numbers = ", ".join(parts)
    return ntr("block {numbers}", "blocks {numbers}", count, numbers=numbers)


def _numbers(column: NDArray[np.integer]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.unique(column) if n != ABSENT)


def _numbered(one: str, many: str, numbers: Sequence[int]) -> str:
    """Return numbers after their name, in the singular or the plural; "" without numbers."""
    if not numbers:
        return ""
    name = one if len(numbers) == 1 else many
    listed = ", ".join(map(str, numbers))
    return f"{name} {listed}"
