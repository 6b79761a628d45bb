"""Where every lane stands: a pure layout in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.plan.task import Lane, Role

COMPUTE = (24.0, 80.0)  # least and most height of a compute lane
HELPER = 10.0
HELPER_GAP = 3.0
MEMORY = 16.0
BAND_GAP = 12.0
GROUP = 20.0
EDGE = 6.0


@dataclass(frozen=True, slots=True)
class Row:
    """A lane's row. `helper` marks copy and communication lanes, which are thinner."""

    lane: int
    top: float
    height: float
    helper: bool

    @property
    def bottom(self) -> float:
        """The first pixel below the row."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Group:
    """The heading of a device's lanes; `note` says what they share."""

    device: str
    note: str
    top: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """All rows from top to bottom. `memory` holds the top of each compute lane's memory line."""

    rows: tuple[Row, ...]
    groups: tuple[Group, ...]
    memory: dict[int, float]
    height: float

    def row_at(self, y: float) -> Row | None:
        """The row at a height, or None between rows."""
        return next((row for row in self.rows if row.top <= y < row.bottom), None)

    def row_of(self, lane: int) -> Row:
        """The row of a lane. Raises KeyError if it has none."""
        for row in self.rows:
            if row.lane == lane:
                return row
        raise KeyError(lane)


def lay_out(lanes: Sequence[Lane], available: float, memory: bool = False) -> Layout:
    """Stack the lanes by device, each helper under the lane that it serves.

    Compute lanes share what is left of `available` pixels within their limits; a layout that is
    higher than `available` has to be scrolled. With `memory`, room for a line under each.
    """
    compute = [lane for lane in lanes if lane.role is Role.COMPUTE]
    devices = list(dict.fromkeys(lane.device for lane in compute))
    height = _compute_height(lanes, compute, devices, available, memory)
    rows: list[Row] = []
    groups: list[Group] = []
    lines: dict[int, float] = {}
    y = EDGE
    for device in devices:
        group = [lane for lane in compute if lane.device == device]
        heading = _heading_height(device, group)
        groups.append(Group(device, group_note(group), y, heading))
        y += heading
        for lane in group:
            rows.append(Row(lane.index, y, height, False))
            y += height
            for helper in _helpers(lanes, lane):
                rows.append(Row(helper.index, y + HELPER_GAP, HELPER, True))
                y += HELPER_GAP + HELPER
            if memory:
                lines[lane.index] = y + HELPER_GAP
                y += HELPER_GAP + MEMORY
            y += BAND_GAP
    return Layout(tuple(rows), tuple(groups), lines, y - BAND_GAP + EDGE if rows else 0.0)


def group_note(group: Sequence[Lane]) -> str:
    """What the compute lanes of a device share, as their lanes say it."""
    return next((lane.sharing for lane in group if lane.sharing), "")


def _heading_height(device: str, group: Sequence[Lane]) -> float:
    """None where a device has one lane that bears its name and shares nothing."""
    plain = len(group) == 1 and group[0].name == device and not group[0].sharing
    return 0.0 if plain else GROUP


def _helpers(lanes: Sequence[Lane], lane: Lane) -> list[Lane]:
    return [
        other for other in lanes if other.role is not Role.COMPUTE and other.serves == lane.index
    ]


def _compute_height(
    lanes: Sequence[Lane],
    compute: Sequence[Lane],
    devices: Sequence[str],
    available: float,
    memory: bool,
) -> float:
    if not compute:
        return COMPUTE[1]
    helpers = (len(lanes) - len(compute)) * (HELPER + HELPER_GAP)
    lines = len(compute) * (MEMORY + HELPER_GAP) if memory else 0.0
    headings = sum(
        _heading_height(d, [lane for lane in compute if lane.device == d]) for d in devices
    )
    fixed = 2 * EDGE + headings + helpers + lines + (len(compute) - 1) * BAND_GAP
    least, most = COMPUTE
    return float(int(min(most, max(least, (available - fixed) / len(compute)))))
