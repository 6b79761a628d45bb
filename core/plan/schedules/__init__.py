"""Pipeline schedules: one small file each. To add one, write its file and list it here."""

from __future__ import annotations

from pathlib import Path

from core.errors import PlanError
from core.message import message
from core.plan.schedules import (
    chimera,
    dualpipe_v,
    gpipe,
    interleaved,
    interleaved_zb,
    looped_bfs,
    one_f_one_b,
    split,
    zb_h1,
    zb_h2,
    zb_v,
)
from core.plan.schedules.by_hand import board_mark
from core.plan.schedules.compute_csv import SUFFIX, load_schedule
from core.plan.schedules.schedule import Action, Schedule

SCHEDULES: dict[str, Schedule] = {
    module.SCHEDULE.name: module.SCHEDULE
    for module in (
        one_f_one_b,
        gpipe,
        interleaved,
        looped_bfs,
        zb_h1,
        zb_h2,
        interleaved_zb,
        zb_v,
        dualpipe_v,
        chimera,
        split,
    )
}

__all__ = ["SCHEDULES", "Action", "Schedule", "schedule_of", "schedule_title"]


def schedule_of(name: str) -> Schedule:
    """Return the schedule with this name, or the one in the file if the name ends in .csv.

    Raises PlanError if the name is unknown or the file is not a schedule.
    """
    if name.endswith(SUFFIX):
        return load_schedule(name)
    if name not in SCHEDULES:
        known = ", ".join(SCHEDULES)
        raise PlanError(
            message(
                "there is no schedule {name!r}; use {known} or a file that ends in .csv",
                name=name,
                known=known,
            )
        )
    return SCHEDULES[name]


def schedule_title(name: str) -> str:
    """Return a schedule's title in English: `1F1B`, or the name of its file.

    A schedule from the board is saved in a file that is named after the board's title.
    """
    if name in SCHEDULES:
        return SCHEDULES[name].title
    if board_mark(name):
        return Path(name).stem
    return Path(name).name
