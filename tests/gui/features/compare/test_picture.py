"""Pictures and reports of two runs."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage

from core.compare.alignment import Alignment, at_moments
from core.compare.runs import compare_runs
from core.trace.trace import Trace
from gui.features.compare.picture import Both, export_both, picture_of
from gui.features.compare.report import write_both_report
from gui.figures.picture import image_of
from tests.make_believe import specification, trace_of

SVG = "{http://www.w3.org/2000/svg}"


TICK = re.compile(r"[1-9]\d+")
"""A number on an axis; narrow bars have a single digit."""


def both_of(a: Trace, b: Trace, **values: object) -> Both:
    """Two runs, aligned where their compared steps begin."""
    two = compare_runs(a, b)
    bounds = [tuple(map(float, t.step_bounds(s))) for t, s in ((a, two.step_a), (b, two.step_b))]
    laid = at_moments(bounds[0][0], bounds[1][0], bounds[0], bounds[1], fit=False)
    return Both(two, (a, b), laid, **values)


@pytest.fixture
def both() -> Both:
    """Pipelines of two and of eight micro-batches."""
    return both_of(*(trace_of(specification(microbatches=n)) for n in (2, 8)))


def texts(path: Path) -> list[str]:
    """The texts of an SVG drawing."""
    found = ElementTree.parse(path).iter(f"{SVG}text")
    return ["".join(element.itertext()).strip() for element in found]


def test_the_picture_names_both_runs_and_the_reason(both: Both, tmp_path: Path) -> None:
    export_both(both, tmp_path / "both.svg")
    words = texts(tmp_path / "both.svg")
    assert any("8 micro-batches instead of 2" in text for text in words)
    assert sum(text.startswith(("A  Pipeline", "B  Pipeline")) for text in words) == 2


def test_both_axes_have_the_same_labels_in_true_time(both: Both, tmp_path: Path) -> None:
    export_both(both, tmp_path / "both.svg")
    ticks = [text for text in texts(tmp_path / "both.svg") if TICK.fullmatch(text)]
    assert len(ticks) >= 6 and ticks[: len(ticks) // 2] == ticks[len(ticks) // 2 :]


def test_the_drawing_contains_no_raster_image(both: Both, tmp_path: Path) -> None:
    export_both(both, tmp_path / "both.svg")
    assert not list(ElementTree.parse(tmp_path / "both.svg").iter(f"{SVG}image"))
    export_both(both, tmp_path / "both.pdf")
    assert b"/Subtype /Image" not in (tmp_path / "both.pdf").read_bytes()


def test_joins_are_drawn_if_they_are_requested(both: Both, qapp: object) -> None:
    plain = image_of(picture_of(both))
    joined = image_of(picture_of(both_of(*both.traces, joins=True)))
    assert plain.size() == joined.size() and plain != joined


def test_a_picture_of_a_range_has_only_ticks_of_that_range(both: Both, tmp_path: Path) -> None:
    begin = float(both.traces[0].step_bounds(both.two.step_a)[0])
    part = both_of(*both.traces, part=(begin + 40e6, begin + 60e6))
    export_both(part, tmp_path / "part.svg")
    ticks = [text for text in texts(tmp_path / "part.svg") if TICK.fullmatch(text)]
    assert ticks and all(40 <= int(re.split(r"\s", text)[0]) <= 60 for text in ticks)


def test_steps_that_are_not_compared_are_faint(both: Both, qapp: object) -> None:
    shorter, longer = sorted(both.traces, key=lambda trace: step_length(trace))
    pair = both_of(shorter, longer)
    begin = float(shorter.step_bounds(pair.two.step_a)[0])
    within = (begin, begin + step_length(shorter))
    beyond = (within[1] + 1e3, begin + step_length(longer))
    strong, faint = (
        upper_saturation(image_of(picture_of(both_of(shorter, longer, part=part))))
        for part in (within, beyond)
    )
    assert strong > 150
    assert 20 < faint < 80  # visible, but clearly different from the compared step


def step_length(trace: Trace) -> float:
    """Return the length of the compared step in ns; all steps are equally long."""
    start, end = trace.step_bounds(trace.steps[-1])
    return float(end - start)


def upper_saturation(image: QImage) -> int:
    """Return the highest saturation in the part of a picture that shows run A."""
    return max(
        image.pixelColor(x, y).hsvSaturation()
        for x in range(0, image.width(), 7)
        for y in range(0, int(0.4 * image.height()), 5)
    )


def test_a_file_that_cannot_be_written_is_refused_in_one_line(both: Both, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in \.png, \.svg or \.pdf"):
        export_both(both, tmp_path / "both.bmp")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.outside += [v for n, v in attrs if n in ("src", "href") and (v or "#")[0] != "#"]


def test_a_report_is_one_file_and_gives_the_reasons(both: Both, tmp_path: Path) -> None:
    write_both_report(both, tmp_path / "both.html")
    text = (tmp_path / "both.html").read_text(encoding="utf-8")
    page = _Page()
    page.feed(text)
    assert text.count("<script") == 1 and page.outside == []
    assert "8 micro-batches instead of 2" in text and "idle: other lane" in text
    assert text.count('data-run="') == 2


def test_any_lane_name_is_harmless_in_a_report(tmp_path: Path) -> None:
    a, b = (trace_of(specification(microbatches=n)) for n in (2, 8))
    lanes = tuple(replace(lane, name="<script>alert(1)</script>") for lane in a.header.lanes)
    a.header = replace(a.header, lanes=lanes)
    write_both_report(both_of(a, b), tmp_path / "both.html")
    assert (tmp_path / "both.html").read_text(encoding="utf-8").count("<script") == 1


def test_an_alignment_at_a_task_moves_the_second_axis(both: Both, tmp_path: Path) -> None:
    laid = Alignment(both.alignment.a + 30e6, both.alignment.b + 10e6)
    export_both(Both(both.two, both.traces, laid), tmp_path / "both.svg")
    words = texts(tmp_path / "both.svg")
    assert any(text.startswith("B  Pipeline") for text in words)
    assert [text for text in words if text == "0"] == ["0"] * 2
