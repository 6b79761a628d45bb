"""The state of a painter: pen, brush, clip and transformation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPainter


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Restore the painter's state at the end, also after Ctrl+C, or Qt would print a warning."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()
