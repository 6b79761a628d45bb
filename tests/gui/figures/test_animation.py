"""Animations, opened again by another program: their frames, their length and their pictures."""

from __future__ import annotations

import threading
from io import BytesIO
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="Pillow is not installed")

from PIL import Image
from PySide6.QtGui import QColor

from bubblescope.cli.start import run_arguments
from core.trace.excerpt import ExcerptOptions
from core.trace.trace import Trace
from gui.app.animation_options import AnimationOptions
from gui.app.figure_options import FigureOptions
from gui.figures.animation import DRAWN, animate, animation_of
from gui.figures.encoding import HOLD_MS, PER_SECOND
from gui.figures.timeline import EDGE, picture_fonts
from gui.look.theme import DARK, LIGHT
from gui.timeline.layout.fonts import text_width
from tests.make_believe import record, specification, trace_of

QUICK = AnimationOptions(FigureOptions(scale=0.5), seconds=0.5)
FRAMES = 11  # 20 a second, and one at the end


@pytest.fixture(scope="module")
def run() -> Trace:
    return trace_of(specification(microbatches=4))


def written(path: Path, runs: list[Trace], options: AnimationOptions = QUICK) -> Image.Image:
    """Write an animation, and open it."""
    shares = list(animate(runs, path, options))
    assert shares == sorted(shares) and shares[-1] == 1.0
    return opened(path)


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_an_animation_that_is_cancelled_while_it_is_encoded_leaves_no_file(
    qapp: object, tmp_path: Path, run: Trace, ending: str
) -> None:
    options = AnimationOptions(FigureOptions(scale=0.5), seconds=4)
    work = animate([run], tmp_path / f"run.{ending}", options)
    share = next(share for share in work if share > DRAWN)
    assert share < 1.0
    assert [one for one in threading.enumerate() if one.name.startswith("animation")]
    work.close()
    assert not [one for one in threading.enumerate() if one.name.startswith("animation")]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_every_frame_is_in_the_file_with_the_right_duration(
    qapp: object, tmp_path: Path, run: Trace, ending: str
) -> None:
    film = written(tmp_path / f"run.{ending}", [run])
    assert film.n_frames == FRAMES
    durations = []
    for number in range(FRAMES):
        film.seek(number)
        film.load()
        durations.append(film.info["duration"])
    assert durations == [1000 / PER_SECOND] * (FRAMES - 1) + [HOLD_MS]
    assert film.info["loop"] == 0


def test_the_line_moves_from_left_to_right_and_bars_fill(
    qapp: object, tmp_path: Path, run: Trace
) -> None:
    film = written(tmp_path / "run.webp", [run])
    accent = QColor(LIGHT.accent).getRgb()[:3]
    places = []
    for number in range(FRAMES):
        film.seek(number)
        image = film.convert("RGB")
        row = [image.getpixel((x, image.height // 2)) for x in range(image.width)]
        places.append(max(x for x, pixel in enumerate(row) if distance(pixel, accent) < 40))
    assert places == sorted(places) and places[-1] - places[0] > film.width / 2


def test_two_runs_are_below_each_other_and_the_lead_appears_at_the_end(
    qapp: object, tmp_path: Path, run: Trace
) -> None:
    other = trace_of(specification(microbatches=2))
    alone = written(tmp_path / "one.gif", [run])
    race = written(tmp_path / "two.gif", [run, other])
    assert race.n_frames == FRAMES and race.width == alone.width
    assert race.height > 1.7 * alone.height
    last_lines = []
    for number in (0, FRAMES - 1):
        race.seek(number)
        lowest = race.convert("L").crop((0, race.height - 22, race.width, race.height))
        dark, _ = lowest.getextrema()
        last_lines.append(dark)
    assert last_lines[0] > 200 > last_lines[1]  # nothing is written until one has ended


def test_theme_speed_and_part_of_the_run_are_chosen(
    qapp: object, tmp_path: Path, run: Trace
) -> None:
    start, end = run.step_bounds(run.steps[-1])
    looks = FigureOptions(scale=0.5, theme="dark", excerpt=ExcerptOptions(steps="1"))
    seconds = 0.4
    options = AnimationOptions(looks, speed=(end - start) / 1e9 / seconds)
    film = written(tmp_path / "dark.gif", [run], options)
    assert film.n_frames == pytest.approx(seconds * PER_SECOND + 1, abs=1)
    corner = film.convert("RGB").getpixel((2, 2))
    assert distance(corner, QColor(DARK.plot).getRgb()[:3]) < 20


def test_only_the_chosen_lanes_are_in_the_animation(
    qapp: object, tmp_path: Path, run: Trace
) -> None:
    looks = FigureOptions(scale=0.5, excerpt=ExcerptOptions(lanes="1"))
    animation = animation_of([run], AnimationOptions(looks, seconds=0.5))
    tracks = animation.parts[0].timeline.frame.layout.tracks
    assert {track.lane for track in tracks} == {1}


@pytest.mark.parametrize("width_mm", [60, 90, 238])
def test_the_notes_of_an_animation_fit_its_width(qapp: object, run: Trace, width_mm: float) -> None:
    caption = "Two micro-batches wait for each other, and the last one waits for nothing. " * 3
    looks = FigureOptions(width_mm=width_mm, caption=caption)
    animation = animation_of([run], AnimationOptions(looks, seconds=0.5))
    timeline = animation.parts[0].timeline
    _, *notes = timeline.title
    assert " ".join(timeline.caption) == caption.strip()
    fonts = picture_fonts()
    for line in (*notes, *timeline.caption):
        assert EDGE + text_width(fonts.base, line) <= animation.width, line


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (AnimationOptions(speed=0.1, seconds=1), "exclude each other"),
        (AnimationOptions(speed=0), "share of real time"),
        (AnimationOptions(seconds=1e9), "use 0.1 to 600"),
        (AnimationOptions(speed=1e-9), "at most 600 s"),
        (AnimationOptions(FigureOptions(scale=20), seconds=600), "too large"),
        (AnimationOptions(FigureOptions(preset="web")), "still pictures"),
    ],
)
def test_impossible_animations_are_refused(
    qapp: object, tmp_path: Path, run: Trace, options: AnimationOptions, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        list(animate([run], tmp_path / "run.gif", options))
    assert not list(tmp_path.iterdir())


def test_the_command_writes_a_race_and_refuses_a_wrong_ending(
    qapp: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, count in (("a", 2), ("b", 4)):
        record(specification(microbatches=count), tmp_path / f"{name}.arrow")
    command = ["export", str(tmp_path / "a.arrow"), "--with", str(tmp_path / "b.arrow")]
    made = tmp_path / "race.gif"
    words = [*command, "--animation", str(made), "--seconds", "0.5", "--scale", "0.5"]
    assert run_arguments(words) == 0
    assert opened(made).n_frames == FRAMES
    assert run_arguments([*command, "--animation", str(tmp_path / "race.mp4")]) == 2
    assert ".gif, .webp" in capsys.readouterr().err


def opened(path: Path) -> Image.Image:
    """Open an image without keeping its file open."""
    return Image.open(BytesIO(path.read_bytes()))


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Distance of two colours."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
