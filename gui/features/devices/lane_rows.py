"""Heights of the lanes' rows in the Batch split and Memory panels, and the rows on screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRectF

from core.plan.plan import Lane

ROW = 27.0
LOW_ROW = 18.0
FEW = 5  # lanes; more have low rows, so that eight are visible without scrolling
BELOW_CELL = 4.0  # free pixels between two lanes


def row_height(lanes: int) -> float:
    """Return the height of a lane's row in pixels, with the free pixels below it."""
    return ROW if lanes <= FEW else LOW_ROW


def rows_seen(
    lanes: Sequence[Lane], top: float, seen: QRectF
) -> Iterator[tuple[Lane, float, float]]:
    """Yield each lane whose row is visible, with its upper edge and the height of its cell.

    `top` is the upper edge of the first row. Other lanes are skipped: there may be a thousand.
    """
    row = row_height(len(lanes))
    first = max(0, int((seen.top() - top) // row))
    last = int((seen.bottom() - top) // row)
    for number in range(first, min(last + 1, len(lanes))):
        yield lanes[number], top + row * number, row - BELOW_CELL
