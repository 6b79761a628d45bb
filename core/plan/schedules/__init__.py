"""Pipeline schedules: one small file each. To add one, write its file and list it here."""

from core.plan.schedules import gpipe, one_f_one_b, split
from core.plan.schedules.schedule import Action, Schedule

SCHEDULES: dict[str, Schedule] = {
    module.SCHEDULE.name: module.SCHEDULE for module in (one_f_one_b, gpipe, split)
}

__all__ = ["SCHEDULES", "Action", "Schedule"]
