"""Reports: one file that needs nothing else, with every text harmless."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import main
from core.models.catalogue import ModelSettings
from core.recording.decode import append_batch
from core.recording.recording import open_recording
from core.report.step_figures import StepFigures
from core.trace.trace import Trace
from gui.report.page import Section, bar_of, facts, page, paragraph, table
from gui.report.run import MOST_ROWS, _waterfall, explained_steps, run_sections, write_run_report
from gui.timeline.state.scene import Scene
from tests.core.explain.made import CIRCLE
from tests.make_believe import batches, header_and_plans, record, specification, trace_of

pytestmark = pytest.mark.usefixtures("qapp")
EVIL = '<script>alert("1")</script>&'
VOID = ("meta", "br", "img", "link", "hr", "input")


class Reader(HTMLParser):
    """Takes a page apart and fails it if its elements are not closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += [data.replace("\u00a0", " ").strip()] if data.strip() else []


def report(trace: Trace, path: Path) -> Reader:
    write_run_report(trace, path)
    return Reader(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of(specification(devices="4xcpu", schedule="gpipe", steps=3))


def test_a_report_tells_what_the_window_tells_of_a_run(trace: Trace, tmp_path: Path) -> None:
    words = report(trace, tmp_path / "run.html").words
    for heading in (
        "In short", "Timeline", "Lanes", "From the ideal step to this one", "Idle time by cause",
        "Critical path", "Steps", "Settings",
    ):  # fmt: skip
        assert words.count(heading) == 1, heading
    for word in (
        "Pipeline GPipe · MLP · 4 lanes · batch 64", "143 ms", "cpu:3", "29.6 %", "gpipe",
        "perfect division", "pipeline fills", "forward (F)", "step 3",
    ):  # fmt: skip
        assert word in words, word


def test_a_report_needs_no_network_and_runs_no_script(trace: Trace, tmp_path: Path) -> None:
    read = report(trace, tmp_path / "run.html")
    assert not {"script", "link", "img", "image", "iframe", "object", "base"} & set(read.tags)
    names = [name for name, _ in read.attributes]
    assert not [n for n in names if n in ("src", "href", "xlink:href") or n.startswith("on")]
    text = (tmp_path / "run.html").read_text()
    addresses = set(re.findall(r"https?://[^\"'\s<]+", text))
    assert addresses == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in text and "url(" not in text


def test_a_report_is_light_and_dark_and_light_on_paper(trace: Trace, tmp_path: Path) -> None:
    read = report(trace, tmp_path / "run.html")
    assert read.tags.count("svg") == 2
    text = (tmp_path / "run.html").read_text()
    assert text.count("prefers-color-scheme: dark") == 2 and text.count("@media print") == 2
    identifiers = [value for name, value in read.attributes if name == "id"]
    assert len(set(identifiers)) == len(identifiers)


def test_names_that_look_like_markup_are_harmless(tmp_path: Path) -> None:
    spec = specification(model=ModelSettings(name="mlp", width=64), steps=2)
    header, made = batches(spec)
    lanes = tuple(
        replace(lane, name=f"{EVIL}{lane.index}", device=EVIL, sharing=EVIL)
        for lane in header.lanes
    )
    evil = Trace(replace(
        header, lanes=lanes, started=EVIL, model=replace(header.model, name=EVIL),
        specification=replace(spec, model=replace(spec.model, name=EVIL), strategy=EVIL),
        hardware={EVIL: {EVIL: EVIL}}, versions={EVIL: EVIL},
    ))  # fmt: skip
    for batch in made:
        append_batch(evil, batch)
    read = report(evil, tmp_path / "run.html")
    assert "script" not in read.tags
    assert "<script" not in (tmp_path / "run.html").read_text().lower()
    assert any(EVIL in word for word in read.words)


@pytest.mark.parametrize(
    "made",
    [
        lambda: paragraph(EVIL, EVIL),
        lambda: facts([(EVIL, EVIL)]),
        lambda: table([EVIL], [[EVIL]]),
        lambda: table([EVIL, EVIL], [[EVIL, bar_of([(EVIL, 0.5)])]], bar=True),
    ],
)
def test_every_piece_of_a_page_escapes_its_text(made: Callable[[], str]) -> None:
    text = page(EVIL, EVIL, [Section(EVIL, made())])
    assert "script" not in Reader(text).tags and "<script" not in text


def test_a_run_without_spans_has_a_report_that_says_so(tmp_path: Path) -> None:
    read = report(Trace(header_and_plans(specification())[0]), tmp_path / "run.html")
    assert "This run has recorded no spans." in read.words and "Settings" in read.words


def test_the_rungs_of_a_ladder_stand_where_the_one_before_ends(
    trace: Trace, tmp_path: Path
) -> None:
    report(trace, tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text()
    ladder = text[text.index("From the ideal") : text.index("Idle time by cause")]
    bars = re.findall(r'style="(?:margin-left:([\d.]+)%;)?width:([\d.]+)%', ladder)
    places = [(float(before or 0), float(wide)) for before, wide in bars]
    reached = 0.0
    for before, wide in places[:-1]:
        assert before == pytest.approx(reached, abs=0.05) or before + wide == pytest.approx(reached)
        reached = before + wide if before == pytest.approx(reached, abs=0.05) else before
    assert reached == pytest.approx(100.0, abs=0.1) and places[-1] == (0.0, 100.0)


def test_a_rung_that_descends_ends_within_the_bar() -> None:
    ladder = {"ideal": 150, "imbalance": 50, "contention": -120, "host": 20}
    html = _waterfall(StepFigures((), 0.0, 0.0, None, ladder, {}))
    bars = re.findall(r'style="(?:margin-left:([\d.]+)%;)?width:([\d.]+)%', html)
    places = [(float(before or 0), float(wide)) for before, wide in bars]
    assert places == [(0, 75), (75, 25), (40, 60), (40, 10), (0, 50)]
    assert "−120" in html and "−120.0" in html.replace("\u00a0", " ")


def test_a_long_run_is_reported_by_its_latest_steps_which_is_said(
    monkeypatch: pytest.MonkeyPatch, trace: Trace, tmp_path: Path
) -> None:
    scene = Scene(trace)
    assert explained_steps(scene) == [2, 3, 4]
    tasks = scene.explained.tasks(4)
    monkeypatch.setattr("gui.report.run.MOST_TASKS", 2 * tasks)
    assert explained_steps(scene) == [3, 4]
    read = report(trace, tmp_path / "run.html")
    assert "All figures are of the last 2 of 3 measured steps." in read.words


def test_a_report_comes_bit_by_bit(trace: Trace) -> None:
    bits = list(run_sections(Scene(trace)))
    assert bits[:3] == [None] * 3 and all(isinstance(bit, Section) for bit in bits[3:])


def test_lanes_beyond_what_a_table_lists_are_counted(tmp_path: Path) -> None:
    lanes = MOST_ROWS + 6
    spec = specification("dp", devices=f"{lanes}xcpu", batch=lanes, steps=1, warmup=0)
    assert "6 further lanes are not listed." in report(trace_of(spec), tmp_path / "x.html").words


def test_a_report_that_cannot_be_written_is_one_line_and_leaves_nothing(
    trace: Trace, tmp_path: Path
) -> None:
    (tmp_path / "run.html").mkdir()
    with pytest.raises(ValueError, match="cannot be written") as raised:
        write_run_report(trace, tmp_path / "run.html")
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == [tmp_path / "run.html"]


def test_the_command_line_writes_a_report(tmp_path: Path) -> None:
    record(specification(steps=1), tmp_path / "run.arrow")
    line = ["export", str(tmp_path / "run.arrow"), "--report", str(tmp_path / "run.html")]
    assert main.main(line) == 0
    assert "Critical path" in Reader((tmp_path / "run.html").read_text()).words


def test_a_run_that_waits_in_circles_is_reported(tmp_path: Path) -> None:
    trace = open_recording(CIRCLE).trace
    assert "Critical path" in report(trace, tmp_path / "run.html").words
