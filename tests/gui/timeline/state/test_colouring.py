"""Colours of bars by kind, micro-batch, stage and duration: codes, colours and the legend."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QFont, QImage, QPainter

from core.plan.task import Kind
from core.recording.importers.read_trace import read_trace
from core.trace.trace import Trace
from gui.look.colours import contrast, too_close
from gui.look.families import FAMILIES, family_of
from gui.look.theme import DARK, LIGHT, RAMP, SERIES, THEMES
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import Frame, Viewport
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.legend import legend_entries, number_words
from gui.timeline.paint.strips import draw_predictions
from gui.timeline.reduce.reduction import Bars, LaneColumns, PixelColumns, reduce_lane
from gui.timeline.state.bar_looks import Colouring, recoloured
from gui.timeline.state.colour_choices import (
    ByDuration,
    ByNumber,
    ColourBy,
    choice_of,
    colouring_of,
)
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of(
        specification("pipeline", schedule="gpipe", batch=100, microbatches=10, steps=1, warmup=0)
    )


@pytest.mark.parametrize("by", ColourBy)
def test_a_span_has_the_code_that_a_column_of_spans_gives_it(trace: Trace, by: ColourBy) -> None:
    colouring = colouring_of(by, trace)
    for lane in range(len(trace.header.lanes)):
        codes = colouring.codes(trace.spans(lane)).tolist()
        assert codes == [colouring.code_of(span) for span in trace if span.lane == lane]


@pytest.mark.parametrize("by", ColourBy)
def test_every_code_has_colours_and_letters_that_can_be_read(trace: Trace, by: ColourBy) -> None:
    colouring = colouring_of(by, trace)
    most = max(int(colouring.codes(trace.spans(lane)).max()) for lane in (0, 1))
    for theme in THEMES.values():
        colours = colouring.colours(theme)
        assert most < len(colours) == len(theme.letters(colours))
    assert colouring.colours(LIGHT) != colouring.colours(DARK)


def test_a_colouring_uses_the_chosen_property(trace: Trace) -> None:
    named = {by for by in ColourBy if choice_of(colouring_of(by, trace)) is by}
    assert named == set(ColourBy) - {ColourBy.NAME}  # the run's spans have kinds, but no names


def test_colouring_by_kind_uses_families(trace: Trace) -> None:
    for span in trace:
        assert FAMILIES[Colouring().code_of(span)] is family_of(span.kind)


def test_micro_batch_colours_repeat_and_tasks_without_one_have_another_colour(
    trace: Trace,
) -> None:
    colouring = ByNumber(ColourBy.MICROBATCH)
    codes = {span.microbatch: colouring.code_of(span) for span in trace}
    assert codes[None] == SERIES
    assert all(code == n % SERIES for n, code in codes.items() if n is not None)
    assert codes[9] == codes[1]


def test_durations_are_placed_on_the_ramp_by_their_ratios() -> None:
    ramp = ByDuration(1e3, 1e6)
    lengths = np.array([1, 1_000, 31_000, 32_000, 999_000, 5_000_000])
    places = ramp._places(lengths).tolist()
    assert places == [0, 0, RAMP // 2 - 1, RAMP // 2, RAMP - 1, RAMP - 1]


def test_the_ramp_covers_all_but_five_per_cent_at_each_end(trace: Trace) -> None:
    ramp = ByDuration.of(trace)
    lengths = [span.end - span.start for span in trace]
    assert ramp.shortest == pytest.approx(np.percentile(lengths, 5))
    assert ramp.longest == pytest.approx(np.percentile(lengths, 95))


def test_runs_without_spans_or_with_equal_spans_can_be_coloured_by_duration(trace: Trace) -> None:
    ramp = ByDuration.of(Trace(trace.header))
    assert ramp.codes(trace.spans(0)).max() == RAMP - 1
    same = ByDuration(1e6, 1e6)
    assert same._places(np.array([1_000_000])).tolist() == [0]


@pytest.mark.parametrize("by", [ColourBy.MICROBATCH, ColourBy.STAGE, ColourBy.DURATION])
def test_bars_take_their_codes_and_keep_their_places(trace: Trace, by: ColourBy) -> None:
    columns, colouring = LaneColumns(), colouring_of(by, trace)
    columns.update(trace.spans(0))
    start, end = trace.bounds
    view = Viewport(start + (end - start) / 3, (end - start) / 3, 800)
    bars = reduce_lane(columns, view)
    assert isinstance(bars, Bars)
    other = recoloured(colouring, bars, trace, 0, view)
    assert (other.left == bars.left).all() and (other.right == bars.right).all()
    shown = trace.spans(0)[bars.first : bars.first + len(bars.left)]
    assert other.family.tolist() == colouring.codes(shown).tolist()
    assert recoloured(Colouring(), bars, trace, 0, view) is bars


def test_a_reduced_pixel_has_the_colour_of_what_runs_at_its_middle(trace: Trace) -> None:
    columns, colouring = LaneColumns(), ByNumber(ColourBy.MICROBATCH)
    spans = trace.spans(0)
    columns.update(spans)
    start, end = trace.bounds
    view = Viewport(start, end - start, 8)
    reduced = reduce_lane(columns, view)
    assert isinstance(reduced, PixelColumns)
    other = recoloured(colouring, reduced, trace, 0, view)
    assert (other.busy == reduced.busy).all()
    for pixel, code in enumerate(other.family.tolist()):
        middle = view.time(pixel + 0.5)
        running = [s for s in trace if s.lane == 0 and s.start <= middle < s.end]
        if running:
            assert code == colouring.code_of(running[0])


def entries(trace: Trace, colouring: Colouring) -> list[str]:
    scene = Scene(trace)
    scene.colouring = colouring
    return [entry.text for entry in legend_entries(scene, LIGHT, Strips())]


def test_the_legend_says_what_the_colours_mean(trace: Trace) -> None:
    assert "forward (F)" in entries(trace, Colouring())
    by_stage = entries(trace, ByNumber(ColourBy.STAGE))
    assert by_stage[:2] == ["stage 0", "stage 1"]
    assert "forward (F)" not in by_stage
    assert entries(trace, ByDuration(1e3, 2e6))[0] == "1\u00a0µs to 2\u00a0ms"


def test_the_legend_names_all_numbers_that_share_a_colour(trace: Trace) -> None:
    words = number_words(ByNumber(ColourBy.MICROBATCH), trace.table)
    assert words[0] == "micro-batches 0, 8"
    assert words[7] == "micro-batch 7"
    assert words[SERIES] == "no micro-batch"
    assert any(span.kind is Kind.STEP for span in trace)


def named_trace(path: Path, *names: str) -> Trace:
    """Return an imported trace with an event of 1 µs for each name."""
    events = [{"ph": "X", "ts": n, "dur": 1, "name": name} for n, name in enumerate(names)]
    path.write_text(json.dumps(events))
    return read_trace(path).trace


def test_the_most_frequent_names_have_distinct_colours_and_all_others_are_grey(
    tmp_path: Path,
) -> None:
    often = [f"op{n}" for n in range(SERIES)]
    # The first is the rarest, and the last in the file.
    names = ["once", "rare", "rare", *(name for n, name in enumerate(often) for _ in range(n + 3))]
    foreign = named_trace(tmp_path / "trace.json", *names)
    colouring = colouring_of(ColourBy.KIND, foreign)
    codes = dict(zip(names, colouring.codes(foreign.spans(0)).tolist(), strict=True))
    assert [codes[name] for name in reversed(often)] == list(range(SERIES))
    assert codes["once"] == codes["rare"] == SERIES
    assert [colouring.code_of(span) for span in foreign] == [codes[name] for name in names]
    for theme in THEMES.values():
        colours = {name: colouring.colours(theme)[code][0].name() for name, code in codes.items()}
        assert len(set(colours.values())) == SERIES + 1 and colours["once"] == theme.other
        assert all(contrast(colour, theme.plot) >= 3 for colour in colours.values())
        alike = {name: colours[name] for name in [*often, "once"]}
        assert not list(too_close(alike))
    listed = [text for text in entries(foreign, colouring) if text != "idle"]
    assert listed == [*reversed(often), "other names"]


def test_names_with_the_same_label_have_the_same_colour(tmp_path: Path) -> None:
    names = ("void at::add<float>(float*)", "void at::add<int>(int*)", "void at::mul<int>(int*)")
    foreign = named_trace(tmp_path / "trace.json", *names)
    colouring = colouring_of(ColourBy.NAME, foreign)
    assert colouring.codes(foreign.spans(0)).tolist() == [0, 0, 1]
    assert entries(foreign, colouring)[:2] == ["add", "mul"]


def test_colours_of_names_do_not_change_next_to_another_trace(tmp_path: Path) -> None:
    a = named_trace(tmp_path / "a.json", "load", "load", "send", "send", "send")
    b = named_trace(tmp_path / "b.json", "load", "load", "load", "train", "send")
    colouring = colouring_of(ColourBy.NAME, a)
    assert colouring.codes(a.spans(0)).tolist() == [1, 1, 0, 0, 0]
    assert colouring_of(ColourBy.NAME, b).codes(b.spans(0)).tolist() == [0, 0, 0, 1, 2]
    beside = colouring_of(ColourBy.NAME, b, colouring)
    assert beside.codes(b.spans(0)).tolist() == [1, 1, 1, 2, 0]


def test_predicted_bars_have_the_colours_of_the_bars_above_them(trace: Trace, qapp: object) -> None:
    scene = Scene(trace)
    scene.set_prediction(trace)
    start, end = trace.bounds
    layout = lay_out(trace.header.lanes, 300, Strips(prediction=True))
    frame = Frame(Viewport(start, end - start, 800), layout, 0, 0, LIGHT)
    seen = {}
    for colouring in (Colouring(), ByNumber(ColourBy.MICROBATCH)):
        scene.colouring = colouring
        image = QImage(800, 300, QImage.Format.Format_RGB32)
        image.fill(0xFFFFFFFF)
        with QPainter(image) as painter:
            draw_predictions(
                Canvas.on(painter, frame, Fonts.of(QFont())), scene, layout.predictions
            )
        top = round(layout.predictions[0].top)
        seen[colouring] = {image.pixelColor(x, top).name() for x in range(800)}
    assert LIGHT.forward in seen[Colouring()]
    assert LIGHT.forward not in seen[ByNumber(ColourBy.MICROBATCH)]
    assert {LIGHT.series[0], LIGHT.series[3]} <= seen[ByNumber(ColourBy.MICROBATCH)]


def painted(tmp_path: Path, order: int = 1) -> Trace:
    """Return an imported trace whose events have names, and some of them colours."""
    own = {"ph": "X", "dur": 5, "pid": 1, "tid": 1}
    names = [("alpha", "good"), ("beta", None), ("alpha", "white"), ("gamma", "black"), ("beta", 7)]
    events = [
        {**own, "ts": 10 * n, "name": name, **({"cname": cname} if cname else {})}
        for n, (name, cname) in enumerate(names[::order])
    ]
    path = tmp_path / "painted.json"
    path.write_text(json.dumps(events))
    return read_trace(path).trace


def test_events_with_the_same_name_have_one_colour_unless_the_trace_sets_it(tmp_path: Path) -> None:
    codes = []
    for order in (1, -1):
        trace = painted(tmp_path, order)
        colouring = colouring_of(ColourBy.KIND, trace)
        mine = colouring.codes(trace.spans(0)).tolist()[::order]
        assert mine[::order] == [colouring.code_of(span) for span in trace]
        codes.append(mine)
        assert len({mine[0], mine[1], mine[2], mine[3]}) == 4 and mine[1] == mine[4]
        for theme in THEMES.values():
            colours = [colouring.colours(theme)[code][0].name() for code in mine]
            assert all(contrast(colour, theme.plot) >= 3 for colour in colours)
    assert codes[0] == codes[1]
    assert colouring.colours(LIGHT)[mine[0]][0].name() == "#007d00"


def test_the_legend_lists_names_and_the_colours_of_the_trace(tmp_path: Path) -> None:
    trace = painted(tmp_path)
    scene = Scene(trace)
    scene.colouring = colouring_of(ColourBy.KIND, trace)
    texts = [entry.text for entry in legend_entries(scene, LIGHT, Strips())]
    assert [text for text in texts if text != "idle"] == ["beta", "good", "black", "white"]
