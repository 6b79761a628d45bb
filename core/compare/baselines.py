"""Baselines of a gate: a recording, or a folder of recordings with names."""

from __future__ import annotations

from pathlib import Path

from core.errors import PlanError
from core.message import message

MOST_NAMED = 8


def find_baseline(baseline: str, new: str, name: str | None) -> str:
    """Return the path of the baseline of `new`.

    In a folder it is the recording called `name`, with or without its ending. Without a name it is
    the recording with the name of `new`, if the folder has it. Anything else, such as a folder of
    ranks, is the baseline itself. Raises PlanError if no recording or several have the name.
    """
    folder = Path(baseline)
    if name is None:
        same = folder / Path(new).name
        if not folder.is_dir() or not same.exists() or same.samefile(new):
            return baseline
        return str(same)
    if not folder.is_dir():
        raise PlanError(
            message(
                "--name {name}: {baseline} is not a folder of baselines",
                name=name,
                baseline=baseline,
            )
        )
    every = sorted(path.name for path in folder.iterdir())
    names = [each for each in every if not each.startswith(".")]
    if name in names:
        return str(folder / name)
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


def _listed(names: list[str]) -> str:
    """Return the first names of a list, separated by commas."""
    text = ", ".join(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        text += ", ..."
    return text
