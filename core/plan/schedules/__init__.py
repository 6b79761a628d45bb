"""Pipeline schedules: one small file each. To add one, write its file and list it here."""

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

__all__ = ["SCHEDULES", "Action", "Schedule"]
