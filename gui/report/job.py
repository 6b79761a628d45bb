"""A report that is written bit by bit while the window goes on."""

from __future__ import annotations

from pathlib import Path

from gui.app.explaining import Explainer, why_not_yet
from gui.app.jobs import Work
from gui.app.titles import run_title
from gui.report.page import write_page
from gui.report.run import explained_steps, run_sections, subtitle
from gui.timeline.state.explained import Wanted
from gui.timeline.state.scene import Scene

SECTIONS = 10  # about as many as a report has


def report_work(scene: Scene, path: Path, explainer: Explainer, live: bool) -> Work[Path]:
    """Write a report on a scene to `path`, which it returns; no file if closed before its end.

    `explainer` first explains what takes long; of a run that is `live` nothing may. Raises
    ValueError, in one line, if a step cannot be explained or the file not be written.
    """
    # First: `Runner.start` works up to the first yield before it returns, and this takes no time.
    yield 0.0
    while missing := _not_at_hand(scene):
        hopeless = missing if live else [s for s in missing if scene.explained.problem(s)]
        if hopeless:
            raise ValueError(why_not_yet(scene.explained, hopeless[0], live))
        explainer.ask(scene.explained, missing)
        # None: nothing to be done here until the explainer's thread has an answer.
        yield None
    whole, sections = len(explained_steps(scene)) + SECTIONS, []
    for number, section in enumerate(run_sections(scene)):
        if section is not None:
            sections.append(section)
        # SECTIONS is an estimate: never all of it before the file is written.
        yield min(number, whole - 1) / whole
    write_page(path, run_title(scene.trace), subtitle(scene.trace), sections)
    return path


def _not_at_hand(scene: Scene) -> list[int]:
    """The steps that are explained on a thread first."""
    explained = scene.explained
    steps = [step for step in explained_steps(scene) if not explained.knows(step, Wanted.FIGURES)]
    return [step for step in steps if not explained.at_hand(step)]
