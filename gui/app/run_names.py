"""Names of runs, on screen and as files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from core.trace.source import Source
from gui.app.run import Run
from gui.app.setting_names import differing_texts
from gui.app.titles import DOT, run_title

SUFFIX = ".arrow"


def shown_title(run: Run) -> str:
    """Return the name that the user gave a run, or its title."""
    if run.name:
        return run.name
    return DOT.join(filter(None, (run_title(run.trace), run.distinction)))


def name_apart(runs: Iterable[Run]) -> list[Run]:
    """Tell runs with equal titles apart by the settings that differ; return the renamed runs.

    A title is then `Pipeline 1F1B · MLP · 4 lanes · batch 32 · Micro-batches 4`.
    """
    alike: dict[str, list[Run]] = {}
    for run in runs:
        if run.trace.header.source is Source.RUN:
            alike.setdefault(run_title(run.trace), []).append(run)
    renamed = []
    for group in alike.values():
        texts = differing_texts([run.trace.header.specification for run in group])
        for run, text in zip(group, texts, strict=True):
            if run.distinction != text:
                run.distinction = text
                renamed.append(run)
    return renamed


def file_name(run: Run) -> str:
    """Return the name of a run's file: `pipeline-1f1b-mlp-2-lanes-batch-64.arrow`."""
    if run.source is not None and not (run.stepped and run.name):
        name = run.source.name.removesuffix(".gz")
        return name if name.endswith(SUFFIX) else f"{Path(name).stem}{SUFFIX}"
    title = shown_title(run).lower()
    words = re.sub(r"\W+", "-", title).strip("-")
    return f"{words or 'run'}{SUFFIX}"


def free_paths(runs: Iterable[Run], folder: Path) -> list[Path]:
    """Return a new path in a folder for each run. Raises FileExistsError if there is none."""
    found: list[Path] = []
    for run in runs:
        path = folder / file_name(run)
        while path in found or path.exists():
            stem = Path(file_name(run)).stem
            path = folder / f"{stem}-{run.number}-{len(found)}{SUFFIX}"
            if path in found or path.exists():
                raise FileExistsError(f"{path} already exists: choose another folder")
        found.append(path)
    return found


def unsaved(runs: Iterable[Run]) -> list[Run]:
    """Return the measured runs of which records would be lost when the window closes."""
    found = []
    for run in runs:
        predicted = run.trace.header.source is Source.PREDICTED
        if run.trace.span_count and not run.is_saved and not predicted:
            found.append(run)
    return found
