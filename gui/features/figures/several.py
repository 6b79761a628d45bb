"""Figures of several runs: of the two that are compared, or of any others below the run shown."""

from __future__ import annotations

from dataclasses import replace

from core.trace.trace import Trace
from gui.features.compare.comparing import Comparing
from gui.features.compare.picture import picture_of
from gui.features.figures.wish import Wish
from gui.figures.make import figure_of
from gui.figures.picture import Picture
from gui.figures.shown import Range, range_between, step_range
from gui.figures.timeline import Extras
from gui.look.text import tr
from gui.timeline.state.scene import Scene


def draw_several(scene: Scene, wish: Wish, extras: Extras, comparing: Comparing | None) -> Picture:
    """Return a figure of the run shown and of the wish's other runs, on one axis.

    `comparing` is the comparison under way, if any. If it is with the only other run, the figure
    shows the steps that are compared. Raises ValueError for a wish that cannot be drawn.
    """
    traces = [other.trace for other in wish.others]
    if wish.options.preset is None:
        return _as_shown(wish, _matching(comparing, traces))
    shown = several_ranges(scene, wish, comparing)
    return figure_of([scene, *traces], wish.options, extras=extras, shown=shown)


def several_ranges(scene: Scene, wish: Wish, comparing: Comparing | None) -> list[Range]:
    """Return the time range of each run of a wish; [] leaves the choice to its options.

    `comparing` is the comparison under way, if any. Raises ValueError if the wish asks for the
    visible time, but its runs are not being compared.
    """
    traces = [other.trace for other in wish.others]
    with_these = _matching(comparing, traces)
    if wish.visible:
        return _visible(scene, traces, with_these)
    excerpt = wish.options.excerpt
    if with_these is None or excerpt.range or excerpt.steps:
        return []
    return _compared_steps(scene, traces, with_these)


def _matching(comparing: Comparing | None, traces: list[Trace]) -> Comparing | None:
    """Return the comparison if it is with the only one of `traces`."""
    other = None if comparing is None else comparing.other
    if other is None or len(traces) != 1:
        return None
    only = traces[0]
    return comparing if only is other.trace else None


def _as_shown(wish: Wish, comparing: Comparing | None) -> Picture:
    """Return the picture of a comparison with the window's lanes."""
    seen = None if comparing is None else comparing.seen()
    if seen is None:
        raise ValueError(tr("Choose a slide, one or two columns, or a web page for several runs."))
    both, *_ = seen
    if not wish.visible:
        both = replace(both, part=None)
    return picture_of(both, wish.options.theme)


def _visible(scene: Scene, traces: list[Trace], comparing: Comparing | None) -> list[Range]:
    """Return the time of each run that is visible in a comparison."""
    seen = None if comparing is None else comparing.seen()
    both = None if seen is None else seen[0]
    if both is None or both.part is None:
        raise ValueError(tr("Only compared runs have a shared visible time: choose another time."))
    start, end = both.part
    start_b = both.alignment.to_b(start)
    end_b = both.alignment.to_b(end)
    return [
        range_between(scene.trace, round(start), round(end)),
        range_between(traces[0], round(start_b), round(end_b)),
    ]


def _compared_steps(scene: Scene, traces: list[Trace], comparing: Comparing) -> list[Range]:
    """Return the range of each run's compared step; [] while no steps are compared."""
    two = comparing.two
    if two is None:
        return []
    return [step_range(scene.trace, two.step_a), step_range(traces[0], two.step_b)]
