"""Turns an importer's findings about one rank's PyTorch profile into imported events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.plan.task import ABSENT
from core.recording.importers.event_counters import counters_of_events
from core.recording.importers.event_threads import thread_names
from core.recording.importers.imported_events import (
    LARGEST_INT64,
    ImportedEvents,
    ImportedTrack,
    Launches,
    StepRanges,
)
from core.recording.importers.kineto_rows import DEVICE, KinetoRows
from core.recording.importers.profiler_job import ProfilerJob
from core.recording.importers.stream_waits import waits_of_streams
from core.recording.importers.trace_events import TraceEvents
from core.trace.imported import Direction


@dataclass(frozen=True, slots=True)
class ProfiledRank:
    """Findings about the n events of a rank's file; arrays have shape (n,), times are in ns.

    `bucket` is each event's process group, as an index into `process_groups`, or ABSENT.
    `exchanges` maps names of groups to the transfers that they represent. `attributes` are
    further columns of the table of tasks. `streams` has a name for each thread of the file, used if
    it is a stream. `place` names the rank on the screen.
    """

    events: TraceEvents
    name: NDArray[np.int32]
    start: Ints
    end: Ints
    kind: NDArray[np.int8]
    rows: KinetoRows
    row: NDArray[np.int32]
    launches: Launches
    steps: StepRanges
    bucket: NDArray[np.int16]
    process_groups: tuple[str, ...]
    attributes: dict[str, NDArray[Any]]
    streams: Sequence[str]
    place: str
    job: ProfilerJob
    exchanges: Mapping[str, Sequence[Direction]] = field(default_factory=dict)

    def imported(self) -> ImportedEvents:
        """Return the events, with the waits between streams, on the time axis of the job."""
        threads = [thread for thread, _ in thread_names(self.events)]
        attributes = _rank_attributes(self.bucket, self.job.rank) | self.attributes
        step = self.steps.at(self.start) if len(self.steps.number) else None
        imported = ImportedEvents(
            tracks=self._tracks(threads),
            names=self.events.labels,
            track=self.row,
            name=self.name,
            start=self.start,
            end=self.end,
            kind=self.kind,
            attributes=attributes,
            launched=self.launches.times(self.start),
            step=step,
            links=self.launches.links,
            steps=self.steps,
            counters=counters_of_events(self.events, self.place),
            issues=self.events.issues,
            world_size=self.job.world_size or 0,
            groups=self.process_groups,
            exchanges=self.exchanges,
        )
        links = [imported.links]
        for main in self.rows.distinct_mains:
            links.append(waits_of_streams(imported, main))
        return _on_axis_of_job(replace(imported, links=np.concatenate(links)), self.job)

    def _tracks(self, threads: Sequence[str]) -> tuple[ImportedTrack, ...]:
        """Return the rows as tracks; `threads` has a name for each thread of the host."""
        tracks = []
        of_rows = self.rows.tracks(self.streams, threads, self.place)
        for group, track in zip(self.rows.group.tolist(), of_rows, strict=True):
            tracks.append(replace(track, runs_at_once=group == DEVICE))
        return tuple(tracks)


def _rank_attributes(bucket: NDArray[np.int16], rank: int | None) -> dict[str, NDArray[Any]]:
    """Return the rank of each task, as its replica, and its process group, as its bucket."""
    replica = ABSENT if rank is None else min(rank, np.iinfo(np.int16).max)
    return {"bucket": bucket, "replica": np.full(len(bucket), replica, np.int16)}


def _on_axis_of_job(imported: ImportedEvents, job: ProfilerJob) -> ImportedEvents:
    """Return the events with times since 1970, so that the ranks of a job share a time axis.

    Times in newer files are relative to a base. A base that leads to an overflow of int64 must be
    wrong, and is ignored.
    """
    if imported.latest + job.base_ns > LARGEST_INT64:
        return imported
    return imported.shifted(job.base_ns)
