"""Write timelines to image files as the window shows them."""

from __future__ import annotations

from pathlib import Path

from core.trace.trace import Trace
from gui.app.figure_options import MM_PER_INCH, FigureOptions
from gui.figures.make import figure_of
from gui.figures.picture import SCREEN, write_picture
from gui.figures.shown import range_between
from gui.figures.timeline import Extras
from gui.timeline.state.scene import Scene


def export_image(
    trace: Trace,
    path: Path,
    *,
    theme: str = "light",
    width: float = 1600.0,
    between: tuple[int, int] | None = None,
    memory: bool = True,
    prediction: Trace | None = None,
) -> None:
    """Write the last measured steps, or the time `between` two moments in ns."""
    scene = Scene(trace)
    scene.set_prediction(prediction)
    shown = [] if between is None else [range_between(trace, *between)]
    options = FigureOptions(theme=theme, width_mm=width * MM_PER_INCH / SCREEN)
    write_picture(figure_of([scene], options, extras=Extras(memory), shown=shown), path)
