"""Options of figures, on the command line and as values."""

from __future__ import annotations

import argparse

import pytest

from bubblescope.cli.figures import add_figure, figure_options
from gui.app.figure_options import FigureOptions


def options_of(line: str) -> FigureOptions:
    parser = argparse.ArgumentParser()
    add_figure(parser)
    return figure_options(parser.parse_args(line.split()))


def test_without_options_a_figure_is_the_timeline_as_shown() -> None:
    assert options_of("") == FigureOptions()


def test_every_part_of_a_figure_can_be_left_out_or_set() -> None:
    options = options_of(
        "--figure one-column --no-legend --no-axis --no-makespan --no-idle --no-title --caption Me "
        "--range 1ms:2ms --lanes 0-3 --width-mm 60 --font-pt 7 --scale 3 --greyscale --no-hatching"
    )
    assert not any((options.legend, options.axis, options.makespan, options.idle))
    assert (options.title, options.caption) == ("", "Me")
    assert (options.width_mm, options.font_pt, options.scale) == (60.0, 7.0, 3.0)
    assert (options.greyscale, options.hatching) == (True, False)
    assert (options.excerpt.range, options.excerpt.lanes) == ("1ms:2ms", "0-3")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--figure poster", "--figure poster: use slide, one-column, two-column"),
        ("--figure one-column --theme dark", "--theme dark is not for --figure one-column"),
        ("--figure slide --width-mm 3", "--width-mm 3: use 30 to 2000"),
        ("--figure slide --font-pt 99", "--font-pt 99: use 4 to 60"),
        ("--scale 0", "--scale 0: use 0.25 to 20"),
        ("--greyscale", "--greyscale is for figures: add --figure"),
        ("--font-pt 8", "--font-pt is for figures"),
        ("--hatching", "--hatching is for figures"),
        ("--range now", "--range now: use START:END"),
        ("--steps 1 --range 1ms:", "both choose the time"),
    ],
)
def test_options_that_cannot_be_drawn_are_refused_in_one_line(line: str, words: str) -> None:
    with pytest.raises(ValueError) as raised:
        options_of(line)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_stored_options_leave_out_the_settings_of_one_run() -> None:
    options = options_of("--figure slide --theme dark --no-idle --title A --steps 3")
    kept = FigureOptions.from_dict({**options.to_dict(), "unknown": 1})
    assert kept == FigureOptions("slide", "dark", idle=False, title="A")


@pytest.mark.parametrize("values", [{"preset": "poster"}, {"scale": "x"}, {"width_mm": [3]}])
def test_stored_options_that_cannot_be_drawn_are_refused(values: dict) -> None:
    with pytest.raises(ValueError):
        FigureOptions.from_dict(values)
