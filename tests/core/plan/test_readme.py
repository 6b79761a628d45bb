"""The README's worked examples are run, not only read."""

import re
from pathlib import Path

import pytest

from core.cli.arguments import options_table
from core.models.catalogue import ModelSettings
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.report.summary import summarise
from tests.core.helpers import SMALL, run_here

README = Path(__file__).resolve().parents[3] / "README.md"


def block(word: str) -> str:
    """The README's Python block that has `word` in it."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    return next(text for text in blocks if word in text)


def test_the_readmes_table_of_options_is_the_one_that_the_options_make():
    assert options_table() in README.read_text()


def test_the_readmes_schedule_runs_with_the_whole_batchs_gradients(monkeypatch):
    pytest.importorskip("torch")
    names = {}
    exec(block("lifo.py"), names)
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


def test_the_readmes_own_model_runs_with_the_whole_batchs_gradients(tmp_path):
    pytest.importorskip("torch")
    path = tmp_path / "mine.py"
    path.write_text(block("def build"))
    specification = Specification(
        model=ModelSettings(str(path)), devices="2xcpu", batch=9, verify=True
    )
    assert summarise(run_here(specification)).gradient_error <= 1e-5
