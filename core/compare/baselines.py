"""Baselines of a gate: a recording, or a folder of recordings with names."""

from __future__ import annotations

from pathlib import Path

from core.errors import PlanError
from core.message import message
from core.recording.sniff import rank_files, trace_files

MOST_NAMED = 8


def find_baseline(baseline: str, new: str, name: str | None) -> str:
    """Return the path of the baseline of `new`.

    In a folder it is the recording called `name`, with or without its ending. Without a name it is
    the recording with the name of `new`, if the folder has it. A folder of ranks is the baseline
    itself. Raises PlanError if no recording or several have the name.
    """
    folder = Path(baseline)
    if name is None:
        return _of_same_name(baseline, new)
    if not folder.is_dir():
        raise PlanError(
            message(
                "--name {name}: {baseline} is not a folder of baselines",
                name=name,
                baseline=baseline,
            )
        )
    names = _names_in(folder)
    if name in names:
        return str(folder / name)
    found = [each for each in names if _without_ending(each) == name]
    if not found:
        # Some programs write endings of several parts, such as `.pt.trace.json`.
        found = [each for each in names if each.split(".")[0] == name]
    if not found:
        raise PlanError(
            message(
                "--name {name}: {baseline} has no such recording; it has {known}",
                name=name,
                baseline=baseline,
                known=_listed(names),
            )
        )
    if len(found) > 1:
        raise PlanError(
            message(
                "--name {name}: several recordings have this name: {found}",
                name=name,
                found=_listed(found),
            )
        )
    return str(folder / found[0])


def _of_same_name(baseline: str, new: str) -> str:
    """Return the path of the recording in a folder that has the name of `new`, or the folder's.

    The folder is the baseline if it can be opened. Raises PlanError if it cannot.
    """
    folder = Path(baseline)
    if not folder.is_dir():
        return baseline
    name = Path(new).name
    same = folder / name
    if same.exists() and not (Path(new).exists() and same.samefile(new)):
        return str(same)
    names = _names_in(folder)
    if names and not rank_files(folder) and not trace_files(folder):
        raise PlanError(
            message(
                "{baseline} has no other recording called {name}; it has {known}: choose one with "
                "--name",
                baseline=baseline,
                name=name,
                known=_listed(names),
            )
        )
    return baseline


def _names_in(folder: Path) -> list[str]:
    """Return the names of the files in a folder that are not hidden, in order."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def _without_ending(name: str) -> str:
    """Return the name of a file without its ending, which may be followed by `.gz`."""
    return Path(name.removesuffix(".gz")).stem


def _listed(names: list[str]) -> str:
    """Return the first names of a list, separated by commas."""
    text = ", ".join(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        text += ", ..."
    return text
