"""Every place that shows a figure of a run shows the same number, the median step's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bubblescope.cli.report import summary_text
from core.explain.causes import Cause
from core.lessons.figures import figures_of
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.summary import summarise
from core.report.waterfall import BAR_WORDS
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace
from gui.app.figure_options import FigureOptions
from gui.figures.make import caption_of
from gui.figures.parts import FigureRun
from gui.figures.shown import median_range
from gui.figures.textbook import lay_out_textbook
from gui.report.run import write_run_report
from gui.timeline.state.scene import Scene
from tests.core.report.verdicts import made

pytestmark = pytest.mark.usefixtures("qapp")
MODEL = ModelSettings("mlp", width=256, depth=16)
NS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
RUNS = {
    # An even number of steps, the last one with a smaller batch.
    "1f1b": {"strategy": "pipeline", "schedule": "1f1b", "microbatches": 4, "data": 340},
    "dp": {"strategy": "dp", "steps": 4},
    "slow lane": {"strategy": "ddp", "steps": 6, "slow_lane": "2:1.5"},
    "uneven": {"strategy": "pipeline", "steps": 5, "borders": "1,2,12", "microbatches": 4},
}


class Cells(HTMLParser):
    """The texts of a page's cells and paragraphs, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._skipped = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._skipped += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._skipped:
            self.texts.append(data.replace("\u00a0", " ").strip())

    def behind(self, *words: str) -> str:
        """Return the text that follows the first occurrence of some consecutive texts."""
        for place in range(len(self.texts) - len(words)):
            if self.texts[place : place + len(words)] == list(words):
                return self.texts[place + len(words)]
        raise AssertionError(f"the report has no {words}: {self.texts}")


def printed(text: str) -> tuple[float, float]:
    """Return a printed number in ns or %, and half of its last digit."""
    match = re.match(r"\s*[+−-]?\s*([\d,]+(?:\.(\d+))?)\s*(ns|µs|ms|s|%)", text)
    assert match is not None, text
    unit = NS.get(match[3], 1.0)
    return float(match[1].replace(",", "")) * unit, 0.5 * unit / 10 ** len(match[2] or "")


def deviating_places(name: str, places: Mapping[str, str]) -> list[str]:
    """Return the places that print another number than the first, within their digits."""
    (first, one), *others = places.items()
    value, half = printed(one)
    wrong = []
    for place, text in others:
        other, other_half = printed(text)
        if abs(value - other) > 1.001 * (half + other_half):
            wrong.append(f"{name}: {one!r} in {first}, {text!r} in {place}")
    return wrong


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, (pattern, text)
    return match[1]


