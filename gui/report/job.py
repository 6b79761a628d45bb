"""Writes a report in small pieces of work, so that the window stays responsive."""

from __future__ import annotations

from pathlib import Path

from gui.app.explaining import Explainer, why_not_yet
from gui.app.jobs import Work
from gui.app.titles import run_title
from gui.report.page import write_page
from gui.report.run import explained_steps, run_sections, subtitle
from gui.timeline.state.explained import Wanted
from gui.timeline.state.scene import Scene

SECTIONS = 10  # estimated number of a report's sections


def report_work(scene: Scene, path: Path, explainer: Explainer, live: bool) -> Work[Path]:
    """Write a report on a scene to `path`, and return `path`.

    The `explainer` first explains the steps that take long, unless the run is still `live`. If the
    work is closed before its end, it leaves no file. Raises a one-line ValueError if a step
    cannot be explained or the file cannot be written.
    """
    # `Runner.start` runs up to the first yield before it returns: yield before any work.
    yield 0.0
    missing = _not_at_hand(scene)
    while missing:
        failed = [step for step in missing if scene.explained.problem(step)]
        hopeless = missing if live else failed
        if hopeless:
            raise ValueError(why_not_yet(scene.explained, hopeless[0], live))
        explainer.ask(scene.explained, missing)
        # None: nothing to do here until the explainer's thread has an answer.
        yield None
        missing = _not_at_hand(scene)
    whole = len(explained_steps(scene)) + SECTIONS
    sections = []
    for number, section in enumerate(run_sections(scene)):
        if section is not None:
            sections.append(section)
        # SECTIONS is an estimate: report less than the whole until the file is written.
        yield min(number, whole - 1) / whole
    write_page(path, run_title(scene.trace), subtitle(scene.trace), sections)
    return path


def _not_at_hand(scene: Scene) -> list[int]:
    """Return the steps that the explainer's thread has to explain first."""
    explained = scene.explained
    missing = []
    for step in explained_steps(scene):
        known = explained.knows(step, Wanted.FIGURES)
        if not known and not explained.at_hand(step):
            missing.append(step)
    return missing
