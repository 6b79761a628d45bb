"""Drawing of figures by commands; Qt is imported only when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bubblescope.api.interrupts import holding_interrupts
from core.trace.trace import Trace
from gui.app.figure_options import FigureOptions


@contextmanager
def loading_qt() -> Iterator[None]:
    """Delay interrupts while Qt is imported: its modules abort if they are interrupted."""
    with holding_interrupts():
        import PySide6.QtSvg  # noqa: F401 - otherwise loaded later, with the first drawing

        yield


def draw(traces: Sequence[Trace], path: Path, options: FigureOptions) -> None:
    """Draw timelines to a file. Raises ValueError, in one line, if they cannot be drawn."""
    with loading_qt():
        from gui.figures.make import write_figure

    write_figure(traces, path, options)
