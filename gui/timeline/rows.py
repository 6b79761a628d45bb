"""Where every lane stands: a pure layout in pixels."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.plan.task import Lane, Role

COMPUTE = (20.0, 80.0)  # least and most height of a compute lane that the layout chooses
BY_HAND = (14.0, 160.0)  # and that the user may choose
TIGHT = 34.0  # lower lanes stand closer together
GROUP = 20.0
EDGE = 6.0


@dataclass(frozen=True, slots=True)
class Strips:
    """What is shown beside the spans: memory line and ghost under a lane, the path over all."""

    memory: bool = False
    ghosts: bool = False
    path: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A lane's row or strip. `helper` marks copy and communication lanes, which are thinner."""

    lane: int
    top: float
    height: float
    helper: bool = False

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
    """All rows from top to bottom; `ghosts` and `memory` are the strips under compute lanes.

    `rooms` tells for each compute lane how high it is with all that stands under it; `compute` is
    its own height, `height` that of everything.
    """

    rows: tuple[Row, ...] = ()
    groups: tuple[Group, ...] = ()
    ghosts: tuple[Row, ...] = ()
    memory: tuple[Row, ...] = ()
    rooms: Mapping[int, float] = field(default_factory=dict)
    compute: float = 0.0
    height: float = 0.0

    def row_at(self, y: float) -> Row | None:
        """The row at a height, or None between rows."""
        return at_height(self.rows, y)

    def row_of(self, lane: int) -> Row:
        """The row of a lane. Raises KeyError if it has none."""
        for row in self.rows:
            if row.lane == lane:
                return row
        raise KeyError(lane)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The heights of what belongs to a compute lane, and the space between."""

    compute: float
    ghost: float
    helper: float
    memory: float
    gap: float
    band: float

    @classmethod
    def of(cls, compute: float) -> Sizes:
        """Strips grow and shrink with their lane, within what can be read."""
        tight = compute < TIGHT
        return cls(
            compute,
            ghost=_within(0.16 * compute, 6, 10),
            helper=8 if tight else 10,
            memory=_within(0.45 * compute, 12, 36),
            gap=2 if tight else 3,
            band=6 if tight else 12,
        )


def at_height(rows: Iterable[Row], y: float) -> Row | None:
    """The row or strip at a height, or None."""
    return next((row for row in rows if row.top <= y < row.bottom), None)


def lay_out(
    lanes: Sequence[Lane],
    available: float,
    strips: Strips = Strips(),
    compute: float | None = None,
) -> Layout:
    """Stack the lanes by device; under each its ghost, its helpers and its memory line.

    Compute lanes are as high as fits into `available` pixels within their limits, or as `compute`
    says; a layout that is higher than `available` has to be scrolled.
    """
    if compute is None:
        heights = range(int(COMPUTE[0]), int(COMPUTE[1]) + 1)
        fitting = bisect_right(
            heights, available, key=lambda h: _stacked(lanes, Sizes.of(h), strips).height
        )
        compute = heights[max(0, fitting - 1)]
    return _stacked(lanes, Sizes.of(compute), strips)


def group_note(group: Sequence[Lane]) -> str:
    """What the compute lanes of a device share, as their lanes say it."""
    return next((lane.sharing for lane in group if lane.sharing), "")


def _within(value: float, least: float, most: float) -> float:
    return float(round(min(most, max(least, value))))


def _stacked(lanes: Sequence[Lane], sizes: Sizes, strips: Strips) -> Layout:
    devices: dict[str, list[Lane]] = {}
    helpers: dict[int, list[Lane]] = defaultdict(list)
    for lane in lanes:
        if lane.role is Role.COMPUTE:
            devices.setdefault(lane.device, []).append(lane)
        else:
            helpers[lane.serves].append(lane)
    pile = _Pile(sizes)
    for device, group in devices.items():
        pile.add_heading(device, group)
        for lane in group:
            pile.add_lane(lane, helpers[lane.index], strips)
    return pile.layout()


class _Pile:
    """Rows that are put under one another."""

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._y = EDGE
        self._rows: list[Row] = []
        self._groups: list[Group] = []
        self._ghosts: list[Row] = []
        self._memory: list[Row] = []
        self._rooms: dict[int, float] = {}

    def add_heading(self, device: str, group: list[Lane]) -> None:
        """A heading, of no height where a device has one lane of its name and shares nothing."""
        plain = len(group) == 1 and group[0].name == device and not group[0].sharing
        self._groups.append(Group(device, group_note(group), self._y, 0.0 if plain else GROUP))
        self._y += self._groups[-1].height

    def add_lane(self, lane: Lane, helpers: list[Lane], strips: Strips) -> None:
        """A compute lane and what stands under it."""
        sizes, top = self._sizes, self._y
        self._rows.append(Row(lane.index, top, sizes.compute))
        self._y += sizes.compute
        if strips.ghosts:
            self._ghosts.append(self._strip(lane.index, sizes.ghost))
        self._rows += [self._strip(helper.index, sizes.helper, True) for helper in helpers]
        if strips.memory:
            self._memory.append(self._strip(lane.index, sizes.memory))
        self._rooms[lane.index] = self._y - top
        self._y += sizes.band

    def layout(self) -> Layout:
        """All that was added."""
        height = self._y - self._sizes.band + EDGE if self._rows else 0.0
        return Layout(
            tuple(self._rows), tuple(self._groups), tuple(self._ghosts), tuple(self._memory),
            self._rooms, self._sizes.compute, height,
        )  # fmt: skip

    def _strip(self, lane: int, height: float, helper: bool = False) -> Row:
        row = Row(lane, self._y + self._sizes.gap, height, helper)
        self._y = row.bottom
        return row
