"""Reports: one self-contained file in which all texts are escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from bubblescope.cli.start import run_arguments
from core.models.catalogue import ModelSettings
from core.recording.decode import append_batch
from core.recording.recording import open_recording
from core.report.step_figures import StepFigures
from core.trace.trace import Trace
from gui.report.page import TIMELINE, Section, bar_of, facts, page, paragraph, table
from gui.report.run import explained_steps, run_sections, write_run_report
from gui.report.tables import MOST_ROWS, waterfall_table
from gui.timeline.state.scene import Scene
from tests.core.explain.made import CIRCLE
from tests.core.recorder.made import grouped_ranks
from tests.make_believe import batches, header_and_plans, record, specification, trace_of

pytestmark = pytest.mark.usefixtures("qapp")
EVIL = '<script>alert("1")</script>&'
VOID = ("meta", "br", "img", "link", "hr", "input")


class Reader(HTMLParser):
    """Parses a page, and fails if its elements are not closed in order."""

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
        if data.strip() and self._open[-1:] not in (["script"], ["style"]):
            self.words.append(data.replace("\u00a0", " ").strip())


def report(trace: Trace, path: Path) -> Reader:
    write_run_report(trace, path)
    return Reader(path.read_text(encoding="utf-8"))


def scripts(text: str) -> list[str]:
    """Return everything in a page that could run."""
    return re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL | re.IGNORECASE)


def unpacked(text: str) -> list[dict[str, Any]]:
    """Return the data of the page's timelines."""
    packed = re.findall(r'data-run="([^"]*)"', text)
    return [json.loads(zlib.decompress(base64.b64decode(run))) for run in packed]


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of(specification(devices="4xcpu", schedule="gpipe", steps=3))


def test_a_report_has_the_figures_that_the_window_shows(trace: Trace, tmp_path: Path) -> None:
    words = report(trace, tmp_path / "run.html").words
    for heading in (
        "In short", "Timeline", "Lanes", "From the ideal step to this one", "Idle time by cause",
        "Critical path", "Steps", "Settings",
    ):  # fmt: skip
        assert words.count(heading) == 1, heading
    for word in (
        "Pipeline GPipe · MLP · 4 lanes · batch 64", "143 ms", "cpu:3", "29.6 %", "gpipe",
        "perfect division", "pipeline fills", "step 3",
    ):  # fmt: skip
        assert word in words, word
    (run,) = unpacked((tmp_path / "run.html").read_text())
    assert run["families"][0] == ["forward (F)", 0]


