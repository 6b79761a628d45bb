"""Draws a moment of a film over the picture of a run.

The picture itself does not change while a film plays. The future is veiled, so that bars fill as
the now-line passes over them. The column of lane names shows what each lane is doing.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPen

from core.plan.task import ABSENT
from core.playback.film import Arrival, Film, LaneMoment, links_of_step
from gui.look.painter import saved
from gui.look.text import bytes_text, duration_text, tr
from gui.look.writing import CENTRE
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import AXIS, LABELS, Frame
from gui.timeline.paint.arrows import arrow_between, draw_arrow
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.gap_labels import StepLabels
from gui.timeline.paint.margins import INDENT, draw_headings, draw_labels, time_tag
from gui.timeline.state.lane_facts import LaneFacts
from gui.timeline.state.scene import Scene

VEIL = 190  # alpha of the plot's colour over the future
LINE = 2.0  # width of the now-line
FLASH_S = 0.45  # seconds that an arrow is shown after its tensor has arrived
MOST_ARROWS = 24
MOST_LINKED = 300_000  # spans; outside of steps, larger imported traces have no arrows
ROOM = LABELS - INDENT - 10  # pixels for the texts of a lane


@dataclass(frozen=True, slots=True)
class SceneFilm:
    """A film of a scene, with the texts for its waits; `step` is None for another time range."""

    scene: Scene
    film: Film
    step: int | None
    labels: StepLabels | None

    @classmethod
    def of_step(cls, scene: Scene, step: int) -> SceneFilm:
        """Return the film of a step. Raises KeyError for steps without spans."""
        return cls.between(scene, *scene.trace.step_bounds(step), step)

    @classmethod
    def between(cls, scene: Scene, start: int, end: int, step: int | None) -> SceneFilm:
        """Return the film from `start` to `end` ns. Raises ValueError if it is empty.

        It has the waits and arrivals of `step`. Without an explained step it has no waits, and
        arrivals only if the trace is imported.
        """
        if step is not None and scene.explained.at_hand(step):
            known = scene.explained.step(step)
            links = links_of_step(known.explanation.columns)
            film = Film(scene.trace, start, end, known.waits, links)
            return cls(scene, film, step, StepLabels(scene, step, known))
        is_small = scene.trace.imported is not None and scene.trace.span_count <= MOST_LINKED
        links_of_trace = scene.lane_links() if is_small else None
        return cls(scene, Film(scene.trace, start, end, links=links_of_trace), step, None)


def lane_texts(shown: SceneFilm, time: float, fonts: Fonts) -> list[LaneFacts]:
    """Return the texts for the lanes, with the activity of each compute lane at `time` (ns)."""
    facts = list(shown.scene.facts)
    # The end is excluded, because the next step's first tasks start at that time.
    for moment in shown.film.at(min(time, shown.film.end - 1)):
        held = "" if moment.held is None else bytes_text(moment.held)
        does = _activity(shown, moment, fonts)
        facts[moment.lane] = replace(facts[moment.lane], other_place="", idle=does, peak=held)
    return facts


def draw_moment(
    canvas: Canvas,
    shown: SceneFilm,
    time: float,
    speed: float,
    facts: Sequence[LaneFacts],
    axis: float = 0.0,
    indent: float = INDENT,
) -> None:
    """Draw a film at `time` (ns); it plays at `speed` times real time.

    `facts` are the `lane_texts` of that time. The time axis begins at the height `axis`, the lanes'
    names at the pixel `indent`.
    """
    painter = canvas.painter
    frame = canvas.frame
    draw_lane_texts(canvas, shown.scene, facts, indent)
    top = max(frame.ceiling, frame.top)
    bottom = min(frame.floor, frame.bottom)
    now = frame.x(time)
    x = min(max(now, frame.left), frame.right)
    body = frame.plot(top, bottom)
    with saved(painter):
        painter.setClipRect(body)
        veil = QColor(frame.theme.plot)
        veil.setAlpha(VEIL)
        ahead = QRectF(x, top, body.right() - x, body.height())
        painter.fillRect(ahead, veil)
        _draw_arrivals(canvas, shown, time, speed)
    if frame.left <= now <= frame.right:
        _draw_now(canvas, time, axis, bottom)


def draw_lane_texts(
    canvas: Canvas, scene: Scene, facts: Sequence[LaneFacts], indent: float
) -> None:
    """Draw the column of the lanes' names again, with `facts` in place of the scene's texts."""
    painter = canvas.painter
    frame = canvas.frame
    # `draw_labels` reads the texts from a scene, so it gets a shallow copy with other texts.
    playing = copy(scene)
    playing.facts = list(facts)
    with saved(painter):
        for part in frame.layers():
            top = max(part.ceiling, frame.top)
            bottom = min(part.floor, frame.bottom)
            # Keep the marks of pinned and chosen lanes, which are left of the names.
            column = QRectF(indent, top, frame.left - indent - 1, bottom - top)
            painter.setClipRect(column)
            canvas.fill(column, frame.theme.plot)
            part_canvas = canvas.with_frame(part)
            draw_labels(part_canvas, playing, indent)
            draw_headings(part_canvas, scene, indent)


def now_area(frame: Frame, fonts: Fonts, time: float) -> tuple[QRectF, QRectF]:
    """Return the areas of the now-line and of its tag; the axis is at the picture's top."""
    _, tag = time_tag(frame, fonts, time)
    top = AXIS - 4
    left = frame.x(time) - LINE
    line = QRectF(left, top, 2 * LINE, frame.floor - top)
    return line, tag


