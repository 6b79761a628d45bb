"""The line of totals of a run in a figure: its bubble, the formula's, and its peak memory."""

from __future__ import annotations

import math

from core.report.run_figures import RunFigures, run_figures
from gui.figures.shown import Range
from gui.look.text import bytes_text, ntr, percent_text, tr
from gui.timeline.state.scene import Scene

MOST_STEPS = 64  # for means; each step has to be explained to know its bubble


def totals_text(scene: Scene, shown: Range) -> str:
    """Return the figures of the shown steps: `Bubble 28.2 %, formula 27.3 %, peak memory 28 MB`.

    They are means if several steps are shown. "" without a whole step, for too many steps, and for
    steps that are too large to be explained.
    """
    explained = scene.explained
    steps = shown.steps
    if not steps or len(steps) > MOST_STEPS:
        return ""
    if any(map(explained.problem, steps)):
        return ""
    figures = [explained.figures(step) for step in steps]
    means = run_figures(scene.trace, steps, figures)
    words = ", ".join(_parts(means))
    if words and len(steps) > 1:
        count = len(steps)
        return ntr("Mean of {n} step: {words}", "Mean of {n} steps: {words}", count, words=words)
    return words[:1].upper() + words[1:]


def _parts(figures: RunFigures) -> list[str]:
    parts = []
    if not math.isnan(figures.bubble_by_makespan):
        parts.append(tr("bubble {share}", share=percent_text(figures.bubble_by_makespan)))
    if figures.closed_form is not None:
        parts.append(tr("formula {share}", share=percent_text(figures.closed_form)))
    if figures.peak_bytes is not None:
        parts.append(tr("peak memory {size}", size=bytes_text(figures.peak_bytes)))
    return parts
