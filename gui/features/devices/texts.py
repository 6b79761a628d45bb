"""Texts and tables of the Devices panel: work, balance and memory of the lanes."""

from __future__ import annotations

from core.explain.balance import (
    FirstLaneShare,
    LaneBalance,
    first_lane_load,
    first_lane_shares,
    imbalance,
    moving_ns,
)
from core.plan.plan import Lane, Role
from core.plan.task import Kind
from gui.look.text import NONE, bytes_text, duration_text, percent_text, tr
from gui.timeline.state.lane_facts import helper_name
from gui.timeline.state.scene import Scene

Row = tuple[str, ...]


def load_text(scene: Scene) -> str:
    """Return lane 0's work and memory relative to the mean of all lanes.

    Returns "" for a single lane, and if the lanes have different stages.
    """
    stages: set[int] = set()
    for facts in scene.facts:
        stages.update(facts.stages)
    if len(stages) > 1:
        return ""
    load = first_lane_load(scene.trace, scene.balances)
    if load is None or load.work is None:
        return ""
    lane = scene.trace.header.lanes[0].name
    work = tr("{ratio} × the mean work", ratio=f"{load.work:.2f}")
    if not scene.unevenness.first_lane:
        work = tr("{work} (within noise)", work=work)
    if load.memory is None:
        return tr("{lane}: {work}", lane=lane, work=work)
    memory = f"{load.memory:.2f}"
    return tr("{lane}: {work}, {memory} × the mean memory", lane=lane, work=work, memory=memory)


def _marked(ratio: str, is_sure: bool) -> str:
    """Mark a ratio as noise unless it `is_sure`, that is, larger than the scatter of steps."""
    if is_sure or ratio == NONE:
        return ratio
    return tr("{ratio} (noise)", ratio=ratio)


def balance_rows(scene: Scene) -> list[Row]:
    """Return a table of each compute lane's work in a mean step; empty for a single lane.

    The first row is the header, and the last one the ratio of the largest value to the mean. The
    columns are the time of computing, the time of moving data, batch rows, and peak memory.
    """
    lanes = scene.trace.header.lanes
    compute = [one for one in scene.balances if lanes[one.lane].role is Role.COMPUTE]
    steps = scene.summed
    if len(compute) < 2 or not steps:
        return []
    moving = moving_ns(scene.trace, scene.balances)
    rows: list[Row] = [("", tr("compute"), tr("moves"), tr("rows"), tr("peak"))]
    for balance in compute:
        name = lanes[balance.lane].name
        busy = duration_text(balance.time.busy_ns / steps)
        moves = NONE
        moving_time = moving[balance.lane]
        if moving_time:
            moves = duration_text(moving_time / steps)
        batch_rows = balance.rows / steps
        peak = NONE
        if balance.peak_bytes:
            peak = bytes_text(balance.peak_bytes)
        rows.append((name, busy, moves, f"{batch_rows:.4g}", peak))
    even = imbalance(scene.trace, scene.balances)
    computing = _marked(_ratio_text(even.compute), scene.unevenness.computing)
    others = (even.communication, even.rows, even.memory)
    rows.append((tr("max / mean"), computing, *map(_ratio_text, others)))
    return rows


def _ratio_text(ratio: float | None) -> str:
    return NONE if ratio is None else f"{ratio:.2f}×"


def share_rows(scene: Scene) -> list[Row]:
    """Return a table of lane 0 and the mean of the other lanes, in a mean step.

    The table is empty if nothing is gathered on lane 0.
    """
    shares = first_lane_shares(scene.trace, scene.balances)
    if not shares or not scene.summed:
        return []
    first_lane = scene.trace.header.lanes[0].name
    rows: list[Row] = [("", first_lane, tr("bytes"), tr("others"), tr("ratio"))]
    for share in shares:
        figures = share_figures(share, scene.summed)
        rows.append((share_name(share), *figures))
    return rows


def time_text(balance: LaneBalance) -> str:
    """Return busy, communication and idle time of a lane in per cent of the makespan."""
    time = balance.time
    total = _total_ns(balance)
    return tr(
        "busy {busy} · comm {communication} · idle {idle}",
        busy=percent_text(time.busy_ns / total),
        communication=percent_text(time.communication_ns / total),
        idle=percent_text(time.idle_ns / total),
    )


def _total_ns(balance: LaneBalance) -> int:
    """Return busy, communication and idle time together, at least 1 ns."""
    time = balance.time
    return time.busy_ns + time.communication_ns + time.idle_ns or 1


def memory_text(balance: LaneBalance) -> str:
    """Return the peak memory of a lane; "" if it is unknown."""
    if not balance.peak_bytes:
        return ""
    return tr("peak {size}", size=bytes_text(balance.peak_bytes))


def share_name(share: FirstLaneShare) -> str:
    """Return the name of lane 0's share: a kind of task, or peak memory."""
    if share.kind is None:
        return tr("peak memory")
    names = {Kind.GATHER: tr("gather"), Kind.REDUCE: tr("reduce")}
    return names.get(share.kind, tr(str(share.kind)))


def share_figures(share: FirstLaneShare, steps: int) -> tuple[str, str, str, str]:
    """Return lane 0's figure in a mean step, its bytes, the others' mean, and the ratio."""
    # Peak memory is in bytes and not summed over steps; a kind of task has times, which are.
    is_memory = share.kind is None
    text = bytes_text if is_memory else duration_text
    count = 1 if is_memory else steps
    first = text(share.first / count)
    moved = NONE
    if share.first_bytes:
        moved = bytes_text(share.first_bytes / steps)
    others = tr("none")
    if share.others:
        others = text(share.others / count)
    ratio = NONE
    if share.ratio is not None:
        ratio = f"{share.ratio:.1f}×"
    return first, moved, others, ratio


def share_text(share: FirstLaneShare, steps: int) -> str:
    """Return lane 0's share in words, for screen readers."""
    first, moved, others, _ = share_figures(share, steps)
    return tr(
        "{what}: {first} ({moved}) against {others}",
        what=share_name(share),
        first=first,
        moved=moved,
        others=others,
    )


def helper_text(lane: Lane, balance: LaneBalance) -> str:
    """Return a serving lane's name, and the share of the step in which it works: `copy 0.3 %`."""
    idle = balance.time.idle_ns / _total_ns(balance)
    return f"{helper_name(lane)} {percent_text(1 - idle)}"
