"""Animations of one run, or of two below each other on one clock, as GIF or WebP."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.files import whole_file
from core.message import error_message
from core.playback.film import frame_times, lead_at
from core.trace.excerpt import resolve_lanes
from core.trace.trace import Trace
from gui.app.animation_options import AnimationOptions
from gui.app.figure_options import MM_PER_INCH, FigureOptions
from gui.app.titles import shared_title
from gui.figures.encoding import PER_SECOND, encode
from gui.figures.picture import SCREEN, Picture
from gui.figures.shown import Range, excerpt_range, median_range
from gui.figures.timeline import (
    EDGE,
    MOST_HEIGHT,
    Extras,
    Timeline,
    draw_timeline,
    lay_out_timeline,
    picture_fonts,
)
from gui.look.painter import fill, saved
from gui.look.text import tr
from gui.look.writing import CENTRE, write
from gui.timeline.layout.frame import AXIS, STEPS
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.playback import SceneFilm, draw_moment, lane_texts, lead_text
from gui.timeline.state.colour_choices import ColourBy, colouring_of
from gui.timeline.state.scene import Scene

SUFFIXES = (".gif", ".webp")
WIDTH_PX = 900.0
LANE_PX = 46.0  # height of a compute lane
RESULT = 30.0  # height of the line below two runs
MOST_BYTES = 1_000_000_000  # of all frames in memory
DRAWN = 0.5  # share of the progress for drawing; the rest is for encoding
PLAIN = Extras(memory=False, counters=False)
"""Only the lanes: the texts next to their names say how much memory they hold."""


@dataclass(frozen=True, slots=True)
class RunPart:
    """One run of an animation: its timeline, drawn `top` pixels below the animation's top."""

    timeline: Timeline
    film: SceneFilm
    title: str
    top: float


