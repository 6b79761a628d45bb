"""Infers the waits between the streams of a device, which profilers do not record."""

from __future__ import annotations

import numpy as np

from core.arrays import Ints
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.imported_events import ImportedEvents

REACTION_NS = 20_000
"""Limit in ns for the delay from the end of a task to the start of the task that waited for it."""


def waits_of_streams(imported: ImportedEvents, main: int) -> Ints:
    """Return pairs of tasks, shape (k, 2); the second presumably waited for the first.

    One task of a pair is on the stream `main`, which computes most on its device; the other one
    communicates on another stream of the device. The waits are inferred from times: the second task
    had already been launched, its stream was free, and it started less than REACTION_NS after the
    first one had ended. Without a device, `main` is a thread of the host, whose calls start
    communication.
    """
    if imported.launched is None:
        return np.empty((0, 2), np.int64)
    is_on_main = imported.track == main
    is_transfer = IS_COMMUNICATION[imported.kind]
    is_transfer &= ~is_on_main
    device = imported.tracks[main].stream_of
    of_device = np.array([track.stream_of == device for track in imported.tracks])
    is_transfer &= of_device[imported.track]
    on_main = np.flatnonzero(is_on_main)
    transfers = np.flatnonzero(is_transfer)
    waits = [_waits(imported, on_main, transfers, before_free=True)]
    transfer_track = imported.track[transfers]
    for track in np.unique(transfer_track).tolist():
        on_track = transfers[transfer_track == track]
        waits.append(_waits(imported, on_track, on_main, before_free=False))
    return np.concatenate(waits)


def _waits(imported: ImportedEvents, tasks: Ints, others: Ints, before_free: bool) -> Ints:
    """Return the waits of one stream's tasks for `others`: pairs (other, task), shape (k, 2).

    With `before_free`, only a task that was launched while its stream was still busy can have
    waited, which excludes the stream's first task. Otherwise it had to be launched before the other
    task ended.
    """
    if not len(tasks) or not len(others):
        return np.empty((0, 2), np.int64)
    assert imported.launched is not None
    tasks = _sorted_by(imported.start, tasks)
    others = _sorted_by(imported.end, others)
    start = imported.start[tasks]
    launched = imported.launched[tasks]
    free_since = _free_since(imported, tasks)
    other_ends = imported.end[others]
    # For each task, the last of the others that had ended when it started. If none had, the
    # position is -1, which selects the very last one; `last_end <= start` excludes it below.
    last_position = np.searchsorted(other_ends, start, "right") - 1
    last = others[last_position]
    last_end = other_ends[last_position]
    launch_deadline = free_since
    is_started_by_host = False
    if not before_free:
        launch_deadline = last_end
        # Communication that a thread of the host starts has no launch in the file.
        other_track = int(imported.track[others[0]])
        is_started_by_host = imported.tracks[other_track].cores > 0
    has_launch = launched != ABSENT
    reaction = start - last_end
    waited = has_launch | is_started_by_host
    waited &= launched <= launch_deadline
    waited &= last_end > free_since
    waited &= last_end <= start
    waited &= reaction < REACTION_NS
    return np.stack([last[waited], tasks[waited]], axis=1)


def _sorted_by(times: Ints, tasks: Ints) -> Ints:
    """Return positions of tasks in the order of their times."""
    order = np.argsort(times[tasks], kind="stable")
    return tasks[order]


def _free_since(imported: ImportedEvents, tasks: Ints) -> Ints:
    """Return the time in ns since which the stream was free, for each of its tasks by start."""
    # Tasks may overlap in a file, so this is the latest end of all earlier tasks, and not the end
    # of the one before.
    latest_end = np.maximum.accumulate(imported.end[tasks])
    always_free = np.iinfo(np.int64).min
    free_since = np.full(len(tasks), always_free)
    free_since[1:] = latest_end[:-1]
    return free_since
