"""What runs are called on screen and as files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from core.trace.source import Source
from gui.app.session import Run
from gui.app.titles import run_title

SUFFIX = ".arrow"


def shown_title(run: Run) -> str:
    """The name that a run was given, else what ran."""
    return run.name or run_title(run.trace)


def file_name(run: Run) -> str:
    """The file to save a run in: `pipeline-1f1b-mlp-2-lanes-batch-64.arrow`."""
    if run.source is not None and not (run.stepped and run.name):
        name = run.source.name.removesuffix(".gz")
        return name if name.endswith(SUFFIX) else f"{Path(name).stem}{SUFFIX}"
    words = re.sub(r"\W+", "-", shown_title(run).lower()).strip("-")
    return f"{words or 'run'}{SUFFIX}"


def free_paths(runs: Iterable[Run], folder: Path) -> list[Path]:
    """A file in a folder for each run, none of which is there already."""
    found: list[Path] = []
    for run in runs:
        path = folder / file_name(run)
        while path in found or path.exists():
            path = folder / f"{Path(file_name(run)).stem}-{run.number}-{len(found)}{SUFFIX}"
            if path in found or path.exists():
                raise FileExistsError(f"{path} is there already: choose another folder")
        found.append(path)
    return found


def unsaved(runs: Iterable[Run]) -> list[Run]:
    """The runs that are gone when the window closes: measured here, and in no file."""
    return [
        run
        for run in runs
        if run.source is None
        and run.saved is None
        and run.trace.span_count
        and run.trace.header.source is not Source.PREDICTED
    ]
