"""Savings of a job in which one worker, row, column or kind of work is like its peers.

Workers form a mesh (core.report.mesh). Peers of a worker are the other workers of its stages, or
all others if there are none; peers of a row or column of the mesh are the other rows or columns.
The steps are replayed with one part after the other like its peers (core.report.peer_replays).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from core.arrays import Floats, Ints
from core.errors import PlanError
from core.message import message
from core.report.measured import MeasuredSteps
from core.report.mesh import Axis, MeshWorker, largest_axes, mesh_of
from core.report.peer_replays import JobReplays, Replays, StepReplays
from core.trace.trace import Trace


class PeerGroup(StrEnum):
    """Sorts of parts of a job."""

    WORKER = "worker"
    ROW = "row"
    COLUMN = "column"
    KIND = "kind"


@dataclass(frozen=True, slots=True)
class Saving:
    """Saving of a job with a part like its peers: ns of a mean step, and as a share of it.

    It is negative if the part is faster than its peers.
    """

    part: PeerGroup
    name: str
    saved_ns: float
    share: float


@dataclass(frozen=True, slots=True)
class Slowdown:
    """The savings of a job: of each worker, in the order of `workers`, and of other parts.

    `rows` and `columns` are the axes of the matrix; `of_places` has the savings of all places on
    each axis, so that other axes need no further replays. `step_ns` is the mean replayed step and
    `replayed` the number of replayed steps of `steps`.
    """

    workers: tuple[MeshWorker, ...]
    rows: Axis
    columns: Axis
    of_workers: tuple[Saving, ...]
    of_places: Mapping[Axis, tuple[Saving, ...]]
    of_kinds: tuple[Saving, ...]
    step_ns: float
    steps: int
    replayed: int

    @property
    def of_rows(self) -> tuple[Saving, ...]:
        """The savings of the rows of the matrix."""
        of_axis = self.of_places[self.rows]
        return tuple(replace(one, part=PeerGroup.ROW) for one in of_axis)

    @property
    def of_columns(self) -> tuple[Saving, ...]:
        """The savings of the columns of the matrix."""
        of_axis = self.of_places[self.columns]
        return tuple(replace(one, part=PeerGroup.COLUMN) for one in of_axis)

    def with_axes(self, rows: Axis, columns: Axis) -> Slowdown:
        """Return the same savings with other axes of the matrix."""
        return replace(self, rows=rows, columns=columns)

    @property
    def every(self) -> tuple[Saving, ...]:
        """All savings."""
        return (*self.of_workers, *self.of_rows, *self.of_columns, *self.of_kinds)

    def matrix(self) -> Floats:
        """Return the largest share of the workers at each place, (rows, columns); NaN if none."""
        places = []
        for worker in self.workers:
            row = worker.place[self.rows]
            column = worker.place[self.columns]
            places.append((row, column))
        rows, columns = np.max(places, axis=0) + 1
        shares = np.full((rows, columns), np.nan)
        for place, saving in zip(places, self.of_workers, strict=True):
            shares[place] = np.fmax(shares[place], saving.share)
        return shares


def slowdown(trace: Trace, steps: Sequence[int], axes: tuple[Axis, Axis] | None = None) -> Slowdown:
    """Return the savings of a trace in whole `steps`; by default with the two largest axes.

    Raises PlanError if the waits for tasks on other lanes are not known (streams of a device), and
    if fewer than two lanes compute.
    """
    run = MeasuredSteps.of(trace, steps)
    workers = mesh_of(run)
    if len(workers) < 2:
        raise PlanError(message("fewer than two lanes compute; there are no peers to compare with"))
    rows, columns = axes or largest_axes(workers)
    if trace.step_table.follow:
        replays: Replays = JobReplays.of(trace, steps, workers)
    elif run.has_waits:
        replays = StepReplays.of(run, workers)
    else:
        raise PlanError(message("the trace does not contain what tasks wait for on other lanes"))
    return _slowdown(
        replays=replays,
        workers=workers,
        axes=(rows, columns),
        steps=len(run.steps),
    )


def _slowdown(
    replays: Replays, workers: tuple[MeshWorker, ...], axes: tuple[Axis, Axis], steps: int
) -> Slowdown:
    rows, columns = axes
    usual_ns = replays.usual_ns
    names = [worker.name for worker in workers]
    each_alone = np.arange(len(workers))
    of_workers = _savings(
        part=PeerGroup.WORKER,
        replays=replays,
        names=names,
        places=each_alone,
    )
    of_kinds: list[Saving] = []
    for name, length in replays.with_even_kinds().items():
        saving = _saving(
            part=PeerGroup.KIND,
            name=name,
            usual_ns=usual_ns,
            length=length,
        )
        of_kinds.append(saving)
    of_places: dict[Axis, tuple[Saving, ...]] = {}
    for axis in Axis:
        of_places[axis] = _of_axis(replays, workers, axis)
    return Slowdown(
        workers=workers,
        rows=rows,
        columns=columns,
        of_workers=of_workers,
        of_places=of_places,
        of_kinds=tuple(of_kinds),
        step_ns=usual_ns,
        steps=steps,
        replayed=replays.replayed,
    )


def _of_axis(replays: Replays, workers: Sequence[MeshWorker], axis: Axis) -> tuple[Saving, ...]:
    """Return the savings of all places on an axis, as savings of PeerGroup.ROW."""
    places = np.array([worker.place[axis] for worker in workers])
    count = int(places.max()) + 1
    names = [f"{axis} {place}" for place in range(count)]
    return _savings(
        part=PeerGroup.ROW,
        replays=replays,
        names=names,
        places=places,
    )


def _savings(
    part: PeerGroup, replays: Replays, names: Sequence[str], places: Ints
) -> tuple[Saving, ...]:
    """Return the savings of groups of workers with these names."""
    lengths = replays.with_peers(places, len(names)).tolist()
    savings: list[Saving] = []
    for name, length in zip(names, lengths, strict=True):
        savings.append(
            _saving(
                part=part,
                name=name,
                usual_ns=replays.usual_ns,
                length=length,
            )
        )
    return tuple(savings)


def _saving(part: PeerGroup, name: str, usual_ns: float, length: float) -> Saving:
    saved = usual_ns - length
    share = saved / max(1.0, usual_ns)
    return Saving(
        part=part,
        name=name,
        saved_ns=saved,
        share=share,
    )
