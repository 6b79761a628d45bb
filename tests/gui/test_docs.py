"""The page of the window tells every panel, and its example of one is a panel."""

import re

from PySide6.QtWidgets import QDockWidget

from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from gui.features.first_page.samples import PIPELINE
from gui.timeline.state.scene import Scene


def test_the_page_of_the_window_has_a_heading_for_each_panel(window):
    headings = re.findall(r"^### (.+)$", (PROJECT_ROOT / "docs" / "window.md").read_text(), re.M)
    titles = [dock.windowTitle() for dock in window.findChildren(QDockWidget)]
    assert headings and sorted(headings) == sorted(titles)


def test_the_panel_that_the_docs_add_names_the_slowest_step(qapp):
    page = (PROJECT_ROOT / "docs" / "adding.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(next(text for text in blocks if "LongestStepPanel" in text), names)
    panel = names["LongestStepPanel"]()
    panel.show_scene(None, False)
    assert panel.text() == "No step yet."
    trace = open_recording(PROJECT_ROOT / "resources/recordings" / PIPELINE.file).trace
    panel.show_scene(Scene(trace), False)
    steps = trace.step_table
    slowest = max(range(len(steps)), key=lambda i: steps.ends[i] - steps.starts[i])
    assert panel.text().startswith(f"step {steps.numbers[slowest]}: ")
