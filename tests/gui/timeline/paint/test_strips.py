"""Strips under the lanes: memory and prediction, in the window and in figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage

from core.recording.decode import append_batch
from core.trace.trace import Trace
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import LABELS, Track
from gui.timeline.layout.groups import Strips
from gui.timeline.state.scene import Scene
from tests.gui.exported import export_image
from tests.make_believe import MS, batches, prediction_of, specification, trace_of

SPEC = specification(devices="4xcpu", schedule="1f1b", microbatches=8, steps=2)


@pytest.fixture
def view(qtbot: object) -> Iterator[TimelineView]:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1200, 600)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(Scene(trace_of(SPEC)))
    yield made
    made.close()


def with_prediction(view: TimelineView, scale: float = 0.8) -> Trace:
    prediction = prediction_of(SPEC, trace_of(SPEC), scale)
    view.state.set_prediction(prediction)
    return prediction


def hover(view: TimelineView, track: Track, x: float) -> tuple[str, str]:
    """Return title and lines of the tooltip at a pixel of the plot, on a track or strip."""
    view.overlays.hover_at(None)
    view.overlays.hover_at(QPointF(LABELS + x, view.state.frame.top + track.top + track.height / 2))
    if view.overlays.hovered is None:
        return "", ""
    _, title, lines = view.overlays.hovered
    return title.replace("\u00a0", " "), "\n".join(lines).replace("\u00a0", " ")


def colours_in(view: TimelineView, track: Track) -> set[str]:
    image: QImage = view.grab().toImage()
    ratio = image.devicePixelRatio()
    top = view.state.frame.top + track.top
    return {
        image.pixelColor(int(x * ratio), int(y * ratio)).name()
        for x in range(int(LABELS) + 1, 1180)
        for y in range(int(top), int(top + track.height))
    }


def filled_height(view: TimelineView, track: Track, colour: str) -> int:
    """Return the height in pixels that a colour reaches from a strip's bottom in three columns.

    A single column may be a vertical part of the line, which has the same colour.
    """
    image = view.grab().toImage()
    ratio = image.devicePixelRatio()
    bottom = int(view.state.frame.top + track.bottom)

    def height(x: int) -> int:
        ys = range(bottom - 1, bottom - int(track.height) - 1, -1)
        other = (image.pixelColor(int(x * ratio), int(y * ratio)).name() != colour for y in ys)
        return next((n for n, differs in enumerate(other) if differs), int(track.height))

    heights = [height(x) for x in range(int(LABELS) + 1, 1180)]
    return max(map(min, zip(heights, heights[1:], heights[2:], strict=False)))


def test_every_compute_lane_has_a_memory_strip_on_one_scale(view: TimelineView) -> None:
    strips = view.state.stack.layout.memory
    assert [strip.lane for strip in strips] == [0, 1, 2, 3]
    heights = [filled_height(view, strip, view.state.theme.memory) for strip in strips]
    assert heights[0] > heights[1] > heights[2] > heights[3] > 0


def test_gpipes_memory_is_equally_high_on_every_lane(view: TimelineView) -> None:
    spec = specification(devices="4xcpu", schedule="gpipe", microbatches=8, steps=2)
    view.state.show_scene(Scene(trace_of(spec)))
    heights = {
        filled_height(view, s, view.state.theme.memory) for s in view.state.stack.layout.memory
    }
    assert len(heights) == 1


def test_the_tooltip_of_memory_shows_the_total_and_its_activations(
    view: TimelineView,
) -> None:
    title, lines = hover(view, view.state.stack.layout.memory[0], 400)
    assert re.fullmatch(r"cpu:0 holds [\d.]+ MB, of which [\d.]+ MB is activations", title)
    assert "parameters 4 MB" in lines
    assert "most in this run: 16 MB" in lines


def test_memory_has_no_tooltip_after_the_runs_end(view: TimelineView) -> None:
    view.navigator.fit()
    assert hover(view, view.state.stack.layout.memory[0], view.state.viewport.width - 1) == ("", "")


def test_memory_can_be_hidden_and_gives_its_room_to_the_lanes(view: TimelineView) -> None:
    shown: list[Strips] = []
    view.state.strips_changed.connect(shown.append)
    before = view.state.stack.layout
    view.state.show_strips(memory=False)
    assert view.state.stack.layout.memory == ()
    assert view.state.stack.layout.compute >= before.compute
    view.state.show_strips(memory=True)
    assert shown == [Strips(False), Strips(True)]
    assert view.state.stack.layout == before


def test_a_run_without_memory_counters_has_no_strip_for_it(view: TimelineView) -> None:
    header, made = batches(SPEC)
    trace = Trace(header)
    for batch in made:
        append_batch(trace, batch.filter(batch["note"].is_null()))
    view.state.show_scene(Scene(trace))
    assert view.state.strips == Strips()


def test_a_live_runs_memory_appears_with_its_first_counters(view: TimelineView) -> None:
    header, made = batches(SPEC)
    trace = Trace(header)
    scene = Scene(trace)
    view.state.show_scene(scene, live=True)
    assert not view.state.strips.memory
    for batch in made[:4]:
        append_batch(trace, batch)
    scene.update()
    view.state.refresh(200 * MS)
    assert view.state.strips.memory
    held = len(scene.memory[0])
    for batch in made[4:7]:
        append_batch(trace, batch)
    scene.update()
    assert len(scene.memory[0]) > held


def test_a_prediction_is_a_thin_strip_below_each_compute_lane(view: TimelineView) -> None:
    assert view.state.stack.layout.predictions == ()
    with_prediction(view)
    for strip in view.state.stack.layout.predictions:
        track = view.state.stack.layout.track_of(strip.lane)
        assert track.bottom < strip.top
        assert strip.height < track.height / 2
        shown = colours_in(view, strip)
        assert view.state.theme.forward in shown
        assert view.state.theme.backward in shown
        assert view.state.theme.plot in shown


def test_a_predicted_bar_is_outlined_and_pale_inside(view: TimelineView) -> None:
    prediction = with_prediction(view)
    strip = view.state.stack.layout.predictions[0]
    span = next(
        s
        for s in prediction
        if s.lane == 0 and s.step == view.state.scene.described and s.kind.letter == "B"
    )
    frame = view.state.frame
    image = view.grab().toImage()
    ratio = image.devicePixelRatio()
    x = int(frame.x((span.start + span.end) / 2) * ratio)
    column = [
        image.pixelColor(x, int((frame.top + strip.top + y) * ratio)).name()
        for y in range(int(strip.height))
    ]
    assert column[0] == column[-1] == view.state.theme.backward
    assert view.state.theme.backward not in column[1:-1]


def test_the_tooltip_of_a_predicted_bar_compares_it_with_the_measured_one(
    view: TimelineView,
) -> None:
    prediction = with_prediction(view)
    span = next(
        s
        for s in prediction
        if s.lane == 1 and s.step == view.state.scene.described and s.kind.letter == "F"
    )
    x = view.state.frame.x((span.start + span.end) / 2) - LABELS
    title, lines = hover(view, view.state.stack.layout.predictions[1], x)
    assert title == "Predicted: F0, 3.20 ms (measured 4 ms, +25 %)"
    assert "Forward · stage 1 · micro-batch 0" in lines
    assert "later than predicted" in lines


def test_a_prediction_belongs_to_the_run_that_it_was_set_for(view: TimelineView) -> None:
    with_prediction(view)
    view.state.show_scene(Scene(trace_of(SPEC)))
    assert not view.state.strips.prediction
    with_prediction(view)
    view.state.set_prediction(None)
    assert not view.state.strips.prediction


def test_a_prediction_of_other_lanes_is_refused_with_both_numbers(view: TimelineView) -> None:
    other = trace_of(specification(devices="2xcpu"))
    with pytest.raises(ValueError, match="the prediction has 2 lanes; it must have the run's 4"):
        view.state.set_prediction(other)


def test_a_prediction_can_be_hidden(view: TimelineView) -> None:
    with_prediction(view)
    view.state.show_strips(prediction=False)
    assert view.state.stack.layout.predictions == ()
    view.state.show_strips(prediction=True)
    assert len(view.state.stack.layout.predictions) == 4


def words_of(svg: Path) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg.read_text().replace("\u00a0", " "))


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("predicted", [False, True])
def test_figures_contain_the_requested_strips_and_explain_them(
    tmp_path: Path, memory: bool, predicted: bool
) -> None:
    trace = trace_of(SPEC)
    prediction = prediction_of(SPEC, trace) if predicted else None
    export_image(trace, tmp_path / "x.svg", memory=memory, prediction=prediction)
    words = words_of(tmp_path / "x.svg")
    assert words.count("predicted") == (5 if predicted else 0)  # four lanes and the legend
    assert ("activations held" in words) is memory
    assert sum(word.startswith("peak ") for word in words) == 4


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_figures_of_every_format_carry_the_strips(tmp_path: Path, suffix: str) -> None:
    trace = trace_of(SPEC)
    export_image(trace, tmp_path / f"bare{suffix}", memory=False)
    export_image(trace, tmp_path / f"x{suffix}", prediction=prediction_of(SPEC, trace))
    assert (tmp_path / f"x{suffix}").stat().st_size > (tmp_path / f"bare{suffix}").stat().st_size


def test_strips_outside_the_view_are_not_drawn(view: TimelineView) -> None:
    view.state.show_scene(Scene(trace_of(specification("dp", devices="32xcpu", batch=64, steps=1))))
    assert not view.state.frame.layout.memory  # lanes are thin, so that memory is left out
    view.lanes.resize(1)  # lanes of the user's height have all strips
    frame = view.state.frame
    seen = list(frame.visible(frame.layout.memory))
    assert 0 < len(seen) < 32
    body = QRectF(0, frame.ceiling, 10, frame.floor - frame.ceiling)
    assert all(QRectF(0, frame.top + r.top, 10, r.height).intersects(body) for r in seen)


def test_crowded_strips_are_drawn_in_columns_of_two_pixels(view: TimelineView) -> None:
    spec = specification(devices="4xcpu", schedule="1f1b", microbatches=8, steps=150)
    trace = trace_of(spec)
    view.state.show_scene(Scene(trace))
    view.state.set_prediction(prediction_of(spec, trace, 0.8))
    view.navigator.fit()
    image, frame = view.grab().toImage(), view.state.frame
    ground = {
        QColor(name).rgba()
        for name in (view.state.theme.plot, view.state.theme.grid, view.state.theme.line)
    }
    for track in (*frame.layout.predictions, *frame.layout.memory):
        ys = range(int(frame.top + track.top) + 1, int(frame.top + track.bottom))
        pixels = [
            [image.pixel(int(LABELS) + x, y) for y in ys]
            for x in range(int(view.state.viewport.width) // 2 * 2)
        ]
        shown = [[0 if colour in ground else colour for colour in column] for column in pixels]
        assert shown[::2] == shown[1::2], track
        assert any(map(any, shown))
