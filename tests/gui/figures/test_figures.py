"""Figures for print: vectors only, all inside the page, distinguishable without colour."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from bubblescope.cli.start import run_arguments
from core.plan.plan import Lane, Role
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.trace.excerpt import ExcerptOptions
from core.trace.source import Source
from core.trace.trace import Trace
from gui.app.figure_options import PRESETS, FigureOptions
from gui.app.titles import shared_title
from gui.figures.areas import area
from gui.figures.looks import PATTERNS, looks_of, pattern_lines
from gui.figures.make import caption_of, figure_of
from gui.figures.parts import FigureRun, Textbook
from gui.figures.picture import SVG, Picture, copy_picture, image_of, svg_of, write_picture
from gui.figures.shown import median_range, step_range
from gui.figures.textbook import lay_out_textbook
from gui.figures.timeline import Extras
from gui.look.causes import Pattern
from gui.look.families import FAMILIES, Family
from gui.look.theme import DARK, LIGHT, contrast
from gui.timeline.layout.groups import TrackState, arrange
from gui.timeline.layout.stacking import lay_out
from gui.timeline.state.scene import Scene
from tests.make_believe import GPUS, record, specification, trace_of, without_steps

pytestmark = pytest.mark.usefixtures("qapp")
SHAPES = ("rect", "polyline", "polygon", "path", "text", "line", "circle", "ellipse", "image")


@pytest.fixture(scope="module")
def gpipe() -> Trace:
    return trace_of(specification(devices="4xcpu", schedule="gpipe", steps=3))


@pytest.fixture(scope="module")
def one_f_one_b() -> Trace:
    return trace_of(specification(devices="4xcpu", schedule="1f1b", steps=3))


def svg(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(svg_of(picture))


def shapes(root: ElementTree.Element) -> Iterator[tuple[str, ElementTree.Element]]:
    for element in root.iter():
        name = element.tag.rpartition("}")[2]
        if name in SHAPES:
            yield name, element


def words(root: ElementTree.Element) -> list[str]:
    texts = ("".join(e.itertext()) for name, e in shapes(root) if name == "text")
    return [text.replace("\u00a0", " ").strip() for text in texts]


def extent(name: str, element: ElementTree.Element) -> list[tuple[float, float]]:
    """Return the corners of a shape; of a text only its beginning."""
    if name == "rect":
        x, y, wide, high = (float(element.get(key)) for key in ("x", "y", "width", "height"))
        return [(x, y), (x + wide, y + high)]
    if name == "text":
        return [(float(element.get("x")), float(element.get("y")))]
    numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", element.get("points") or
                                            element.get("d"))]  # fmt: skip
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def layout(trace: Trace) -> Textbook:
    runs = [FigureRun(Scene(trace), median_range(trace))]
    return lay_out_textbook(runs, FigureOptions("one-column"), "", "")


@pytest.mark.parametrize(
    "options",
    [
        *(FigureOptions(name) for name in PRESETS),
        FigureOptions("slide", "dark", hatching=True),
        FigureOptions("one-column", greyscale=True, width_mm=40.0, font_pt=6.0),
        FigureOptions("two-column", excerpt=ExcerptOptions(range="30ms:61ms")),
        FigureOptions("two-column", title="A long title " * 30, caption="Word " * 200),
    ],
    ids=repr,
)
def test_every_shape_and_text_of_an_svg_lies_within_its_page_and_none_is_a_raster(
    gpipe: Trace, one_f_one_b: Trace, options: FigureOptions
) -> None:
    root = svg(figure_of([gpipe, one_f_one_b], options))
    _, _, wide, high = (float(n) for n in root.get("viewBox").split())
    found = list(shapes(root))
    names = {name for name, _ in found}
    assert {"rect", "polyline", "text"} <= names and "image" not in names
    assert all(
        group.get("transform") in (None, "matrix(1,0,0,1,0,0)")
        for group in root.iter() if group.tag.endswith("}g")
    )  # fmt: skip
    for name, element in found:
        for x, y in extent(name, element):
            assert -1 <= x <= wide + 1 and -1 <= y <= high + 1, ElementTree.tostring(element)


def raster_objects(pdf: bytes) -> int:
    return len(re.findall(rb"/Subtype\s*/Image", pdf))


def test_a_pdf_holds_no_raster_and_embeds_the_fonts_of_its_text(
    gpipe: Trace, one_f_one_b: Trace, tmp_path: Path
) -> None:
    write_picture(figure_of([gpipe, one_f_one_b], FigureOptions("one-column")), tmp_path / "x.pdf")
    data = (tmp_path / "x.pdf").read_bytes()
    assert raster_objects(data) == 0
    fonts = len(re.findall(rb"/Type\s*/FontDescriptor", data))
    assert fonts == len(re.findall(rb"/FontFile[23]?\s", data)) == 2
    assert len(re.findall(rb"/ToUnicode\s", data)) == 2  # so that text can be searched
    box = re.search(rb"/MediaBox \[\s*0\s+0\s+([\d.]+)", data)
    assert float(box[1]) == pytest.approx(85 / 25.4 * 72, abs=0.5)


def test_the_check_finds_a_raster_in_a_pdf(tmp_path: Path) -> None:
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    image.fill(0xFF0000)

    def draw(painter: QPainter) -> None:
        painter.drawImage(QPointF(5, 5), image)

    write_picture(Picture("x", 100, 100, 96, draw), tmp_path / "x.pdf")
    assert raster_objects((tmp_path / "x.pdf").read_bytes()) > 0


def test_a_figure_of_two_runs_names_what_differs_and_shares_what_does_not(
    gpipe: Trace, one_f_one_b: Trace
) -> None:
    assert shared_title([gpipe, one_f_one_b]) == (
        "MLP · 4 lanes · batch 64", ["Pipeline GPipe", "Pipeline 1F1B"],
    )  # fmt: skip
    assert shared_title([gpipe, gpipe])[1] == ["run 1", "run 2"]
    text = words(svg(figure_of([gpipe, one_f_one_b], FigureOptions("two-column"))))
    for word in ("Pipeline GPipe", "Pipeline 1F1B", "143 ms", "142 ms", "forward (F)", "cpu:3",
                 "0 ms", "F0", "B7", "idle"):  # fmt: skip
        assert word in text, text
    assert sum(re.fullmatch(r"\d+\.\d %", word) is not None for word in text) == 8
    assert any(word.startswith("Measured: step 2, the median of 3 steps.") for word in text)


def test_the_figures_below_each_run_match_its_summary(gpipe: Trace, one_f_one_b: Trace) -> None:
    text = words(svg(figure_of([gpipe, one_f_one_b], FigureOptions("one-column"))))
    expected = []
    for trace in (gpipe, one_f_one_b):
        median = summarise(trace).median
        bubble, form = f"{median.bubble_by_makespan:.1%}", f"{median.closed_form:.1%}"
        peak = max(lane.peak_bytes for lane in median.lanes) // 10**6
        said = f"Bubble {bubble}, formula {form}, peak memory {peak} MB"
        expected.append(said.replace("%", " %"))
    assert [word for word in text if word.startswith("Bubble")] == expected
    tops = {word: place for place, word in enumerate(text)}
    headings = tops["Pipeline GPipe"], tops["Pipeline 1F1B"]
    assert headings[0] < tops[expected[0]] < headings[1] < tops[expected[1]]


def test_figures_of_several_steps_are_means_and_are_labelled_as_means(gpipe: Trace) -> None:
    options = FigureOptions("two-column", excerpt=ExcerptOptions(steps="1-2"))
    text = words(svg(figure_of([gpipe], options)))
    assert sum(word.startswith("Mean of 2 steps: bubble ") for word in text) == 1
    part = FigureOptions("two-column", excerpt=ExcerptOptions(range="1ms:9ms"))
    assert not any("ubble" in word for word in words(svg(figure_of([gpipe], part))))


def test_several_runs_share_one_scale(gpipe: Trace, one_f_one_b: Trace) -> None:
    runs = [FigureRun(Scene(t), median_range(t), "x") for t in (gpipe, one_f_one_b)]
    one, other = lay_out_textbook(runs, FigureOptions("slide"), "", "").panels
    assert one.view.ns_per_pixel == pytest.approx(other.view.ns_per_pixel)
    assert one.view.width > other.view.width


def test_boxes_are_placed_at_the_times_of_their_spans(gpipe: Trace) -> None:
    figure = layout(gpipe)
    (panel,) = figure.panels
    start, end = panel.run.shown.start, panel.run.shown.end
    for row in panel.rows:
        spans = gpipe.spans(row.lane.index)
        inside = spans[(spans["start"] >= start) & (spans["end"] <= end)]
        scale = (figure.right - figure.left) / (end - start)
        assert row.boxes.left == pytest.approx((inside["start"] - start) * scale, abs=2.5)
        assert row.boxes.right == pytest.approx((inside["end"] - start) * scale, abs=2.5)
        assert (row.boxes.right <= figure.right - figure.left + 1e-6).all()


def test_lanes_and_range_are_chosen(gpipe: Trace) -> None:
    options = FigureOptions("one-column", excerpt=ExcerptOptions(range="20ms:50ms", lanes="0,2-3"))
    text = words(svg(figure_of([gpipe], options)))
    assert [word for word in text if word.startswith("cpu:")] == ["cpu:0", "cpu:2", "cpu:3"]
    assert "idle" in text  # in the legend: parts of steps are shown, and their free time is idle
    assert "20 ms" in text and "50 ms" in text and "0 ms" not in text
    with pytest.raises(ValueError, match="--lanes 9: the run has lanes 0 to 3"):
        figure_of([gpipe], FigureOptions("one-column", excerpt=ExcerptOptions(lanes="9")))


def test_each_part_of_a_figure_can_be_left_out(gpipe: Trace) -> None:
    bare = FigureOptions("one-column", legend=False, axis=False, makespan=False, idle=False,
                         totals=False, title="", caption="")  # fmt: skip
    picture = figure_of([gpipe], bare)
    text = words(svg(picture))
    assert all(re.fullmatch(r"cpu:\d|[FBLU]?\d?", word) for word in text), text
    for name, word in (("legend", "forward (F)"), ("axis", "0 ms"), ("makespan", "143 ms"),
                       ("idle", "29.6 %"),
                       ("totals", "Bubble 28.2 %, formula 27.3 %, peak memory 28 MB")):  # fmt: skip
        with_one = figure_of([gpipe], replace(bare, **{name: True}))
        assert word in words(svg(with_one)), name
        assert with_one.height >= picture.height


def test_the_totals_are_below_the_heading_of_their_run_or_below_the_axis_of_a_single_one(
    gpipe: Trace, one_f_one_b: Trace
) -> None:
    single = layout(gpipe)
    (panel,) = single.panels
    assert panel.totals and panel.rows[-1].bottom <= single.axis_top
    numbers = single.axis_top + single.style.small.line
    assert numbers < panel.totals_top < single.legend_top
    traces = {"GPipe": gpipe, "1F1B": one_f_one_b}
    runs = [FigureRun(Scene(t), median_range(t), name) for name, t in traces.items()]
    both = lay_out_textbook(runs, FigureOptions("one-column"), "", "")
    for panel in both.panels:
        totals_end = panel.totals_top + both.style.small.line * len(panel.totals)
        assert panel.top < panel.totals_top < totals_end <= panel.band < panel.rows[0].top
    assert both.panels[-1].rows[-1].bottom == both.axis_top


def test_title_and_caption_can_be_given_by_the_user(gpipe: Trace) -> None:
    text = words(svg(figure_of([gpipe], FigureOptions("two-column", title="Mine", caption="So."))))
    assert "Mine" in text and "So." in text
    assert not any("Measured" in word or "GPipe" in word for word in text)


@pytest.mark.parametrize(
    ("preset", "millimetres"), [("one-column", 85.0), ("two-column", 178.0), ("slide", 338.667)]
)
def test_a_preset_has_its_width_on_paper_and_a_png_its_pixels(
    gpipe: Trace, preset: str, millimetres: float
) -> None:
    picture = figure_of([gpipe], FigureOptions(preset, scale=1.5))
    wide, high = picture.millimetres
    assert wide == pytest.approx(millimetres)
    if preset == "slide":
        assert wide / high == pytest.approx(16 / 9, rel=1e-3)
    image = image_of(picture)
    assert image.width() == round(millimetres / 25.4 * 96 * 1.5)
    assert image.width() / (image.dotsPerMeterX() / 1000) == pytest.approx(wide, rel=0.01)


def test_greyscale_has_no_colour_at_all(gpipe: Trace) -> None:
    document = svg_of(figure_of([gpipe], FigureOptions("one-column", greyscale=True))).decode()
    colours = set(re.findall(r"#[0-9a-f]{6}", document))
    assert len(colours) > 5
    assert all(c[1:3] == c[3:5] == c[5:7] for c in colours), colours


def test_families_differ_by_pattern_without_colour() -> None:
    kept = [pattern for family, pattern in PATTERNS.items()]
    assert len(set(kept)) == len(kept) == len(FAMILIES) - 1
    for theme, grey in ((LIGHT, False), (DARK, False), (LIGHT, True)):
        looks = looks_of(theme, True, grey)
        for look in (part for parts in looks.families for part in parts):
            assert contrast(look.text, look.ground) >= 4.5
            assert contrast(look.ink, looks.paper) >= 3.0


def test_an_overlap_looks_like_its_two_halves() -> None:
    families = looks_of(LIGHT, True, False).families
    both = families[FAMILIES.index(Family.OVERLAP)]
    assert both == (families[FAMILIES.index(Family.FORWARD)][0],
                    families[FAMILIES.index(Family.BACKWARD)][0])  # fmt: skip


@given(
    st.sampled_from([p for p in Pattern if p is not Pattern.SOLID]),
    st.floats(-500, 500), st.floats(-500, 500), st.floats(1, 300), st.floats(1, 300),
    st.floats(3, 60),
)  # fmt: skip
def test_the_lines_of_a_pattern_end_at_the_edges_of_their_box(
    pattern: Pattern, x: float, y: float, wide: float, high: float, pitch: float
) -> None:
    box = QRectF(x, y, wide, high).adjusted(-1e-6, -1e-6, 1e-6, 1e-6)
    lines = pattern_lines(pattern, [QRectF(x, y, wide, high)], pitch)
    assert all(box.contains(line.p1()) and box.contains(line.p2()) for line in lines)
    if min(wide, high) > 2 * pitch:
        assert lines
    assert pattern_lines(Pattern.SOLID, [box], pitch) == []


def test_copy_lanes_are_below_the_lane_that_they_serve() -> None:
    trace = trace_of(specification(devices="cuda:0,cuda:1", steps=1), GPUS)
    names = [row.lane.name for row in layout(trace).panels[0].rows]
    assert names == ["cuda:0", "cuda:0 copy", "cuda:1", "cuda:1 copy"]
    assert words(svg(figure_of([trace], FigureOptions("one-column")))).count("copy") == 2


def test_hundreds_of_lanes_fit_on_a_page() -> None:
    spec = specification("dp", devices="256xcpu", batch=256, steps=1, warmup=0)
    figure = layout(trace_of(spec))
    (panel,) = figure.panels
    assert len(panel.rows) == 256
    assert figure.height <= 245 / 25.4 * 720
    assert all(b.top >= a.bottom for a, b in pairwise(panel.rows))
    names = words(svg(figure_of([panel.run.scene], FigureOptions("one-column"))))
    assert not any("micro-batches" in name for name in names)  # no box has room for a number
    assert 20 < sum(name.startswith("cpu:") for name in names) < 256


def test_lanes_of_the_blocks_inside_passes_are_shown_if_they_are_named(gpipe: Trace) -> None:
    lanes = (*gpipe.header.lanes, Lane(4, "cpu:0 blocks", "cpu", Role.NESTED, serves=0))
    trace = Trace(replace(gpipe.header, lanes=lanes))
    assert [row.lane.index for row in layout(trace).panels[0].rows] == [0, 1, 2, 3]
    options = FigureOptions("one-column", excerpt=ExcerptOptions(lanes="0,4"))
    (panel,) = lay_out_textbook(
        [FigureRun(Scene(trace), median_range(trace))], options, "", ""
    ).panels
    assert [row.lane.index for row in panel.rows] == [0, 4]


def test_the_users_own_colours_are_in_every_figure(gpipe: Trace) -> None:
    extras = Extras(colours={"forward": "#123456"})
    for options in (FigureOptions("slide"), FigureOptions()):
        assert b"#123456" in svg_of(figure_of([gpipe], options, extras=extras))


def test_a_timeline_as_shown_keeps_the_windows_layout(gpipe: Trace) -> None:
    scene = Scene(gpipe)
    low = lay_out(gpipe.header.lanes[1:3], 1000, compute=22.0)
    picture = figure_of([scene], FigureOptions(), extras=Extras(layout=low))
    text = words(svg(picture))
    assert [word.endswith("%") for word in text if word.startswith("idle ")] == [True, True]
    assert picture.height < figure_of([scene], FigureOptions()).height / 2


def test_a_figure_without_idle_time_does_not_remove_it_from_the_window(gpipe: Trace) -> None:
    scene = Scene(gpipe)
    told = [facts.idle for facts in scene.facts]
    text = words(
        svg(figure_of([scene], FigureOptions(idle=False, excerpt=ExcerptOptions(range="0ns:"))))
    )
    assert all(told) and not any(word in text for word in told)
    assert [facts.idle for facts in scene.facts] == told


def test_a_folded_group_is_drawn_as_areas_that_are_as_high_as_its_lanes_are_busy(
    gpipe: Trace,
) -> None:
    lanes = gpipe.header.lanes
    (section,) = arrange(lanes, TrackState(), {}).sections
    state = TrackState().toggled(section.key)
    folded = lay_out(lanes, 1000, arranged=arrange(lanes, state, {}))
    assert [group.folded for group in folded.groups] == [True]
    root = svg(figure_of([Scene(gpipe)], FigureOptions(), extras=Extras(layout=folded)))
    assert not any(word.startswith("cpu:") for word in words(root))
    wide = max((extent(n, e) for n, e in shapes(root) if n in ("path", "polygon")), key=len)
    assert len(wide) > 1000


def test_an_area_reaches_from_its_base_to_its_top_in_each_pixel() -> None:
    points = list(area(np.array([0.0, 0.5]), np.array([0.5, 1.0]), QRectF(10, 20, 4, 8)))
    assert [(p.x(), p.y()) for p in points] == [
        (10, 24), (12, 24), (12, 20), (14, 20), (14, 24), (12, 24), (12, 28), (10, 28),
    ]  # fmt: skip


def test_the_first_and_the_last_moment_of_a_trace_are_drawn(tmp_path: Path) -> None:
    def kernel(stream: int, start: float, length: float) -> dict[str, object]:
        return {
            "ph": "X", "cat": "kernel", "name": "kernel", "pid": 0, "tid": stream, "ts": start,
            "dur": length,
        }  # fmt: skip

    file = tmp_path / "trace.json"
    kernels = [kernel(7, 100, 50), kernel(8, 100, 0), kernel(9, 150, 0)]
    file.write_text(json.dumps({"traceEvents": kernels}))
    figure = layout(open_recording(file).trace)
    plot = figure.right - figure.left
    edges = [(row.boxes.left.tolist(), row.boxes.right.tolist()) for row in figure.panels[0].rows]
    assert edges[0] == ([0], [pytest.approx(plot)])
    assert len(edges[1][0]) == 1 and edges[1][0][0] == 0 < edges[1][1][0]
    assert len(edges[2][0]) == 1 and edges[2][0][0] < edges[2][1][0] == pytest.approx(plot)


def test_a_figure_that_reduces_spans_contains_a_note() -> None:
    trace = trace_of(specification(schedule="1f1b", batch=256, microbatches=64, steps=12))
    whole = FigureOptions("one-column", caption="", excerpt=ExcerptOptions(range="0ns:"))
    texts = words(svg(figure_of([trace], whole)))
    assert any(text.startswith("Reduced detail: on average up to") for text in texts)
    one = FigureOptions("one-column", caption="", excerpt=ExcerptOptions(steps="1"))
    assert not any("Reduced" in word for word in words(svg(figure_of([trace], one))))


def test_the_median_step_is_shown_unless_another_is_named() -> None:
    trace = trace_of(specification(steps=4))
    shown = median_range(trace)
    lengths = {s: trace.step_bounds(s)[1] - trace.step_bounds(s)[0] for s in (2, 3, 4, 5)}
    (step,) = shown.steps
    assert lengths[step] == sorted(lengths.values())[1]
    assert (shown.start, shown.end) == trace.step_bounds(step)
    assert median_range(trace_of(specification(steps=1))).text == "step 1"


def test_the_caption_of_a_predicted_run_says_that_it_is_predicted(gpipe: Trace) -> None:
    predicted = without_steps(gpipe)
    predicted = Trace(predicted.header)
    text = words(svg(figure_of([predicted], FigureOptions("two-column"))))
    assert any(word.startswith("Predicted: ") for word in text)


def test_numbers_are_explained_only_where_there_are_micro_batches(gpipe: Trace) -> None:
    for trace, there in ((gpipe, True), (trace_of(specification("dp", steps=1)), False)):
        text = words(svg(figure_of([trace], FigureOptions("two-column"))))
        assert any("Numbers are micro-batches." in word for word in text) is there


@pytest.mark.parametrize("options", [
    FigureOptions("slide"), FigureOptions("one-column", font_pt=20),
    FigureOptions("two-column", font_pt=30, idle=False),
])  # fmt: skip
def test_the_least_width_that_a_refusal_states_is_the_least(
    gpipe: Trace, options: FigureOptions
) -> None:
    with pytest.raises(ValueError, match="use at least") as refusal:
        figure_of([gpipe], replace(options, width_mm=30))
    stated = re.search(r"at least (\d+) mm", str(refusal.value))
    assert stated is not None
    least = int(stated[1])
    assert figure_of([gpipe], replace(options, width_mm=least)).width > 0
    with pytest.raises(ValueError, match=f"a width of {least - 1} mm is too small"):
        figure_of([gpipe], replace(options, width_mm=least - 1))


def test_several_runs_without_a_preset_are_refused(gpipe: Trace) -> None:
    with pytest.raises(ValueError, match="add --figure one-column"):
        figure_of([gpipe, gpipe], FigureOptions())


def test_a_timeline_leaves_out_unwanted_parts_and_does_not_change_the_scene(
    gpipe: Trace,
) -> None:
    scene = Scene(gpipe)
    before = [facts.idle for facts in scene.facts]
    bare = FigureOptions(legend=False, axis=False, makespan=False, idle=False, title="",
                         caption="Below.")  # fmt: skip
    text = words(svg(figure_of([scene], bare)))
    assert "Below." in text and "cpu:3" in text
    assert not any(word.startswith(("idle", "forward", "0 ms", "Pipeline")) for word in text)
    assert [facts.idle for facts in scene.facts] == before and all(before)


def test_a_copied_figure_is_both_an_image_and_an_svg(gpipe: Trace) -> None:
    copy_picture(figure_of([gpipe], FigureOptions("slide")))
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage() and bytes(data.data(SVG).data()).lstrip().startswith(b"<?xml")


def test_the_command_line_draws_several_recordings_on_one_axis(tmp_path: Path) -> None:
    for schedule in ("gpipe", "1f1b"):
        record(specification(schedule=schedule, steps=1), tmp_path / f"{schedule}.arrow")
    names = [str(tmp_path / name) for name in ("gpipe.arrow", "1f1b.arrow")]
    drawn = tmp_path / "both.svg"
    assert run_arguments(["export", *names, "--image", str(drawn), "--figure", "one-column"]) == 0
    assert {"Pipeline GPipe", "Pipeline 1F1B"} <= set(words(ElementTree.parse(drawn).getroot()))
    for suffix, start in ((".tex", "  Pipeline 1F1B & "), (".md", "| Pipeline 1F1B | "),
                          (".csv", "Pipeline 1F1B,")):  # fmt: skip
        table = tmp_path / f"runs{suffix}"
        assert run_arguments(["export", *names, "--runs", str(table)]) == 0
        assert sum(line.startswith(start) for line in table.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--image x.svg --figure poster", "--figure poster: use slide"),
        ("--image x.svg --lanes 9", "--lanes 9: the run has lanes 0 to 1"),
        ("--image x.svg --steps 9 --figure slide", "--steps 9: the run has"),
        (
            "--image x.svg --figure slide --width-mm 50",
            "a width of 50 mm is too small for the lanes' names and this size of text",
        ),
        (
            "--image x.svg --figure one-column --width-mm 30 --font-pt 20",
            "a width of 30 mm is too small for the lanes' names and this size of text",
        ),
        ("--image x.svg --range 10s:", "from its first measured step on"),
        ("--report x.txt", "--report x.txt: use a name that ends in .html"),
        (
            "",
            "export needs --image FILE, --animation FILE, --report FILE, --runs FILE",
        ),
        ("--runs runs.txt", "--runs runs.txt: use a name that ends in .tex, .md, .csv"),
    ],
)
def test_bad_command_line_options_are_reported_in_one_line_and_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    options: str, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    record(specification(steps=1), tmp_path / "run.arrow")
    assert run_arguments(["export", "run.arrow", *options.split()]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run.arrow"]


def test_a_caption_says_once_that_runs_are_measured(gpipe: Trace, one_f_one_b: Trace) -> None:
    runs = [
        FigureRun(Scene(gpipe), step_range(gpipe, 4), "Pipeline GPipe"),
        FigureRun(Scene(one_f_one_b), step_range(one_f_one_b, 3), "Pipeline 1F1B"),
        FigureRun(Scene(gpipe), step_range(gpipe, 4), "Pipeline ZB-H1"),
    ]
    assert caption_of(runs[:2]).startswith(
        "Measured: step 3 (Pipeline GPipe); step 2, the median of 3 steps (Pipeline 1F1B)."
    )
    assert caption_of(runs).startswith(
        "Measured: step 3 (Pipeline GPipe, Pipeline ZB-H1); step 2, the median of 3 steps "
        "(Pipeline 1F1B)."
    )
    same = [runs[0], replace(runs[1], shown=step_range(one_f_one_b, 4))]
    assert caption_of(same).startswith("Measured: step 3.")
    predicted = copy(gpipe)
    predicted.header = replace(gpipe.header, source=Source.PREDICTED)
    mixed = [runs[1], FigureRun(Scene(predicted), step_range(gpipe, 4), "predicted")]
    assert caption_of(mixed).startswith(
        "Measured: step 2, the median of 3 steps (Pipeline 1F1B). Predicted: step 3 (predicted)."
    )