class Animation:
    """The frames of one or two runs, with `scale` pixels per 1/96 inch."""

    def __init__(
        self,
        runs: Sequence[Scene],
        options: AnimationOptions,
        shown: Sequence[Range],
        extras: Extras,
    ) -> None:
        """Lay out the runs, each with its time range in `shown`.

        Raises a one-line ValueError for unsuitable options, and for frames that need more memory
        than MOST_BYTES.
        """
        options.check()
        lengths = [time.end - time.start for time in shown]
        self.length = float(max(lengths))
        self._lengths = lengths
        self.seconds = options.seconds_of(self.length)
        self.times = frame_times(self.length, self.seconds, PER_SECOND)
        self.parts = list(_parts(runs, options.figure, shown, extras))
        last = self.parts[-1]
        self.width = last.timeline.width
        self.height = last.top + last.timeline.height
        if len(self.parts) > 1:
            self.height += RESULT
        self.scale = options.figure.scale or 1.0
        if self.nbytes > MOST_BYTES:
            raise ValueError(
                tr("the animation is too large: use fewer --seconds or a smaller --scale")
            )
        self._still = self._blank()
        with QPainter(self._still) as painter:
            self._draw_still(painter)

    @property
    def nbytes(self) -> int:
        """The size of all frames in bytes, uncompressed and in full colour."""
        wide, high = self.pixels
        return 4 * wide * high * len(self.times)

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of a frame."""
        width = round(self.width * self.scale)
        height = round(self.height * self.scale)
        return max(1, width), max(1, height)

    def frame(self, time: float) -> QImage:
        """Return the frame at a time in ns since the start of the runs."""
        image = self._still.copy()
        image.setDevicePixelRatio(self.scale)
        fonts = picture_fonts()
        speed = self.length / (self.seconds * 1e9)
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
            for part in self.parts:
                film = part.film
                timeline = part.timeline
                moment = min(film.film.start + time, float(film.film.end))
                facts = lane_texts(film, moment, fonts)
                axis = _axis_top(timeline)
                with saved(painter):
                    painter.translate(0, part.top)
                    canvas = Canvas.on(painter, timeline.frame, fonts)
                    draw_moment(canvas, film, moment, speed, facts, axis, EDGE)
            self._write_result(painter, time)
        return image

    def _blank(self) -> QImage:
        image = QImage(*self.pixels, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(self.scale)
        image.fill(QColor(self.parts[0].timeline.frame.theme.plot))
        return image

    def _draw_still(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        for part in self.parts:
            frame = part.timeline.frame
            with saved(painter):
                painter.translate(0, part.top)
                draw_timeline(painter, part.timeline)
                # The plot of the run that ends first continues after its end. Cover the next step,
                # which is drawn there.
                left = frame.x(part.film.film.end) + 1
                top = _axis_top(part.timeline) + AXIS
                width = frame.right + 3 - left
                rest = QRectF(left, top, width, frame.bottom - top)
                fill(painter, rest, frame.theme.plot)

    def _write_result(self, painter: QPainter, time: float) -> None:
        """Write below two runs which of them has ended first, and by how much."""
        lead = lead_at(self._lengths, time) if len(self.parts) > 1 else 0.0
        if not lead:
            return
        first, second = self.parts
        first_length, second_length = self._lengths
        winner = first if first_length < second_length else second
        text = lead_text(winner.title, lead)
        colour = winner.timeline.frame.theme.text
        top = self.height - RESULT - EDGE / 2
        place = QRectF(0, top, self.width, RESULT)
        write(painter, picture_fonts().bold, colour, place, text, CENTRE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnimationPicture(Picture):
    """A frame of an `animation`, as a picture."""

    animation: Animation


def animation_picture(animation: Animation, title: str) -> AnimationPicture:
    """Return the frame in the middle of an animation."""

    def draw(painter: QPainter) -> None:
        painter.drawImage(QPointF(0, 0), animation.frame(animation.length / 2))

    return AnimationPicture(
        title,
        animation.width,
        animation.height,
        SCREEN,
        draw,
        animation.scale,
        animation=animation,
    )


def animate(
    runs: Sequence[Trace | Scene], path: Path, options: AnimationOptions
) -> Generator[float, None, Path]:
    """Lay out an animation, and write it as `write_animation` does."""
    check_path(path)
    return (yield from write_animation(animation_of(runs, options), path))


def animation_of(
    runs: Sequence[Trace | Scene],
    options: AnimationOptions,
    shown: Sequence[Range] = (),
    extras: Extras = PLAIN,
) -> Animation:
    """Return an animation of one or two runs.

    `shown` is the range of each run (default: the options' excerpt, else the median step). Lanes
    are low unless `extras` has a layout. Needs a QGuiApplication. Raises a one-line ValueError if
    the animation cannot be drawn.
    """
    options.check()
    scenes = [run if isinstance(run, Scene) else _scene_of(run) for run in runs]
    chosen = list(shown)
    if not chosen:
        for scene in scenes:
            excerpt = excerpt_range(scene.trace, options.figure.excerpt)
            chosen.append(excerpt or median_range(scene.trace))
    return Animation(scenes, options, chosen, extras)


def write_animation(animation: Animation, path: Path) -> Generator[float, None, Path]:
    """Write an animation, yielding the share that is done; return the path.

    If the generator is closed before its end, it leaves no file. Raises a one-line ValueError if
    the file cannot be written.
    """
    check_path(path)
    suffix = path.suffix.lower()
    frames = []
    drawn = _gif_frames(animation) if suffix == ".gif" else _full_frames(animation)
    for frame in drawn:
        frames.append(frame)
        yield DRAWN * len(frames) / len(animation.times)
    written = yield from encode(frames, suffix, since=DRAWN)
    yield 1.0
    try:
        with whole_file(path) as place:
            place.write_bytes(written)
    except OSError as error:
        raise ValueError(error_message(error)) from error
    return path


def check_path(path: Path) -> None:
    """Raise ValueError unless a path names an animation in a folder that exists."""
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(tr("{path} cannot be written: use a name with .gif or .webp", path=path))
    if not path.parent.is_dir():
        folder = path.parent
        raise ValueError(
            tr("{path} cannot be written: there is no folder {folder}", path=path, folder=folder)
        )


def _parts(
    runs: Sequence[Scene], options: FigureOptions, shown: Sequence[Range], extras: Extras
) -> Iterator[RunPart]:
    """Lay out runs below each other, on the same time scale."""
    names = shared_title([run.trace for run in runs])[1]
    longest = max(time.end - time.start for time in shown)
    width = options.width_mm or WIDTH_PX * MM_PER_INCH / SCREEN
    top = 0.0
    for number, (run, time) in enumerate(zip(runs, shown, strict=True), 1):
        is_last = number == len(runs)
        own = replace(
            options,
            width_mm=width,
            legend=options.legend and is_last,
            caption=options.caption if is_last else "",
        )
        # A copy, because the picture changes the scene's labels of lanes.
        scene = copy(run)
        longer = replace(time, end=time.start + longest)
        timeline = lay_out_timeline(scene, longer, own, _laid_out(scene, own, extras))
        step = time.steps[0] if len(time.steps) == 1 else None
        film = SceneFilm.between(scene, time.start, time.end, step)
        yield RunPart(timeline, film, names[number - 1], top)
        top += timeline.height


def _laid_out(scene: Scene, options: FigureOptions, extras: Extras) -> Extras:
    """Return the extras with low lanes, unless they have a layout."""
    if extras.layout is not None:
        return extras
    lanes = resolve_lanes(options.excerpt, scene.trace.header.lanes)
    return replace(extras, layout=lay_out(lanes, MOST_HEIGHT, compute=LANE_PX))


def _axis_top(timeline: Timeline) -> float:
    """Return the height at which a timeline's axis begins."""
    return timeline.frame.top - AXIS - STEPS * timeline.options.makespan


def _scene_of(trace: Trace) -> Scene:
    scene = Scene(trace)
    scene.colouring = colouring_of(ColourBy.KIND, trace)
    return scene


def _full_frames(animation: Animation) -> Iterator[Any]:
    """Yield the frames as images in full colour."""
    for time in animation.times.tolist():
        yield _image(animation.frame(time))


def _gif_frames(animation: Animation) -> Iterator[Any]:
    """Yield the frames as images with one palette of 256 colours."""
    from PIL import Image

    # The palette is made from the first, middle and last frame: these have every colour, both pale
    # and in full.
    samples = []
    for share in (0.0, 0.5, 1.0):
        frame = animation.frame(animation.length * share)
        samples.append(_image(frame))
    wide, high = samples[0].size
    sheet = Image.new("RGB", (wide, high * len(samples)))
    for number, sample in enumerate(samples):
        sheet.paste(sample, (0, high * number))
    palette = sheet.quantize(256)
    for image in _full_frames(animation):
        yield image.quantize(palette=palette, dither=Image.Dither.NONE)


def _image(frame: QImage) -> Any:
    from PIL import Image

    size = (frame.width(), frame.height())
    pixels = frame.constBits()
    return Image.frombytes("RGB", size, bytes(pixels), "raw", "BGRX", frame.bytesPerLine(), 1)
