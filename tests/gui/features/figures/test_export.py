"""Figures: their formats and contents, and errors when they cannot be written."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from core.paths import PROJECT_ROOT
from core.recording.decode import append_batch
from core.recording.recording import open_recording
from core.trace.complete import completed_steps
from core.trace.trace import Trace
from gui.app.titles import run_title
from gui.figures.shown import default_range
from tests.full_disk import full_disk
from tests.gui.exported import export_image
from tests.make_believe import GPUS, MS, batches, header_and_plans, record, specification, trace_of

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of(specification(devices="4xcpu", steps=5))


def words_of(svg: Path) -> list[str]:
    text = svg.read_text().replace("\u00a0", " ")
    return [re.sub(r"\s+", " ", word).strip() for word in re.findall(r">([^<>]+)</text>", text)]


def test_an_svg_holds_title_lanes_axis_legend_makespan_and_idle_share(
    trace: Trace, tmp_path: Path
) -> None:
    export_image(trace, tmp_path / "x.svg")
    words = words_of(tmp_path / "x.svg")
    assert "Pipeline 1F1B · MLP · 4 lanes · batch 64" in words
    assert any("last 2 of 5 measured steps · makespan 142 ms, 142 ms" in word for word in words)
    for name in (
        "cpu:0",
        "cpu:3",
        "stage 3",
        "0",
        "ms since step 4",
        "F0",
        "B7",
        "step 5 · 142 ms",
    ):
        assert name in words
    assert sum(word.startswith("idle ") for word in words) == 4
    for meaning in ("forward (F)", "backward (B)", "loss and update (L loss, U update)", "idle"):
        assert meaning in words


def test_an_svg_is_made_of_shapes_without_pictures(trace: Trace, tmp_path: Path) -> None:
    export_image(trace, tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    assert "<image" not in text
    assert 'version="1.1"' in text


def test_a_pdf_begins_with_the_pdf_signature(trace: Trace, tmp_path: Path) -> None:
    export_image(trace, tmp_path / "x.pdf")
    data = (tmp_path / "x.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert data.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_png_has_twice_the_figures_width_and_its_themes_colours(
    trace: Trace, tmp_path: Path, theme: str
) -> None:
    export_image(trace, tmp_path / "x.png", theme=theme, width=1000)
    image = QImage(str(tmp_path / "x.png"))
    assert image.width() == 2000
    colours = {
        image.pixelColor(x, y).name()
        for x in range(0, 2000, 7)
        for y in range(0, image.height(), 7)
    }
    assert len(colours) > 5
    assert ("#ffffff" in colours) is (theme == "light")


def test_copy_lanes_are_in_the_figure(tmp_path: Path) -> None:
    export_image(trace_of(specification(devices="cuda:0,cuda:1"), GPUS), tmp_path / "x.svg")
    assert words_of(tmp_path / "x.svg").count("copy") == 2


def test_the_notes_of_a_narrow_figure_wrap_and_are_complete(tmp_path: Path) -> None:
    run = trace_of(specification(devices="2xvirtual"))
    note = str(run.header.timing_note).replace("\u00a0", " ")
    heights = []
    for width in (1600, 700):
        export_image(run, tmp_path / "x.svg", width=width)
        assert note in " ".join(words_of(tmp_path / "x.svg"))
        root = ElementTree.fromstring((tmp_path / "x.svg").read_text())
        heights.append(float(root.get("viewBox", "").split()[3]))
    assert heights[1] > heights[0]


def test_a_custom_range_is_named_in_the_figure(trace: Trace, tmp_path: Path) -> None:
    export_image(trace, tmp_path / "x.svg", between=(10 * MS, 60 * MS))
    assert any("10 ms to 60 ms" in word for word in words_of(tmp_path / "x.svg"))


def test_an_empty_range_is_refused(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the range 60 to 10 ns is empty"):
        export_image(trace, tmp_path / "x.svg", between=(60, 10))


def test_the_figure_of_a_run_without_spans_contains_a_message(tmp_path: Path) -> None:
    empty = Trace(header_and_plans(specification())[0])
    export_image(empty, tmp_path / "x.svg")
    assert "This run has recorded no spans." in words_of(tmp_path / "x.svg")


@pytest.mark.parametrize("name", ["x.gif", "x", "x.jpeg"])
def test_an_unknown_suffix_is_refused_with_the_accepted_ones(
    trace: Trace, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ValueError, match=r"end in \.png, \.svg or \.pdf") as raised:
        export_image(trace, tmp_path / name)
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_folder_that_cannot_be_written_is_named_in_one_line(
    trace: Trace, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / "nowhere" / f"x{suffix}"
    with pytest.raises(ValueError, match="cannot be written") as raised:
        export_image(trace, path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_file_that_cannot_be_replaced_is_kept_and_no_partial_file_is_left(
    trace: Trace, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"x{suffix}"
    path.mkdir()
    with pytest.raises(ValueError, match="cannot be written"):
        export_image(trace, path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_full_disk_is_reported_in_one_line_and_keeps_the_old_file(
    trace: Trace, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_text("before")
    with full_disk(), pytest.raises(ValueError, match="cannot be written: File too large"):
        export_image(trace, path)
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_file_name_of_a_picture_need_not_be_utf_8(
    trace: Trace, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"caf\udce9{suffix}"
    export_image(trace, path)
    assert path.stat().st_size > 1000


def test_an_svg_is_valid_xml_without_the_control_characters_of_names(tmp_path: Path) -> None:
    header, made = batches(specification(steps=1))
    names = ("cpu\x1b[31m\x00\u202e", "a\nb\ud800")
    lanes = tuple(replace(lane, name=names[lane.index % 2]) for lane in header.lanes)
    trace = Trace(replace(header, lanes=lanes))
    for batch in made:
        append_batch(trace, batch)
    export_image(trace, tmp_path / "x.svg")
    document = (tmp_path / "x.svg").read_text()
    ElementTree.fromstring(document)
    assert not set("\x1b\x00\u202e") & set(document)


def test_only_measured_steps_are_shown_by_default(trace: Trace) -> None:
    shown = default_range(trace)
    assert shown.steps == (5, 6)
    assert (shown.start, shown.end) == (trace.step_bounds(5)[0], trace.step_bounds(6)[1])
    assert default_range(trace_of(specification(steps=1))).text == "1 measured step"


def test_a_step_that_is_cut_off_is_no_measured_step_of_a_figure(tmp_path: Path) -> None:
    whole = PROJECT_ROOT / "resources" / "recordings" / "1f1b-2-cpu-lanes.arrow"
    (tmp_path / "cut.arrow").write_bytes(whole.read_bytes()[:95_000])
    shown = default_range(open_recording(tmp_path / "cut.arrow").trace)
    assert (shown.steps, shown.text) == ((2, 3), "2 measured steps")


def test_the_steps_of_a_figure_have_no_incomplete_step_between_them() -> None:
    header, made = batches(specification(devices="4xcpu", steps=5))
    spans = made[3 * 5 + 2]  # of step 5: each step has batches of open tasks, spans and notes
    made[3 * 5 + 2] = spans.slice(0, len(spans) - 1)
    trace = Trace(header)
    for batch in made:
        append_batch(trace, batch)
    assert completed_steps(trace) == [2, 3, 4, 6]
    shown = default_range(trace)
    assert (shown.steps, shown.text) == ((6,), "last 1 of 4 measured steps")
    assert (shown.start, shown.end) == trace.step_bounds(6)


@pytest.mark.parametrize(
    ("strategy", "title"),
    [
        ("dp", "Data parallel · MLP · 2 lanes · batch 64"),
        ("single", "Single lane · MLP · 2 lanes · batch 64"),
    ],
)
def test_a_title_names_strategy_model_lanes_and_batch(strategy: str, title: str) -> None:
    assert run_title(trace_of(specification(strategy, steps=1))) == title


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_figure_needs_neither_display_nor_torch(tmp_path: Path, suffix: str) -> None:
    record(specification(steps=2), tmp_path / "run.arrow")
    script = (
        "import sys\n"
        "from core.recording.recording import open_recording\n"
        "from pathlib import Path\n"
        "from gui.app.figure_options import FigureOptions\n"
        "from gui.figures.make import write_figure\n"
        f"trace = open_recording({str(tmp_path / 'run.arrow')!r}).trace\n"
        f"write_figure([trace], Path({str(tmp_path / f'x{suffix}')!r}), FigureOptions())\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", script], check=True, timeout=60,
        env={"PATH": "", "PYTHONPATH": str(Path(__file__).parents[3]), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert (tmp_path / f"x{suffix}").stat().st_size > 1000
