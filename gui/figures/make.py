"""A figure of one run, or of several on one axis, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path

from core.trace.source import Source
from core.trace.trace import Trace
from gui.app.figure_options import FigureOptions
from gui.app.titles import run_title, shared_title
from gui.figures.painting import draw_textbook
from gui.figures.picture import Picture, write_drawn
from gui.figures.shown import Range, default_range, excerpt_range, median_range
from gui.figures.style import PER_INCH
from gui.figures.textbook import Run, lay_out_textbook
from gui.figures.timeline import SHOWN, Extras, timeline_picture
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.timeline.state.colour_choices import ColourBy, colouring_of
from gui.timeline.state.scene import Scene


def figure_of(
    runs: Sequence[Trace | Scene],
    options: FigureOptions,
    extras: Extras = SHOWN,
    shown: Sequence[Range] = (),
) -> Picture:
    """A figure of at least one run; several stand under one another on one axis.

    All begin at the same place and have the same scale, so that lengths can be compared. Their
    headings are what tells them apart, and `shown` is which time of each is shown (default: the
    options' excerpt, else the measured step of median makespan). Several runs need a
    preset; without one a single run's timeline is drawn as the window shows it, with `extras`, of
    which other figures take the colours alone. There must be a QGuiApplication:
    `gui.figures.picture.application` gives one. Raises ValueError in one line for options that
    cannot be drawn or do not suit a run.
    """
    options.check()
    scenes = [run if isinstance(run, Scene) else _scene_of(run) for run in runs]
    if options.preset is None and len(scenes) > 1:
        raise ValueError("several runs are drawn as a figure: add --figure one-column")
    times = list(shown) or [_shown(scene.trace, options) for scene in scenes]
    if options.preset is None:
        # A copy, because the words beside the lanes are worked out anew for what is shown.
        return timeline_picture(copy(scenes[0]), times[0], options, extras)
    traces = [scene.trace for scene in scenes]
    title, headings = shared_title(traces) if len(traces) > 1 else (run_title(traces[0]), [""])
    chosen = [Run(*parts) for parts in zip(scenes, times, headings, strict=True)]
    caption = caption_of(chosen) if options.caption is None else options.caption
    shown_title = title if options.title is None else options.title
    figure = lay_out_textbook(chosen, options, shown_title, caption, extras.colours)
    return Picture(
        shown_title or title, figure.style.width, figure.height, PER_INCH,
        lambda painter: draw_textbook(painter, figure), figure.style.scale,
    )  # fmt: skip


def write_figure(runs: Sequence[Trace], path: Path, options: FigureOptions) -> None:
    """Write `figure_of` the runs as PNG, SVG or PDF. Needs no display.

    Raises ValueError, in one line, for what cannot be drawn or written.
    """
    write_drawn(lambda: figure_of(runs, options), path)


def caption_of(runs: Sequence[Run]) -> str:
    """Which time of each run is shown, whether it was measured, and what must be said of it."""
    texts = [_what(run) for run in runs]
    # Said once where it holds for all runs.
    if len(set(texts)) > 1:
        texts = [f"{run.heading}: {text}" for run, text in zip(runs, texts, strict=True)]
    notes = filter(None, (translated(run.scene.trace.header.timing_note) for run in runs))
    sentences = [f"{text}." for text in dict.fromkeys(texts)]
    sentences += [f"{note[:1].upper()}{note[1:]}." for note in dict.fromkeys(notes)]
    if any(run.scene.counters for run in runs):
        sentences.append(tr("Counters are not shown."))
    return " ".join(sentences)


def _scene_of(trace: Trace) -> Scene:
    """A trace as it is drawn outside of a window: coloured by kind, or by name without kinds."""
    scene = Scene(trace)
    scene.colouring = colouring_of(ColourBy.KIND, trace)
    return scene


def _what(run: Run) -> str:
    is_predicted = run.scene.trace.header.source is Source.PREDICTED
    words = tr("Predicted: {part}") if is_predicted else tr("Measured: {part}")
    return words.format(part=run.shown.text)


def _shown(trace: Trace, options: FigureOptions) -> Range:
    chosen = excerpt_range(trace, options.excerpt)
    if chosen is not None:
        return chosen
    return default_range(trace) if options.preset is None else median_range(trace)
