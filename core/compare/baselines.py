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
        is_other = folder.is_dir() and same.exists() and not same.samefile(new)
        return str(same) if is_other else baseline
    if not folder.is_dir():
        raise PlanError(
            message(
                "--name {name}: {baseline} is not a folder of baselines",
                name=name,
                baseline=baseline,
            )
        )
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
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
    return f"{text}, ..." if len(names) > MOST_NAMED else text