def test_a_report_needs_no_network_and_runs_no_script_but_its_own(
    trace: Trace, tmp_path: Path
) -> None:
    read = report(trace, tmp_path / "run.html")
    assert not {"link", "img", "image", "iframe", "object", "base"} & set(read.tags)
    names = [name for name, _ in read.attributes]
    assert not [n for n in names if n in ("src", "href", "xlink:href") or n.startswith("on")]
    text = (tmp_path / "run.html").read_text()
    assert scripts(text) == [TIMELINE.read_text(encoding="utf-8")]
    assert not re.findall(r"https?://", text)
    assert "@import" not in text and "url(" not in text
    checksum = base64.b64encode(hashlib.sha256(TIMELINE.read_bytes()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{checksum}'" in text


def test_a_report_is_light_and_dark_and_light_on_paper(trace: Trace, tmp_path: Path) -> None:
    read = report(trace, tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text()
    style = text[: text.index("</style>")]
    assert style.count("prefers-color-scheme: dark") == 1 and style.count("@media print") == 2
    identifiers = [value for name, value in read.attributes if name == "id"]
    assert len(set(identifiers)) == len(identifiers)


def test_the_pages_timeline_has_the_exact_times_of_the_trace(trace: Trace, tmp_path: Path) -> None:
    report(trace, tmp_path / "run.html")
    (run,) = unpacked((tmp_path / "run.html").read_text())
    steps, scene = [2, 3, 4], Scene(trace)
    begin, end = trace.step_bounds(2)[0], trace.step_bounds(4)[1]
    assert run["end"] == end - begin
    assert [name for name, _, _ in run["steps"]] == ["step 1", "step 2", "step 3"]
    by_name = {lane["name"]: lane for lane in run["lanes"]}
    for lane in trace.header.lanes:
        spans, page_has = trace.spans(lane.index), by_name[lane.name]
        mine = spans[spans.step >= 2]
        assert [begin + at for at in accumulate(page_has["start"])] == mine.start.tolist()
        assert page_has["length"] == (mine.end - mine.start).tolist()
        told = [run["what"][place] for place in page_has["what"]]
        assert [label for label, *_ in told] == [
            span.label for span in trace if span.lane == lane.index and span.step >= 2
        ]
        idle = [scene.explained.cause_intervals(step) for step in steps]
        pieces = [each.of_lane(lane.index) for each in idle]
        lengths = [each.end[p] - each.start[p] for each, p in zip(idle, pieces, strict=True)]
        assert sum(page_has["idleLength"]) == sum(int(length.sum()) for length in lengths)
        causes = [cause for each, p in zip(idle, pieces, strict=True) for cause in each.cause[p]]
        assert page_has["cause"] == causes


def test_a_timeline_has_the_latest_steps_that_fit_on_a_page(
    monkeypatch: pytest.MonkeyPatch, trace: Trace, tmp_path: Path
) -> None:
    spans = sum(span.step == 4 for span in trace)
    monkeypatch.setattr("gui.report.timeline.MOST_SPANS", 2 * spans)
    read = report(trace, tmp_path / "run.html")
    (run,) = unpacked((tmp_path / "run.html").read_text())
    assert [name for name, _, _ in run["steps"]] == ["step 2", "step 3"]
    assert sum(len(lane["start"]) for lane in run["lanes"]) == 2 * spans
    assert "The timeline has the last 2 of these 3 steps." in read.words


def test_a_timeline_ends_with_consecutive_steps_and_omits_an_earlier_median_step(
    tmp_path: Path,
) -> None:
    scales = [1.0] * 2 + [0.9] * 39 + [1.1] * 41
    scales[5], scales[41] = 1.0, 0.9
    trace = trace_of(specification(devices="2xcpu", steps=80), scale=scales)
    scene = Scene(trace)
    steps = explained_steps(scene)
    assert steps == [5, *range(18, 82)]
    read = report(trace, tmp_path / "run.html")
    [run] = unpacked((tmp_path / "run.html").read_text())
    starts = [start for _, start, _ in run["steps"]]
    ends = [end for _, _, end in run["steps"]]
    assert len(starts) == 64 and starts[0] == 0
    # Every bar is in one of the page's steps.
    for lane in run["lanes"]:
        for start, length in zip(accumulate(lane["start"]), lane["length"], strict=True):
            step = sum(begin <= start for begin in starts) - 1
            assert start + length <= ends[step]
    assert [run["shown"]] == [bounds for _, *bounds in run["steps"][-1:]]
    assert "The timeline has the last 64 of these 65 steps." in read.words
    assert "step 4" in " ".join(read.words)  # the tables describe the median step


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
    assert read.tags.count("script") == 1
    text = (tmp_path / "run.html").read_text()
    assert scripts(text) == [TIMELINE.read_text(encoding="utf-8")]
    assert any(EVIL in word for word in read.words)
    assert unpacked(text)[0]["lanes"][1]["name"] == f"{EVIL}1"


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
    assert Reader(text).tags.count("script") == text.count("<script") == 1


def test_the_report_of_a_run_without_spans_contains_a_message(tmp_path: Path) -> None:
    read = report(Trace(header_and_plans(specification())[0]), tmp_path / "run.html")
    assert "This run has recorded no spans." in read.words and "Settings" in read.words


def test_each_rung_of_a_ladder_starts_where_the_previous_one_ends(
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
    html = waterfall_table(StepFigures((), 0.0, 0.0, None, ladder, {}))
    bars = re.findall(r'style="(?:margin-left:([\d.]+)%;)?width:([\d.]+)%', html)
    places = [(float(before or 0), float(wide)) for before, wide in bars]
    assert places == [(0, 75), (75, 25), (40, 60), (40, 10), (0, 50)]
    assert "−120" in html and "−120.0" in html.replace("\u00a0", " ")


def test_the_report_of_a_long_run_covers_its_latest_steps_with_a_note(
    monkeypatch: pytest.MonkeyPatch, trace: Trace, tmp_path: Path
) -> None:
    scene = Scene(trace)
    assert explained_steps(scene) == [2, 3, 4]
    tasks = scene.explained.progress(4).tasks
    monkeypatch.setattr("gui.report.run.MOST_TASKS", 2 * tasks)
    assert explained_steps(scene) == [3, 4]
    read = report(trace, tmp_path / "run.html")
    assert "The report has 2 of 3 measured steps: the median one and the last ones." in read.words


def test_a_report_is_made_in_pieces(trace: Trace) -> None:
    bits = list(run_sections(Scene(trace)))
    assert bits[:3] == [None] * 3 and all(isinstance(bit, Section) for bit in bits[3:])


@pytest.mark.parametrize(
    ("further", "text"),
    [(1, "1 further lane is not listed."), (6, "6 further lanes are not listed.")],
)
def test_lanes_that_do_not_fit_a_table_are_counted(tmp_path: Path, further: int, text: str) -> None:
    lanes = MOST_ROWS + further
    spec = specification("dp", devices=f"{lanes}xcpu", batch=lanes, steps=1, warmup=0)
    assert text in report(trace_of(spec), tmp_path / "x.html").words


def test_a_report_that_cannot_be_written_is_refused_in_one_line_and_leaves_nothing(
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
    assert run_arguments(line) == 0
    assert "Critical path" in Reader((tmp_path / "run.html").read_text()).words


def test_a_run_with_circular_waits_has_a_report(tmp_path: Path) -> None:
    trace = open_recording(CIRCLE).trace
    assert "Critical path" in report(trace, tmp_path / "run.html").words


def foreign(tmp_path: Path, events: list[dict[str, Any]]) -> Trace:
    """Return an imported trace without steps."""
    (tmp_path / "trace.json").write_text(json.dumps(events))
    return open_recording(tmp_path / "trace.json").trace


def event(lane: int, start: int, length: int) -> dict[str, Any]:
    return {"ph": "X", "pid": 1, "tid": lane, "ts": start, "dur": length, "name": EVIL}


def test_a_foreign_trace_without_steps_has_a_timeline_and_no_settings(tmp_path: Path) -> None:
    trace = foreign(tmp_path, [event(1, 0, 60), event(2, 100, 50), event(2, 170, 0)])
    read = report(trace, tmp_path / "run.html")
    assert {"Timeline", "Ranks", "process 1", "File"} <= set(read.words)
    assert "Settings" not in read.words and "1f1b" not in read.words
    (run,) = unpacked((tmp_path / "run.html").read_text())
    assert run["steps"] == [] and "double click" not in run["words"]["hint"]
    lengths = {lane["name"]: lane["length"] for lane in run["lanes"]}
    assert lengths == {"thread 1": [60_000], "thread 2": [50_000, 0]}


def test_a_foreign_trace_is_shown_as_far_as_it_fits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trace = foreign(tmp_path, [event(lane, 100 * lane, 50) for lane in range(5)])
    monkeypatch.setattr("gui.report.timeline.MOST_SPANS", 3)
    monkeypatch.setattr("gui.report.timeline.MOST_LANES", 2)
    words = " ".join(report(trace, tmp_path / "run.html").words)
    (run,) = unpacked((tmp_path / "run.html").read_text())
    assert [lane["start"] for lane in run["lanes"]] == [[0], [100_000]]
    assert run["end"] == run["shown"][1] == 300_000
    assert "The timeline has the first 300 µs of 450 µs." in words
    assert "The timeline has the first 2 of 5 lanes." in words


def test_the_page_opens_at_a_step_that_it_contains(
    monkeypatch: pytest.MonkeyPatch, trace: Trace, tmp_path: Path
) -> None:
    spans = sum(span.step == 4 for span in trace)
    monkeypatch.setattr("gui.report.timeline.MOST_SPANS", spans)
    report(trace, tmp_path / "run.html")
    (run,) = unpacked((tmp_path / "run.html").read_text())
    assert [run["shown"]] == [bounds for _, *bounds in run["steps"]]


def test_a_step_that_does_not_fit_shows_its_first_spans_with_a_note(
    monkeypatch: pytest.MonkeyPatch, trace: Trace, tmp_path: Path
) -> None:
    monkeypatch.setattr("gui.report.timeline.MOST_SPANS", 9)
    words = " ".join(report(trace, tmp_path / "run.html").words)
    (run,) = unpacked((tmp_path / "run.html").read_text())
    assert sum(len(lane["start"]) for lane in run["lanes"]) <= 9 < len(trace.spans(0))
    # Times are stored as differences; the last idle time begins before the page's last span.
    assert max(sum(lane["idle"]) for lane in run["lanes"]) <= max(
        sum(lane["start"]) for lane in run["lanes"]
    ) + max(max(lane["length"], default=0) for lane in run["lanes"])
    assert "more spans than the timeline has room for: it has the first 9." in words


def test_collectives_of_two_process_groups_have_different_rows(tmp_path: Path) -> None:
    grouped_ranks(tmp_path, [1, 0, 0, 2.5], ["ranks 0, 2", "ranks 1, 3"] * 2)
    words = report(open_recording(tmp_path).trace, tmp_path / "run.html").words
    assert words.count("All-reduce 0 (ranks 0, 2)") == 1
    assert words.count("All-reduce 0 (ranks 1, 3)") == 1