def lead_text(first: str, lead_ns: float) -> str:
    """Return the text for two runs when `first` has ended, `lead_ns` before the other."""
    return tr("{run} has ended: {time} ahead", run=first, time=duration_text(lead_ns))


def _activity(shown: SceneFilm, moment: LaneMoment, fonts: Fonts) -> str:
    """Return the longest text on a lane's activity that fits, or the shortest one if none does."""
    if moment.running != ABSENT:
        span = shown.scene.trace.span(moment.lane, moment.running)
        return tr("runs {task}", task=span.label)
    waits = shown.film.waits
    if moment.wait == ABSENT or shown.labels is None or waits is None:
        return tr("idle")
    texts = shown.labels.subjects(waits, moment.wait)
    for text in texts:
        if text_width(fonts.small, text) <= ROOM:
            return text
    return texts[-1]


def _draw_arrivals(canvas: Canvas, shown: SceneFilm, time: float, speed: float) -> None:
    """Draw an arrow for each tensor that has just arrived."""
    frame = canvas.frame
    since = time - FLASH_S * speed * 1e9
    halo = (frame.theme.plot, 5.0)
    line = (frame.theme.accent, 2.0)
    tracks = frame.layout.track_by_lane
    for arrival in shown.film.arrivals(since, time, MOST_ARROWS):
        if arrival.source_lane in tracks and arrival.lane in tracks:
            source, target = _bars(frame, arrival)
            arrow = arrow_between(source, target, held=True)
            draw_arrow(canvas.painter, arrow, halo, line)


def _bars(frame: Frame, arrival: Arrival) -> tuple[QRectF, QRectF]:
    """Return the bars of the sending and of the receiving task."""
    source = frame.layout.track_of(arrival.source_lane)
    target = frame.layout.track_of(arrival.lane)
    return (
        frame.rect(source, arrival.source_start, arrival.source_end),
        frame.rect(target, arrival.start, arrival.end),
    )


def _draw_now(canvas: Canvas, time: float, axis: float, bottom: float) -> None:
    painter = canvas.painter
    frame = canvas.frame
    x = round(frame.x(time))
    colour = QColor(frame.theme.accent)
    painter.setPen(QPen(colour, LINE))
    canvas.upright(x, axis + AXIS - 4, bottom)
    text, tag = time_tag(frame, canvas.fonts, time)
    tag.translate(0, axis)
    painter.fillRect(tag, colour)
    canvas.small(tag, text, CENTRE, canvas.theme.on_accent)
