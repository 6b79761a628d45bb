"""Waits between the streams of a device, which files of profilers do not contain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.imported_events import ImportedEvents

REACTION_NS = 20_000
"""Longest time in ns from the end of a dependency to the start of the device's task."""


def waits_for_communication(imported: ImportedEvents, main: int) -> NDArray[np.int64]:
    """Return pairs of a collective and a task of the main stream that presumably waited for it.

    Files do not say so. It is assumed of a task that had been launched while its stream was free,
    and that started less than REACTION_NS after the end of a collective on another stream.
    """
    tasks = np.flatnonzero(imported.track == main)
    is_moving = IS_COMMUNICATION[imported.kind] & (imported.track != main)
    collectives = np.flatnonzero(is_moving)
    if len(tasks) < 2 or not len(collectives) or imported.launched is None:
        return np.empty((0, 2), np.int64)
    tasks = tasks[np.argsort(imported.start[tasks], kind="stable")]
    collectives = collectives[np.argsort(imported.end[collectives], kind="stable")]
    # The time from which the stream was free for each task but the first. Tasks may overlap in a
    # file, so it is the latest end of all earlier tasks.
    task = tasks[1:]
    free = np.maximum.accumulate(imported.end[tasks])[:-1]
    start, launched = imported.start[task], imported.launched[task]
    # The last collective that had ended. Without one, -1 gives the last of all, which the second
    # condition excludes.
    last = collectives[np.searchsorted(imported.end[collectives], start, "right") - 1]
    last_end = imported.end[last]
    waited = (launched != ABSENT) & (launched <= free)
    waited &= (last_end > free) & (last_end <= start)
    waited &= start - last_end < REACTION_NS
    return np.stack([last[waited], task[waited]], axis=1)
