"""The page of the window describes every panel, and its example of one is a panel."""

import re
import sys
from types import ModuleType

import pytest

from core.paths import PROJECT_ROOT
from gui.features.first_page.samples import PIPELINE
from gui.features.recordings.feature import RecordingsFeature
from gui.window import window as main_window

FOLDER = "gui.features.longest_step"


def test_the_page_of_the_window_has_a_heading_for_each_panel(window):
    headings = re.findall(r"^### (.+)$", (PROJECT_ROOT / "docs" / "window.md").read_text(), re.M)
    titles = [page.panel.title for page in window.docks.pages.values()]
    assert headings and sorted(headings) == sorted(titles)


@pytest.fixture
def example(monkeypatch):
    """The feature of docs/adding.md, imported as if its folder existed and FEATURES listed it."""
    page = (PROJECT_ROOT / "docs" / "adding.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    for name in ("panel", "feature"):
        source = next(
            text for text in blocks if text.startswith(f"# gui/features/longest_step/{name}.py")
        )
        module = ModuleType(f"{FOLDER}.{name}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(source, vars(module))
    monkeypatch.setitem(sys.modules, FOLDER, ModuleType(FOLDER))
    added = (*main_window.FEATURES, module.LongestStepFeature)
    monkeypatch.setattr(main_window, "FEATURES", added)


def test_the_panel_that_the_docs_add_names_the_slowest_step_in_the_window(
    example, make_window, client, settings
):
    window = make_window(client, settings)
    page = window.docks.pages["longest_step"]
    assert not page.panel.made
    window.action("longest_step").trigger()
    assert page.isVisible() and page.panel.widget.text() == "No step yet."
    window.feature(RecordingsFeature).files.open_from(PIPELINE.path)
    steps = window.run_shown.trace.step_table
    slowest = max(range(len(steps)), key=lambda i: steps.ends[i] - steps.starts[i])
    assert page.panel.widget.text().startswith(f"step {steps.numbers[slowest]}: ")
    window.action("show_longest_step").trigger()  # hides the tab, as it is in front
    assert not page.isVisible()
