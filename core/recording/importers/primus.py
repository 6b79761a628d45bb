"""Dumps of pipelines by Primus (AMD): a file `pp_rank_N.json` for each rank, and `config.json`.

A rank's file has, for each iteration, starts and ends of its passes in ms since the rank's own
start of the iteration. Newer dumps also list the micro-batch and the chunk of each pass.
"""

from __future__ import annotations

import re
from collections import Counter as Counts
from pathlib import Path

import msgspec
import numpy as np

from core.arrays import Floats
from core.message import N_, message
from core.plan.task import ABSENT, KIND_CODES, Kind
from core.reading import open_regular, read_regular
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.json_pieces import unpacking_reader
from core.recording.importers.pipeline_table import (
    PipelineTable,
    events_of_table,
    numbered_microbatches,
)
from core.recording.index import Progress, report_progress, watched
from core.recording.limits import check_count, most_events
from core.trace.import_issue import ImportIssue

_RANK = re.compile(r"pp_rank_(\d{1,5})", re.IGNORECASE)
CONFIG = "config.json"
NS_PER_MS = 1e6
LATEST_MS = 1e12
"""Limit of times in ms, 31 years."""
MOST_BYTES = 1 << 27
"""Largest size in bytes of a rank's file, unpacked."""
_MOST_STEP = np.iinfo(np.int32).max - 1


class _Iteration(msgspec.Struct, gc=False):
    """The passes of a rank in an iteration: starts and ends in ms, in the order of the calls."""

    fwd_start: list[float] = []
    fwd_end: list[float] = []
    fwd_minibatch: list[int] = []
    fwd_chunk: list[int] = []
    bwd_start: list[float] = []
    bwd_end: list[float] = []
    bwd_minibatch: list[int] = []
    bwd_chunk: list[int] = []
    wgrad_start: list[float] = []
    wgrad_end: list[float] = []
    wgrad_minibatch: list[int] = []
    wgrad_chunk: list[int] = []


class _Config(msgspec.Struct, gc=False):
    """The sizes of the job. The number of chunks is `vp_size`, or `vpp_size` in simulated dumps."""

    pp_size: int = 1
    vp_size: int | None = None
    vpp_size: int | None = None


_ITERATIONS_DECODER = msgspec.json.Decoder(dict[str, _Iteration])
_CONFIG_DECODER = msgspec.json.Decoder(_Config)


def read_primus(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read a rank's file. Raises ValueError, MsgspecError, OSError, Cancelled."""
    with open_regular(path) as file:
        data = unpacking_reader(file)(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(message("it has more than {most:,} MiB", most=MOST_BYTES >> 20))
    report_progress(progress, 1, 2)
    iterations = _ITERATIONS_DECODER.decode(data)
    issues = Counts[ImportIssue]()
    most = most_events(path)
    parts: list[Floats] = []
    count = 0
    for text, iteration in watched(iterations.items(), progress):
        step = _step_number(text)
        for part in _passes(iteration, step, issues):
            parts.append(part)
            count += part.shape[1]
            check_count(count, most, N_("it has more than {most:,} passes"))
    report_progress(progress, 2, 2)
    if not count:
        return ImportedEvents.empty()
    columns = np.concatenate(parts, axis=1)
    table = _table(path, columns)
    return events_of_table(table, issues)


def _step_number(text: str) -> int:
    """Return the number of an iteration, at most _MOST_STEP; ABSENT if `text` is not a number."""
    is_number = text.isdecimal() and len(text) < 10
    if not is_number:
        return ABSENT
    number = int(text)
    return min(number, _MOST_STEP)


def _passes(iteration: _Iteration, step: int, issues: Counts[ImportIssue]) -> list[Floats]:
    """Return the passes of each kind, as `_passes_of_kind` does."""
    # In a dump with weight gradients, `bwd` is only the backward pass for the input.
    backward = Kind.BACKWARD_INPUT if iteration.wgrad_start else Kind.BACKWARD
    kinds = {
        "fwd": Kind.FORWARD,
        "bwd": backward,
        "wgrad": Kind.BACKWARD_WEIGHT,
    }
    parts = []
    for word, kind in kinds.items():
        part = _passes_of_kind(iteration, word, kind, issues)
        part[0] = step
        parts.append(part)
    return parts


def _passes_of_kind(
    iteration: _Iteration, word: str, kind: Kind, issues: Counts[ImportIssue]
) -> Floats:
    """Return columns of step (ABSENT), kind, micro-batch, chunk, start and end, shape (6, n).

    `word` is the beginning of the names of the kind's lists.
    """
    starts: list[float] = getattr(iteration, f"{word}_start")
    ends: list[float] = getattr(iteration, f"{word}_end")
    microbatches: list[int] = getattr(iteration, f"{word}_minibatch")
    chunks: list[int] = getattr(iteration, f"{word}_chunk")
    count = min(len(starts), len(ends))
    issues[ImportIssue.NO_END] += len(starts) - count
    issues[ImportIssue.NO_BEGIN] += len(ends) - count
    columns = np.full((6, count), float(ABSENT))
    columns[1] = KIND_CODES[kind]
    columns[2] = _listed(microbatches, count)
    columns[3] = _listed(chunks, count)
    columns[4] = starts[:count]
    columns[5] = ends[:count]
    times = columns[4:6]
    is_in_range = np.abs(times) < LATEST_MS
    is_valid = is_in_range.all(axis=0)
    valid = columns[:, is_valid]
    issues[ImportIssue.NO_TIME] += count - valid.shape[1]
    return valid


def _listed(numbers: list[int], count: int) -> Floats:
    """Return the numbers of `count` passes; all are ABSENT if the list is too short."""
    absent = float(ABSENT)
    if len(numbers) < count:
        return np.full(count, absent)
    listed = np.array(numbers[:count], np.float64)
    limit = np.iinfo(np.int32).max
    is_valid = (listed >= 0) & (listed < limit)
    return np.where(is_valid, listed, absent)


def _table(path: Path, columns: Floats) -> PipelineTable:
    """Return the passes of a rank's file as a table."""
    step, kind, microbatch, chunk, start, end = columns
    match = _RANK.search(path.name)
    rank = int(match[1]) if match else 0
    count = len(step)
    zeros = np.zeros(count, np.int64)
    start_ns = np.rint(start * NS_PER_MS)
    end_ns = np.rint(end * NS_PER_MS)
    table = PipelineTable(
        step=step.astype(np.int64),
        replica=zeros,
        tensor=zeros,
        rank=np.full(count, rank, np.int64),
        kind=kind.astype(np.int8),
        microbatch=microbatch.astype(np.int64),
        chunk=chunk.astype(np.int64),
        start=start_ns.astype(np.int64),
        end=end_ns.astype(np.int64),
        transfer=np.full(count, ABSENT, np.int8),
        name=np.full(count, ABSENT, np.int32),
        own_clocks=True,
    )
    config = _config(path.with_name(CONFIG))
    ranks = max(1, config.pp_size)
    chunks = config.vp_size or config.vpp_size or 1
    chunks = max(1, chunks)
    return numbered_microbatches(table, ranks, chunks)


def _config(path: Path) -> _Config:
    """Return the sizes of the job; 1 rank and 1 chunk if there is no readable file."""
    try:
        return _CONFIG_DECODER.decode(read_regular(path))
    except (OSError, ValueError):
        return _Config()
