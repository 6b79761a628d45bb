"""Texts of bars, tooltips and the legend, also of overlaps and lanes of several stages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QImage, QPainter

from core.models.catalogue import ModelSettings
from core.plan.plan import Role, working_lanes
from core.plan.task import KINDS, Kind
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.trace.span import Span
from core.trace.trace import Trace
from gui.figures.parts import lane_name
from gui.look.families import FAMILIES, family_of
from gui.look.theme import LIGHT
from gui.timeline.interact.describe import (
    action,
    predicted_card,
    span_card,
    span_lines,
    span_title,
)
from gui.timeline.interact.facts import facts
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import LABELS, Frame, Viewport
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint.boxes import stacked
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.legend import legend_entries, legend_lines
from gui.timeline.paint.margins import draw_labels
from gui.timeline.state.bar_looks import TextLook, labels_of, on_one_line, shortened, words_of
from gui.timeline.state.scene import Scene
from tests.make_believe import header_and_plans, specification, trace_of

pytestmark = pytest.mark.usefixtures("qapp")
OVERLAP = Span(
    0, 0, Kind.OVERLAP, 0, 7, 100, 300, stage=0, microbatch=3, paired_stage=3, paired_microbatch=1
)
NONE = Strips()
FORWARD = Span(0, 0, Kind.FORWARD, 0, 7, 1_000, 2_000, stage=2, microbatch=5)


def test_an_overlap_names_both_of_its_actions() -> None:
    assert OVERLAP.label == "F3 B1"
    assert action(OVERLAP) == "0F3+3B1"
    assert span_title(OVERLAP) == "Forward 0F3 and backward 3B1"


def test_a_replica_is_named_in_the_title() -> None:
    assert span_title(replace(OVERLAP, replica=1)) == "Forward 0F3 and backward 3B1 · replica 1"
    named = span_title(replace(FORWARD, replica=1))
    assert named == "Forward · stage 2 · replica 1 · micro-batch 5"


@pytest.mark.parametrize(
    ("span", "label"),
    [
        (FORWARD, "F5"),
        (replace(FORWARD, kind=Kind.BACKWARD_INPUT), "I5"),
        (replace(FORWARD, kind=Kind.BACKWARD_WEIGHT), "W5"),
        (Span(0, 0, Kind.ALL_GATHER, 0, 0, 0, 1, block=4), "AG4"),
        (Span(0, 0, Kind.REDUCE_SCATTER, 0, 0, 0, 1, block=4), "RS4"),
        (Span(0, 0, Kind.SCATTER, 0, 0, 0, 1, replica=1), "S1"),
        (Span(0, 0, Kind.STEP, 0, 0, 0, 1, replica=1), "U"),
    ],
)
def test_a_bar_carries_its_kinds_letter_and_its_number(span: Span, label: str) -> None:
    assert span.label == label


@pytest.mark.parametrize(
    ("staged", "halves"), [(False, (("F3",), ("B1",))), (True, (("0F3", "F3"), ("3B1", "B1")))]
)
def test_each_half_of_an_overlap_names_one_action(
    staged: bool, halves: tuple[tuple[str, ...], ...]
) -> None:
    code = KINDS.index(Kind.OVERLAP)
    made = labels_of(code, (3, -1, -1, -1, 1), 0, 3, staged)
    assert made == halves
    assert on_one_line(made)[0][-1] == "F3 B1"


def test_a_narrow_bar_keeps_the_number_of_a_pass_and_the_letter_of_a_transfer() -> None:
    forward, replicate = KINDS.index(Kind.FORWARD), KINDS.index(Kind.REPLICATE)
    assert labels_of(forward, (4, -1, -1, -1, -1), 0, -1, False) == (("F4", "4"),)
    assert labels_of(forward, (4, -1, -1, -1, -1), 2, -1, True) == (("2F4", "F4", "4"),)
    assert labels_of(forward, (-1, -1, -1, -1, -1), 0, -1, False) == (("F",),)
    assert labels_of(replicate, (-1, -1, -1, 3, -1), 0, -1, False) == (("R3", "R"),)


def test_a_narrow_bar_of_a_numbered_layer_keeps_the_number() -> None:
    assert shortened("Linear 8") == ("Linear 8", "Linear…", "8")
    assert shortened("TransformerEncoderLayer 12")[-2:] == ("Transf…", "12")
    assert shortened("layers.8") == ("layers.8", "layers…")


def test_a_task_without_a_stage_is_not_given_one() -> None:
    code = KINDS.index(Kind.REDUCE)
    assert labels_of(code, (-1, -1, -1, -1, -1), -1, -1, True) == (("Σ",),)


@pytest.mark.parametrize("height", [8.0, 27.0, 53.0, 56.0])
def test_halves_meet_at_a_whole_pixel_and_fill_the_bar(height: float) -> None:
    upper, lower = stacked(QRectF(3, 10, 20, height), 2)
    assert upper.top() == 10
    assert upper.bottom() == lower.top() == round(lower.top())
    assert lower.bottom() == 10 + height


def test_a_prediction_is_shown_next_to_the_measurement_with_its_error() -> None:
    title, lines = predicted_card("F5", FORWARD, replace(FORWARD, start=900, end=1_950))
    assert title.replace("\u00a0", " ") == "Predicted: F5, 1 µs (measured 1.05 µs, +5 %)"
    assert lines[1].replace("\u00a0", " ") == "It began 100 ns earlier than predicted."
    assert predicted_card("F5", FORWARD, None)[1][-1] == "Not measured yet."


def texts(scene: Scene, strips: Strips = NONE) -> list[str]:
    return [entry.text for entry in legend_entries(scene, LIGHT, strips)]


def test_the_legend_names_only_kinds_that_are_present() -> None:
    assert texts(Scene(trace_of(specification("single", steps=1)))) == [
        "forward (F)", "backward (B)", "loss and update (L loss, U update)", "idle",
    ]  # fmt: skip
    split = specification(devices="4xcpu", schedule="zb-h1", steps=1)
    assert {"backward-input (I)", "backward-weight (W)"} <= set(texts(Scene(trace_of(split))))
    assert texts(Scene(Trace(header_and_plans(specification())[0]))) == []
    without_steps = Scene(trace_of(specification("single", steps=1)))
    without_steps.step_numbers = without_steps.step_numbers[:0]
    assert "idle" not in texts(without_steps)  # nothing is hatched


def test_the_legend_explains_the_strips_that_are_shown() -> None:
    scene = Scene(trace_of(specification(steps=1)))
    assert texts(scene, Strips(prediction=True))[-1] == "predicted"
    assert texts(scene, Strips(memory=True))[-2:] == ["activations held", "other memory"]


def test_a_legend_that_does_not_fit_wraps_and_is_complete() -> None:
    scene = Scene(trace_of(specification(steps=1)))
    entries = legend_entries(scene, LIGHT, Strips(True, True))
    fonts = Fonts.of(QFont())
    assert len(legend_lines(entries, fonts, 10_000)) == 1
    lines = legend_lines(entries, fonts, 300)
    assert len(lines) > 1
    assert [entry for line in lines for entry in line] == entries
    assert legend_lines(entries, fonts, 1) == [[entry] for entry in entries]


def test_a_bar_of_a_lane_with_two_stages_names_its_stage_if_it_fits() -> None:
    scene = Scene(trace_of(specification(devices="4xcpu", schedule="interleaved", steps=1)))
    assert [facts.stages for facts in scene.facts] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert scene.facts[1].place == "stages 1, 5"


def test_a_lane_names_the_blocks_of_its_stages() -> None:
    model = ModelSettings(width=8, depth=8)

    def blocks(strategy: str = "pipeline", **values: object) -> list[str]:
        given = {"devices": "4xcpu", "steps": 1, "model": model, **values}
        return [facts.blocks for facts in Scene(trace_of(specification(strategy, **given))).facts]

    assert blocks() == ["blocks 0–1", "blocks 2–3", "blocks 4–5", "blocks 6–7"]
    assert blocks(borders="1,4,5") == ["block 0", "blocks 1–3", "block 4", "blocks 5–7"]
    assert blocks(schedule="interleaved") == ["blocks 0, 4", "blocks 1, 5", "blocks 2, 6",
                                              "blocks 3, 7"]  # fmt: skip
    assert blocks("mp") == blocks()
    for whole in ("dp", "single", "tp"):
        assert set(blocks(whole, devices="2xcpu" if whole != "single" else "cpu")) == {""}


def test_a_lane_of_several_replicas_and_stages_names_both() -> None:
    spec = specification("dp-pp", devices="4xcpu", replicas=2, steps=1)
    facts = Scene(trace_of(spec)).facts
    assert [(f.place, f.other_place) for f in facts] == [
        ("stage 0", "replica 0"), ("stage 1", "replica 0"),
        ("stage 0", "replica 1"), ("stage 1", "replica 1"),
    ]  # fmt: skip
    only = Scene(trace_of(specification("dp", steps=1))).facts
    assert [(f.place, f.other_place) for f in only] == [("replica 0", ""), ("replica 1", "")]


def test_every_familys_colours_are_drawn_from_the_top(qapp: object) -> None:
    overlap = LIGHT.families[FAMILIES.index(family_of(Kind.OVERLAP))]
    assert [colour.name() for colour in overlap] == [LIGHT.forward, LIGHT.backward]


def test_tasks_of_imported_traces_are_described_by_their_names(
    qapp: object, tmp_path: Path
) -> None:
    event = {"ph": "X", "pid": 1, "dur": 10, "tid": 1, "ts": 0, "name": "sent"}
    arrow = {"pid": 1, "id": 1, "name": "to", "cat": "c"}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps([
        event, {**event, "tid": 2, "ts": 20, "name": "came"},
        {**arrow, "ph": "s", "tid": 1, "ts": 5}, {**arrow, "ph": "f", "tid": 2, "ts": 25},
    ]))  # fmt: skip
    trace = open_recording(path).trace
    _, lines = span_card(trace, trace.span(1, 0))
    said = [line.replace("\u00a0", " ") for line in lines]
    assert said == [
        "came · thread 2 · 10 µs",
        "Waited for sent on thread 1; started 10 µs after it.",
    ]


UNEVEN = specification(
    schedule="dualpipe-v", batch=50, microbatches=9, model=ModelSettings(width=8, depth=12)
)


def test_each_half_of_an_overlap_shows_its_own_rows() -> None:
    """Of 50 rows in 9 micro-batches, the first five have 6 rows and the others 5."""
    trace, font = trace_of(UNEVEN), QFont().toString()
    spans = [
        trace.span(lane.index, index)
        for lane in working_lanes(trace.header.lanes)
        for index in range(len(trace.spans(lane.index)))
    ]
    overlaps = [span for span in spans if span.kind is Kind.OVERLAP]
    uneven = 0
    for span in overlaps:
        forward, backward = (5 + (n < 5) for n in (span.microbatch, span.paired_microbatch))
        place = int(trace.table.rows_of(np.zeros(1, np.int32), np.array([span.task], np.int32))[0])
        look = TextLook(font, font, staged=True, low=False, shrinks=False)
        high = words_of(trace.table, place, look)
        told = [label.text for label in high.carried if label is not None]
        assert told == [f"{forward} rows", f"{backward} rows"]
        both = f"{forward} rows forward, {backward} rows backward"
        wanted = both if forward != backward else f"{forward} rows"
        assert f" · {wanted} · " in span_lines(trace, span)[0]
        assert dict(facts(trace, span))["Rows"] == (both if "," in wanted else str(forward))
        uneven += forward != backward
    assert uneven and len(overlaps) > uneven


def test_a_bar_has_the_short_name_of_a_function_and_its_tooltip_the_full_one(
    tmp_path: Path,
) -> None:
    path, name = tmp_path / "trace.json", "void at::native::copy<float, 4>(float*)"
    path.write_text(json.dumps([{"ph": "X", "ts": 0, "dur": 1, "name": name}]))
    trace = open_recording(path).trace
    fonts = Fonts.of(QFont())
    bold, small = fonts.bold.toString(), fonts.small.toString()
    look = TextLook(bold, small, staged=False, low=False, shrinks=False)
    words = words_of(trace.table, 0, look)
    assert [label.text for label in words.parts[0]] == ["copy"]
    heading, lines = span_card(trace, trace.span(0, 0))
    assert heading == name and lines[0].startswith("copy · ")


def test_names_of_lanes_that_are_too_long_still_differ(tmp_path: Path) -> None:
    threads = [f"data loader worker thread number {n}" for n in (1, 2)]
    events = []
    for tid, thread in enumerate(threads):
        events.append({"ph": "M", "name": "thread_name", "tid": tid, "args": {"name": thread}})
        events.append({"ph": "X", "ts": 0, "dur": 1, "name": "load", "tid": tid})
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))
    scene = Scene(open_recording(path).trace)
    assert [facts.name for facts in scene.facts] == threads
    layout = lay_out(scene.trace.header.lanes, 300, NONE)
    frame = Frame(Viewport(0, 1e6, 400), layout, LABELS, 20, LIGHT)
    drawn = []
    for track in layout.tracks:
        image = QImage(600, 320, QImage.Format.Format_RGB32)
        image.fill(0xFFFFFFFF)
        with QPainter(image) as painter:
            draw_labels(Canvas.on(painter, frame, Fonts.of(QFont())), scene)
        drawn.append(image.copy(0, int(20 + track.top), int(LABELS), int(track.height)))
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("name", ["", " "])
def test_a_helper_lane_with_a_blank_name_has_a_blank_label(name: str, tmp_path: Path) -> None:
    header, _ = header_and_plans(specification(devices="3xcpu"))
    lanes = [replace(lane, name=name, role=Role.COPY, serves=0) for lane in header.lanes]
    lanes[0] = header.lanes[0]
    path = tmp_path / "run.arrow"
    list(write_recording(Trace(replace(header, lanes=tuple(lanes))), path))
    scene = Scene(open_recording(path).trace)
    layout = lay_out(scene.trace.header.lanes, 300, NONE)
    assert [track.helper for track in layout.tracks] == [False, True, True]
    frame = Frame(Viewport(0, 1e6, 400), layout, LABELS, 20, LIGHT)
    image = QImage(600, 320, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        draw_labels(Canvas.on(painter, frame, Fonts.of(QFont())), scene)
    assert [lane_name(lane).strip() for lane in scene.trace.header.lanes] == ["cpu:0", "", ""]
