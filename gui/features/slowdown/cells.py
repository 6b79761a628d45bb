"""Cells of the slowdown matrix: each has the saving of a part of the job, and a sentence on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.message import N_
from core.plan.task import Kind
from core.report.mesh import Axis, MeshWorker
from core.report.slowdown import PeerGroup, Saving, Slowdown
from core.trace.query import GROUPS
from gui.look.text import MINUS, NONE, duration_text, percent_text, tr
from gui.timeline.interact.describe import kind_title

LEAST_SHARE = 0.0005
"""Smaller shares are shown as 0."""
WORDS = {
    "communication": N_("Communication"),
    "host": N_("Code between tasks"),
    "between steps": N_("Time between steps"),
}
"""Names of kinds of work that are not kinds of tasks."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the chart: its place, a saving, and the lanes of its part; kinds have no lanes.

    If several workers are at the place, the saving is the largest of theirs.
    """

    row: int
    column: int
    saving: Saving
    lanes: tuple[int, ...] = ()

    @property
    def query(self) -> str:
        """Query that finds the spans of a kind of work; "" for other cells and without spans."""
        name = self.saving.name
        if self.saving.part is not PeerGroup.KIND:
            return ""
        return f"kind:{name}" if name in {*Kind, *GROUPS} else ""


def matrix_cells(found: Slowdown) -> list[Cell]:
    """Return the cells of the workers, and of whole rows and columns at the margins.

    A margin that would only repeat a single row or column is left out.
    """
    rows = len(found.of_rows)
    columns = len(found.of_columns)
    workers: dict[tuple[int, int], list[tuple[MeshWorker, Saving]]] = {}
    for worker, saving in zip(found.workers, found.of_workers, strict=True):
        at = (worker.place[found.rows], worker.place[found.columns])
        workers.setdefault(at, []).append((worker, saving))
    cells: list[Cell] = []
    for (row, column), members in workers.items():
        savings = [saving for _, saving in members]
        largest = max(savings, key=lambda saving: saving.share)
        lanes = tuple(worker.lane for worker, _ in members)
        cells.append(Cell(row, column, largest, lanes))
    if columns > 1:
        for row, saving in enumerate(found.of_rows):
            lanes = _lanes_at(found, found.rows, row)
            cells.append(Cell(row, columns, saving, lanes))
    if rows > 1:
        for column, saving in enumerate(found.of_columns):
            lanes = _lanes_at(found, found.columns, column)
            cells.append(Cell(rows, column, saving, lanes))
    return cells


def kind_cells(found: Slowdown) -> list[Cell]:
    """Return the cells of the kinds of work below the matrix, the largest saving first."""
    below = len(found.of_rows) + 1
    kinds = sorted(found.of_kinds, key=lambda saving: saving.share, reverse=True)
    return [Cell(below + place, 0, saving) for place, saving in enumerate(kinds)]


def next_cell(cells: Sequence[Cell], cell: Cell, right: int, down: int) -> Cell:
    """Return the cell that an arrow key moves to, or the same one at the edge."""

    def distance(other: Cell) -> tuple[int, int]:
        across = abs(other.column - cell.column)
        along = abs(other.row - cell.row)
        return (across, along) if right else (along, across)

    ahead: list[Cell] = []
    for other in cells:
        across = other.column - cell.column
        along = other.row - cell.row
        is_right = right * across > 0 and along == 0
        is_below = down * along > 0
        if is_right or is_below:
            ahead.append(other)
    return min(ahead, key=distance, default=cell)


def share_text(share: float) -> str:
    """Return a share in per cent without the sign: `8.2`, `0`, `−1.3`."""
    if abs(share) < LEAST_SHARE:
        return "0"
    return f"{100 * share:.1f}".replace("-", MINUS)


def saving_name(saving: Saving) -> str:
    """Return the name of a part: a lane, `DP 3`, or a kind of work."""
    if saving.part is not PeerGroup.KIND:
        return saving.name
    if saving.name in WORDS:
        return tr(WORDS[saving.name])
    return kind_title(Kind(saving.name))


def cell_sentence(cell: Cell) -> str:
    """Return a sentence: how much shorter a step would be if this part were like its peers."""
    saving = cell.saving
    values = {
        "name": saving_name(saving),
        "time": duration_text(abs(saving.saved_ns)),
        "share": percent_text(abs(saving.share)),
    }
    if abs(saving.share) < LEAST_SHARE:
        if saving.part is PeerGroup.KIND:
            return tr(
                "{name}: with equal durations everywhere, a step would take the same time.",
                **values,
            )
        return tr("If {name} were like its peers, a step would take the same time.", **values)
    if saving.part is PeerGroup.KIND:
        if saving.share < 0:
            return tr(
                "{name}: with equal durations everywhere, a step would be {time} longer, {share}.",
                **values,
            )
        return tr(
            "{name}: with equal durations everywhere, a step would be {time} shorter, {share}.",
            **values,
        )
    if saving.share < 0:
        return tr(
            "If {name} were like its peers, a step would be {time} longer, {share}.", **values
        )
    return tr("If {name} were like its peers, a step would be {time} shorter, {share}.", **values)


def lanes_line(cell: Cell, names: Sequence[str]) -> str:
    """Return a line with the lanes of a cell, the first of them by name; "" for kinds of work."""
    most = 4
    listed = ", ".join(names[:most])
    if len(names) > most:
        return tr("{names} and {n} more", names=listed, n=len(names) - most)
    return listed or (NONE if cell.lanes else "")


def axis_pairs(found: Slowdown) -> list[tuple[Axis, Axis]]:
    """Return the pairs of axes to choose from.

    The shown pair is first, in both orders, then all pairs of axes with several places.
    """
    pairs = [(found.rows, found.columns), (found.columns, found.rows)]
    long = [axis for axis in Axis if len(found.of_places[axis]) > 1]
    for first in long:
        for second in long:
            if first is not second and (first, second) not in pairs:
                pairs.append((first, second))
    return pairs


def _lanes_at(found: Slowdown, axis: Axis, place: int) -> tuple[int, ...]:
    """Return the lanes of the workers at a place of an axis."""
    return tuple(worker.lane for worker in found.workers if worker.place[axis] == place)
