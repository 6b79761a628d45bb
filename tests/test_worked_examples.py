"""The documents' worked examples are run, not only read."""

import re
import sys
import threading
from pathlib import Path

import pytest

from bubblescope.cli.start import run_arguments
from core.models.catalogue import ModelSettings
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.report.summary import summarise
from tests.core.helpers import SMALL, run_here
from tests.core.recording.importers.pipeline_jobs import (
    Fault,
    JobOptions,
    make_job,
    write_primus,
)
from tests.test_docs import commands, generator

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def block(page: str, word: str) -> str:
    """The Python block of a page that has `word` in it."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    return next(text for text in blocks if word in text)


def test_the_schedule_runs_with_the_whole_batchs_gradients(monkeypatch):
    pytest.importorskip("torch")
    names = {}
    exec(block("adding.md", "lifo.py"), names)
    monkeypatch.setitem(SCHEDULES, "lifo", names["SCHEDULE"])
    specification = Specification(
        model=SMALL, devices="3xcpu", schedule="lifo", batch=14, microbatches=4, verify=True
    )
    trace = run_here(specification)
    assert summarise(trace).gradient_error <= 1e-5
    backwards = [
        s.microbatch for s in trace if s.lane == 0 and s.kind == "backward" and s.step == 2
    ]
    assert backwards == [3, 2, 1, 0]


def test_the_strategy_runs_with_the_whole_batchs_gradients(monkeypatch):
    pytest.importorskip("torch")
    names = {}
    exec(block("adding.md", "accumulate.py"), names)
    monkeypatch.setitem(STRATEGIES, "accumulate", names["STRATEGY"])
    specification = Specification(
        "accumulate", SMALL, "1xcpu", batch=14, microbatches=3, verify=True
    )
    trace = run_here(specification)
    assert summarise(trace).gradient_error <= 1e-5
    passes = [
        (str(s.kind), s.microbatch)
        for s in trace
        if s.kind in ("forward", "backward") and s.step == 2
    ]
    assert passes == [(kind, m) for m in range(3) for kind in ("forward", "backward")]


def test_the_own_model_runs_with_the_whole_batchs_gradients(tmp_path):
    pytest.importorskip("torch")
    path = tmp_path / "mine.py"
    path.write_text(block("strategies.md", "def build"))
    specification = Specification(
        model=ModelSettings(str(path)), devices="2xcpu", batch=9, verify=True
    )
    assert summarise(run_here(specification)).gradient_error <= 1e-5


def test_a_step_of_dp_runs_code_of_the_files_on_its_way_to_the_trace():
    pytest.importorskip("torch")
    entered = set()

    def note(frame, event, argument):
        if event == "call":
            entered.add(frame.f_code.co_filename)

    before, before_in_threads = sys.getprofile(), threading.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        run_here(Specification("dp", SMALL, "2xcpu", batch=6, steps=1, warmup=1))
    finally:
        sys.setprofile(before)
        threading.setprofile(before_in_threads)
    in_this_process = ("core/plan", "core/engine/tasks", "core/engine/lanes", "core/engine/models")
    in_this_process += ("core/recording", "core/trace", "core/engine/prepare.py")
    way = [path for path in generator().WAY if path.startswith(in_this_process)]
    assert len(way) > 15
    # Methods of dataclasses are generated, and so of no file.
    unseen = [path for path in way if str(ROOT / path) not in entered]
    assert unseen == ["core/plan/division.py"]


def values_of_page(page: str, word: str) -> str:
    """The JSON block of a page that has `word` in it."""
    blocks = re.findall(r"```json\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    return next(text for text in blocks if word in text)


def test_the_examples_of_costs_predict(tmp_path, monkeypatch, capsys):
    (tmp_path / "real.json").write_text(values_of_page("predictions.md", "gap_ms"))
    (tmp_path / "by-hand.json").write_text(values_of_page("predictions.md", "link_latency_us"))
    monkeypatch.chdir(tmp_path)
    examples = [
        words
        for words in commands((DOCS / "predictions.md").read_text())
        if words[0] == "predict" and "real.json" in words
    ]
    assert len(examples) == 2
    makespans = []
    for words in examples:
        assert run_arguments(words) == 0
        makespans.append(re.search(r"step: ([\d,.]+) ms", capsys.readouterr().out)[1])
    assert makespans == ["816", "733"]


def test_the_examples_of_costs_from_a_recording_predict(tmp_path, monkeypatch, capsys):
    job = JobOptions(steps=20, sends=False, own_clocks=True, fault=Fault.STAGE)
    write_primus(make_job(job), tmp_path / "job")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "predictions.md").read_text()
    printed = []
    for words in commands(text):
        if "--from" in words:
            assert run_arguments(words) == 0
            printed.append(capsys.readouterr().out)
    replayed, planned = printed
    (shown,) = re.findall(r"```text\n(job: .*?)```", text, re.DOTALL)
    assert replayed == shown
    assert planned.startswith("pipeline interleaved, 8 stages on 4 lanes, 8 micro-batches")
