"""Baselines of a gate: a recording, or a folder of recordings with names."""

from __future__ import annotations

from pathlib import Path

from core.errors import PlanError

MOST_NAMED = 8


def find_baseline(baseline: str, new: str, name: str | None) -> str:
    """Return the path of the baseline of `new`.

    In a folder it is the recording called `name`, with or without its ending; without a name, the
    one that is called like `new`, if there is one. Anything else, such as a folder of ranks, is
    the baseline itself. Raises PlanError if no recording or several have the name.
    """
    folder = Path(baseline)
    if name is None:
        same = folder / Path(new).name
        is_other = folder.is_dir() and same.exists() and not same.samefile(new)
        return str(same) if is_other else baseline
    if not folder.is_dir():
        raise PlanError(f"--name {name}: {baseline} is not a folder of baselines")
    every = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    found = [path for path in every if path.name == name]
    found = found or [path for path in every if path.name.split(".")[0] == name]
    if not found:
        known = ", ".join(path.name for path in every[:MOST_NAMED])
        more = ", ..." if len(every) > MOST_NAMED else ""
        raise PlanError(f"--name {name}: {baseline} has no such recording; it has {known}{more}")
    if len(found) > 1:
        names = ", ".join(path.name for path in found[:MOST_NAMED])
        raise PlanError(f"--name {name}: several recordings have this name: {names}")
    return str(found[0])
