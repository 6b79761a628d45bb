"""The legend of a figure: the families of tasks that occur, and idle time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.plan.plan import Lane, Role
from gui.figures.parts import FigureRun, KeyEntry, LaneBoxes
from gui.figures.style import Style
from gui.look.families import FAMILIES, family_of, family_texts
from gui.look.text import tr
from gui.look.writing import in_lines

SWATCH = 1.7  # em, width of a legend's box
SPACE = 1.1  # em between two entries of the legend


def legend_lines(
    runs: Sequence[FigureRun],
    lanes: Sequence[Sequence[Lane]],
    boxes: Sequence[Sequence[LaneBoxes]],
    style: Style,
    room: float,
) -> list[list[KeyEntry]]:
    """Return the legend's entries in lines that are at most `room` units wide."""
    entries = _entries(runs, lanes, boxes, style)
    widths = [(entry, entry_width(entry, style)) for entry in entries]
    return in_lines(widths, SPACE * style.em, room)


def entry_width(entry: KeyEntry, style: Style) -> float:
    """Return the width of an entry of the legend, without the space after it."""
    return (SWATCH + 0.4) * style.em + style.small.width(entry.text)


def _entries(
    runs: Sequence[FigureRun],
    lanes: Sequence[Sequence[Lane]],
    boxes: Sequence[Sequence[LaneBoxes]],
    style: Style,
) -> list[KeyEntry]:
    """Return the legend's entries: the families that occur, with their letters, and idle time."""
    codes: set[int] = set()
    for of_run in boxes:
        for of_lane in of_run:
            codes.update(np.unique(of_lane.family).tolist())
    seen = {FAMILIES[code] for code in codes}
    kinds = []
    for run in runs:
        kinds += [kind for kind in run.scene.kinds if family_of(kind) in seen]
    entries = []
    for family, text in family_texts(kinds).items():
        looks = style.looks.families[FAMILIES.index(family)]
        entries.append(KeyEntry(looks, text))
    roles = {lane.role for of_run in lanes for lane in of_run}
    if Role.COMPUTE in roles and any(map(_has_step, runs)):
        entries.append(KeyEntry((style.looks.idle,), tr("idle")))
    return entries


def _has_step(run: FigureRun) -> bool:
    """Return True if a part of a step is shown, so that there is idle time."""
    scene = run.scene
    shown = run.shown
    visible = (scene.step_ends > shown.start) & (scene.step_starts < shown.end)
    return bool(visible.any())
