"""Figures of one run, or of several runs on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path

from core.trace.source import Source
from core.trace.trace import Trace
from gui.app.figure_options import FigureOptions
from gui.app.titles import run_title, shared_title
from gui.figures.painting import draw_textbook
from gui.figures.parts import FigureRun
from gui.figures.picture import Picture, write_drawn
from gui.figures.shown import Range, default_range, excerpt_range, median_range
from gui.figures.style import PER_INCH
from gui.figures.textbook import lay_out_textbook
from gui.figures.timeline import SHOWN, Extras, timeline_picture
from gui.look.core_texts import translated
from gui.look.text import join_clauses, tr
from gui.timeline.state.colour_choices import ColourBy, colouring_of
from gui.timeline.state.scene import Scene


def figure_of(
    runs: Sequence[Trace | Scene],
    options: FigureOptions,
    extras: Extras = SHOWN,
    shown: Sequence[Range] = (),
) -> Picture:
    """Return a figure of at least one run; several runs are stacked on one axis.

    All runs begin at the same place and have the same scale, so that lengths can be compared;
    headings distinguish them. `shown` is the range of each run (default: the options' excerpt, else
    the median step of a figure with a preset, and the last steps of one without). Several runs need
    a preset. A single run without a preset is drawn like the window's timeline, with `extras`;
    other figures use only the colours of `extras`. Needs a QGuiApplication, which
    `gui.figures.picture.application` creates. Raises a one-line ValueError for options that cannot
    be drawn or do not suit a run.
    """
    options.check()
    scenes = [run if isinstance(run, Scene) else _scene_of(run) for run in runs]
    if options.preset is None and len(scenes) > 1:
        raise ValueError("several runs are drawn as a figure: add --figure one-column")
    times = list(shown) or [_shown(scene.trace, options) for scene in scenes]
    if options.preset is None:
        # A copy, because the picture changes the scene's labels of lanes.
        return timeline_picture(copy(scenes[0]), times[0], options, extras)
    traces = [scene.trace for scene in scenes]
    if len(traces) > 1:
        title, headings = shared_title(traces)
    else:
        title = run_title(traces[0])
        headings = [""]
    chosen = []
    for scene, time, heading in zip(scenes, times, headings, strict=True):
        chosen.append(FigureRun(scene, time, heading))
    caption = caption_of(chosen) if options.caption is None else options.caption
    shown_title = title if options.title is None else options.title
    figure = lay_out_textbook(chosen, options, shown_title, caption, extras.colours)
    return Picture(
        shown_title or title,
        figure.style.width,
        figure.height,
        PER_INCH,
        lambda painter: draw_textbook(painter, figure),
        figure.style.scale,
    )


def write_figure(runs: Sequence[Trace], path: Path, options: FigureOptions) -> None:
    """Write `figure_of` the runs as PNG, SVG or PDF. Needs no display.

    Raises a one-line ValueError if it cannot be drawn or written.
    """
    write_drawn(lambda: figure_of(runs, options), path)


def caption_of(runs: Sequence[FigureRun]) -> str:
    """Return sentences on the range of each run, whether it was measured, and notes on timing."""
    sentences = _origin_sentences(runs)
    notes = [translated(run.scene.trace.header.timing_note) for run in runs]
    for note in dict.fromkeys(notes):
        if note:
            capital = note[:1].upper()
            sentences.append(f"{capital}{note[1:]}.")
    if any(run.scene.counters for run in runs):
        sentences.append(tr("Counters are not shown."))
    return " ".join(sentences)


def _scene_of(trace: Trace) -> Scene:
    """Return a trace's scene for a figure: coloured by kind, or by name if it has no kinds."""
    scene = Scene(trace)
    scene.colouring = colouring_of(ColourBy.KIND, trace)
    return scene


def _origin_sentences(runs: Sequence[FigureRun]) -> list[str]:
    """Return a sentence on the ranges of the measured runs, and one on the predicted runs."""
    ranges = {(_is_predicted(run), run.shown.text) for run in runs}
    is_same_range = len(ranges) == 1
    sentences = []
    for predicted in (False, True):
        headings: dict[str, list[str]] = {}
        for run in runs:
            if _is_predicted(run) is predicted:
                headings.setdefault(run.shown.text, []).append(run.heading)
        parts = []
        for text, names in headings.items():
            if is_same_range:
                parts.append(text)
            else:
                listed = ", ".join(names)
                parts.append(f"{text} ({listed})")
        if not parts:
            continue
        part = join_clauses(parts)
        if predicted:
            sentence = tr("Predicted: {part}", part=part)
        else:
            sentence = tr("Measured: {part}", part=part)
        sentences.append(f"{sentence}.")
    return sentences


def _is_predicted(run: FigureRun) -> bool:
    return run.scene.trace.header.source is Source.PREDICTED


def _shown(trace: Trace, options: FigureOptions) -> Range:
    chosen = excerpt_range(trace, options.excerpt)
    if chosen is not None:
        return chosen
    if options.preset is None:
        return default_range(trace)
    return median_range(trace)
