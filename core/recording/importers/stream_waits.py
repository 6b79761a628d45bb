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
    Without a device, `main` is a thread of the host, whose calls start communication.
    """
    if imported.launched is None or main == ABSENT:
        return np.empty((0, 2), np.int64)
    computing = np.flatnonzero(imported.track == main)
    is_moving = IS_COMMUNICATION[imported.kind]
    is_moving &= imported.track != main
    all_moving = np.flatnonzero(is_moving)
    waits_of_computing = _waits(imported, computing, all_moving, before_free=True)
    waits = [waits_of_computing]
    track_of_moving = imported.track[all_moving]
    for track in np.unique(track_of_moving).tolist():
        moving = all_moving[track_of_moving == track]
        waits_of_moving = _waits(imported, moving, computing, before_free=False)
        waits.append(waits_of_moving)
    return np.concatenate(waits)


def _waits(imported: ImportedEvents, tasks: Ints, others: Ints, before_free: bool) -> Ints:
    """Return the waits of a stream's tasks for others, shape (k, 2).

    With `before_free` a task had to be launched while its stream was still busy, which excludes the
    first one; otherwise before the other task had ended.
    """
    if not len(tasks) or not len(others):
        return np.empty((0, 2), np.int64)
    assert imported.launched is not None
    start = imported.start[tasks]
    by_start = np.argsort(start, kind="stable")
    tasks = tasks[by_start]
    start = start[by_start]
    other_ends = imported.end[others]
    by_end = np.argsort(other_ends, kind="stable")
    others = others[by_end]
    other_ends = other_ends[by_end]
    free = _free_since(imported, tasks)
    launched = imported.launched[tasks]
    # The last of the others that had ended. Without one, -1 gives the last of all, which the
    # condition on its end excludes.
    place = np.searchsorted(other_ends, start, "right") - 1
    last = others[place]
    last_end = other_ends[place]
    reaction = start - last_end
    launched_by = free
    is_started_by_host = False
    if not before_free:
        launched_by = last_end
        # Communication that a thread of the host starts has no launch in the file.
        track_of_others = int(imported.track[others[0]])
        is_started_by_host = imported.tracks[track_of_others].cores > 0
    has_launch = launched != ABSENT
    waited = has_launch | is_started_by_host
    waited &= launched <= launched_by
    waited &= last_end > free
    waited &= last_end <= start
    waited &= reaction < REACTION_NS
    return np.stack([last[waited], tasks[waited]], axis=1)


def _free_since(imported: ImportedEvents, tasks: Ints) -> Ints:
    """Return the time in ns from which the stream was free for each of its tasks, by start."""
    # Tasks may overlap in a file, so it is the latest end of all earlier tasks.
    ends = imported.end[tasks]
    latest_ends = np.maximum.accumulate(ends)
    always = np.iinfo(np.int64).min
    free = np.full(len(tasks), always)
    free[1:] = latest_ends[:-1]
    return free
