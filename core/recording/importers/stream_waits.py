"""Waits between the streams of a device, which files of profilers do not contain."""

from __future__ import annotations

import numpy as np

from core.arrays import Ints
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.imported_events import ImportedEvents

REACTION_NS = 20_000
"""Longest time in ns from the end of a dependency to the start of the device's task."""


def waits_of_streams(imported: ImportedEvents, main: int) -> Ints:
    """Return pairs of tasks, shape (k, 2), of which the second presumably waited for the first.

    One of them is on the stream `main`, which computes most, and the other communicates on another
    stream. Files do not say so. It is assumed of a task that had been launched before, and that
    started less than REACTION_NS after the other one had ended, on a stream that was free by then.
    """
    if imported.launched is None:
        return np.empty((0, 2), np.int64)
    computing = np.flatnonzero(imported.track == main)
    is_moving = IS_COMMUNICATION[imported.kind] & (imported.track != main)
    waits = [_waits(imported, computing, np.flatnonzero(is_moving), before_free=True)]
    for track in np.unique(imported.track[is_moving]).tolist():
        moving = np.flatnonzero(is_moving & (imported.track == track))
        waits.append(_waits(imported, moving, computing, before_free=False))
    return np.concatenate(waits)


def _waits(imported: ImportedEvents, tasks: Ints, others: Ints, before_free: bool) -> Ints:
    """Return the waits of a stream's tasks for others, shape (k, 2).

    With `before_free` a task had to be launched while its stream was still busy, which excludes the
    first one; otherwise before the other task had ended.
    """
    if not len(tasks) or not len(others):
        return np.empty((0, 2), np.int64)
    assert imported.launched is not None
    tasks = tasks[np.argsort(imported.start[tasks], kind="stable")]
    others = others[np.argsort(imported.end[others], kind="stable")]
    # The time from which the stream was free for each task. Tasks may overlap in a file, so it is
    # the latest end of all earlier tasks.
    free = np.full(len(tasks), np.iinfo(np.int64).min)
    free[1:] = np.maximum.accumulate(imported.end[tasks])[:-1]
    start, launched = imported.start[tasks], imported.launched[tasks]
    # The last of the others that had ended. Without one, -1 gives the last of all, which the
    # second condition excludes.
    last = others[np.searchsorted(imported.end[others], start, "right") - 1]
    last_end = imported.end[last]
    waited = (launched != ABSENT) & (launched <= (free if before_free else last_end))
    waited &= (last_end > free) & (last_end <= start)
    waited &= start - last_end < REACTION_NS
    return np.stack([last[waited], tasks[waited]], axis=1)