def places_of(trace: Trace, folder: Path) -> dict[str, dict[str, str]]:
    """Return each figure of a run, with the texts that each place prints for it."""
    summary = summarise(trace)
    text, values = summary_text(summary), json.loads(summary.to_json())
    assert summary.verdict is not None
    said = str(summary.verdict.text)
    write_run_report(trace, folder / "report.html")
    report = Cells((folder / "report.html").read_text("utf-8"))
    figure_run = FigureRun(Scene(trace), median_range(trace))
    options = FigureOptions("one-column", makespan=True, idle=True)
    panel = lay_out_textbook([figure_run], options, "", "").panels[0]
    lesson = figures_of(trace)
    (step,) = (one for one in values["steps"] if one["step"] == values["median_step"])

    bubble = f"{100 * step['bubble_by_makespan']:.12f} %"
    places = {
        "step": {
            "the summary's JSON": f"{step['makespan_ns']} ns",
            "the summary": found(r"\nstep: (\S+ ms)", text),
            "the verdict": found(r"Step (\S+ \S+)\.", said),
            "the report": report.behind("Step"),
            "the report's waterfall": report.behind("the step"),
            "the figure": f"{figure_run.shown.end - figure_run.shown.start} ns",
            "a lesson": lesson["step_ms"],
        },
        "idle": {
            "the summary's JSON": bubble,
            "the summary": found(r"\nbubble: (\S+ %)", text),
            "the verdict": found(r"Lanes idle (\S+ %)", said),
            "the report": report.behind("Bubble by makespan"),
            "a lesson": lesson["idle"],
        },
        "bubble by lane": {
            "the summary's JSON": f"{100 * step['bubble_by_lane_span']:.12f} %",
            "the summary": found(r"of the makespan, (\S+ %)", text),
            "the report": report.behind("Bubble by the longest lane"),
        },
    }
    ladder = re.findall(
        r"([+-]?) ?([a-z][a-z ]*?) ([\d.]+)", found(r"\nwaterfall in ms: (.*)", text)
    )
    printed_bars = {name: f"{number} ms" for _, name, number in ladder}
    for name, ns in step["ladder"].items():
        places[f"bar {name}"] = {
            "the summary's JSON": f"{abs(ns)} ns",
            "the summary": printed_bars[BAR_WORDS[name]],
            "the report": report.behind("because of", "time", "share", BAR_WORDS[name])
            if name == "ideal"
            else report.behind(BAR_WORDS[name]),
        }
    path = found(r"\ncritical path: (.*)", text)
    for name, ns in step["critical_path"].items():
        if ns:
            share = f"{100 * ns / step['makespan_ns']:.12f} %"
            places[f"path {name}"] = {
                "the summary's JSON": share,
                "the summary": found(rf"(\S+ %) {name}", path),
            }
    rows = {row.lane.name: row.idle for row in panel.rows}
    for lane in step["lanes"]:
        name = lane["name"]
        line = next(line for line in text.splitlines() if line.startswith(f"{name} "))
        busy, moving, idle, share = line[len(name) :].split()[:4]
        cause = max(lane["idle_by_cause"], key=lane["idle_by_cause"].get, default="")
        label = Cause(cause).label if cause else "–"
        for what, cell in (("busy", busy), ("communication", moving), ("idle", idle)):
            places[f"{what} of {name}"] = {
                "the summary's JSON": f"{lane[f'{what}_ns']} ns",
                "the summary": f"{cell} ms",
            }
        places[f"busy of {name}"]["the report"] = report.behind(name, lane["device"], label)
        places[f"idle share of {name}"] = {
            "the summary's JSON": f"{100 * lane['idle_fraction']:.12f} %",
            "the summary": f"{share} %",
        }
        if rows.get(name):
            places[f"idle share of {name}"]["the figure"] = rows[name]
    return places


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_place_prints_the_same_figures_of_a_run(name: str, seed: int, tmp_path: Path) -> None:
    settings = {"devices": "4xvirtual:cpu", "batch": 64, "warmup": 1, "jitter": 0.3, **RUNS[name]}
    trace = made(Specification(model=MODEL, seed=seed, **settings)).trace
    places = places_of(trace, tmp_path)
    wrong = [line for figure, each in places.items() for line in deviating_places(figure, each)]
    assert wrong == []
    assert len(places) >= 20


def test_figures_say_that_they_are_of_the_median_step_or_of_all_steps(tmp_path: Path) -> None:
    spec = Specification("ddp", MODEL, "4xvirtual:cpu", batch=64, steps=6, warmup=1, jitter=0.3)
    trace = made(spec).trace
    step = median_step(trace, whole_steps(trace))
    number = step - trace.header.specification.warmup + 1
    summary = summarise(trace)
    text, values = summary_text(summary), json.loads(summary.to_json())
    assert values["median_step"] == step
    assert f"(step {number}, the median of 6)" in text
    assert re.search(r"\nover 6 steps: \S+ ms mean, \S+ shortest, \S+ longest; loss ", text)
    assert "collectives" not in values and values["collectives_over_steps"]
    assert re.search(r"\ncollective, over 6 steps ", text)
    write_run_report(trace, tmp_path / "report.html")
    report = Cells((tmp_path / "report.html").read_text("utf-8"))
    assert f"step {number}, the median of 6 steps" in report.texts
    assert "Over 6 steps." in report.texts
    assert not any(words.startswith("Means of a step") for words in report.texts)
    caption = caption_of([FigureRun(Scene(trace), median_range(trace))])
    assert caption.startswith(f"Measured: step {number}, the median of 6 steps.")
