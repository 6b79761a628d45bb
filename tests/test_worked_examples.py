"""The documents' worked examples are run, not only read."""

import re
from pathlib import Path

import pytest

from core.models.catalogue import ModelSettings
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.report.summary import summarise
from tests.core.helpers import SMALL, run_here

DOCS = Path(__file__).resolve().parent.parent / "docs"


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
