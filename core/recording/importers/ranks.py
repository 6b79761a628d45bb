"""Reads the recordings of a job's ranks, one file each in a folder, as one run on rank 0's clock.

Steps with the same number are one step of the run. Only steps that all ranks have are shown: the
activity of a rank that was killed, or has not written a step yet, is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import RecordingError
from core.message import Message, Text, counted, message
from core.plan.plan import Role
from core.plan.task import ABSENT
from core.reading import one_line
from core.recording.importers.rank_plans import MergedPlans
from core.recording.importers.rank_recording import RankRecording, read_rank
from core.recording.index import Progress, partial_progress, report_progress
from core.recording.sniff import rank_files
from core.recording.stream import Opened, join_warnings
from core.trace.event_rows import Counter, Counters
from core.trace.header import MOST_LANES, Header
from core.trace.job_steps import OUTSIDE, note_outside
from core.trace.trace import STATE_LEVEL, Trace


def read_ranks(folder: Path | str, progress: Progress | None = None) -> Opened:
    """Read all ranks of a job from a folder with at least one recording.

    Raises RecordingError, naming the folder or a file, if one cannot be read, and Cancelled if
    `progress` returns False.
    """
    paths = rank_files(folder)
    ranks = []
    for number, path in enumerate(paths):
        progress_of_rank = partial_progress(progress, number, len(paths))
        ranks.append(read_rank(path, progress_of_rank))
        report_progress(progress, number + 1, len(paths))
    with one_line(
        message("{folder} cannot be read as one run", folder=folder), RecordingError, LookupError
    ):
        trace, left_out = _merge_ranks(ranks)
    warnings: list[Text] = []
    for number, rank in enumerate(ranks):
        if rank.warning:
            warnings.append(_damage(rank, compares_clock=number > 0))
    if left_out:
        warnings.append(left_out_text(left_out))
    unknown = []
    for rank in ranks[1:]:
        has_clock = len(rank.at) > 0
        if not has_clock and not rank.warning:
            unknown.append(rank.path.name)
    if unknown:
        text = message(
            "clocks were not compared for {files}: assumed equal to rank 0's",
            files=", ".join(unknown),
        )
        warnings.append(text)
    return Opened(trace, join_warnings(*warnings))


def left_out_text(count: int) -> Message:
    """Return the warning about steps that are not in every rank's file."""
    return counted(
        "{n:,} step is not in every rank's file: it is left out",
        "{n:,} steps are not in every rank's file: they are left out",
        count,
    )


def _damage(rank: RankRecording, compares_clock: bool) -> Text:
    """Return the warning about a damaged file, also that its clock is unknown if that is so."""
    if compares_clock and not len(rank.at):
        return message(
            "{warning} (its clock was not compared: assumed equal to rank 0's)",
            warning=rank.warning,
        )
    return rank.warning


def _merge_ranks(ranks: Sequence[RankRecording]) -> tuple[Trace, int]:
    """Return the run of all ranks, and the number of steps that not all ranks have."""
    header, places = merge_headers(ranks)
    trace = Trace(header)
    steps_of_ranks = [set(rank.plans) for rank in ranks]
    common_steps = set.intersection(*steps_of_ranks)
    all_steps = set.union(*steps_of_ranks)
    steps = sorted(common_steps)
    origin = header.origin_ns
    plans = MergedPlans(trace, ranks, places)
    for step in steps:
        plans.add(step)
    for place, spans in plans.lanes():
        trace.add_spans(spans, [(place, spans)])
    for rank in ranks:
        clock_key = rank.path.stem, None
        trace.clocks[clock_key] = _clock(rank, steps, origin)
    step_numbers = np.array(steps, np.int64)
    trace.counters |= merge_counters(ranks, places, step_numbers, origin)
    note_outside(trace)
    _add_logs(trace, ranks)
    trace.version += 1
    return trace, len(all_steps) - len(steps)


def merge_headers(ranks: Sequence[RankRecording]) -> tuple[Header, list[list[int]]]:
    """Return the run's header, and the run's lane for each lane of each rank.

    Compute lanes are first, in the order of ranks. Raises ValueError for too many lanes.
    """
    compute_lanes = []
    other_lanes = []
    for number, rank in enumerate(ranks):
        for lane in rank.trace.header.lanes:
            if lane.role is Role.COMPUTE:
                compute_lanes.append((number, lane))
            else:
                other_lanes.append((number, lane))
    lanes = compute_lanes + other_lanes
    if len(lanes) > MOST_LANES:
        raise ValueError(
            message(
                "they have {lanes:,} lanes, and {most:,} can be shown",
                lanes=len(lanes),
                most=MOST_LANES,
            )
        )
    place_of: dict[tuple[int, int], int] = {}
    for place, (number, lane) in enumerate(lanes):
        place_of[number, lane.index] = place
    renumbered = []
    for place, (number, lane) in enumerate(lanes):
        serves = place_of[number, lane.serves]
        renumbered.append(replace(lane, index=place, serves=serves))
    places = []
    for number, rank in enumerate(ranks):
        own_lanes = rank.trace.header.lanes
        places.append([place_of[number, lane.index] for lane in own_lanes])
    first_header = ranks[0].trace.header
    header = replace(first_header, lanes=tuple(renumbered), replicas=len(ranks))
    return header, places


def merge_counters(
    ranks: Sequence[RankRecording],
    places: Sequence[Sequence[int]],
    steps: NDArray[np.integer[Any]],
    origin: int,
) -> Counters:
    """Return the counters of some steps, on rank 0's clock since `origin`.

    `places` has the run's lane for each lane of each rank. A counter of a rank belongs to one of
    its lanes; the time outside of its steps belongs to its compute lane. If several ranks have a
    counter of the whole job in a step, the first rank's is used, as only one should record it.
    """
    merged: Counters = {}
    for rank, lanes in zip(ranks, places, strict=True):
        for (name, lane), counter in rank.trace.counters.items():
            place = None if lane is None else lanes[lane]
            if name == OUTSIDE and lanes:
                place = lanes[0]
            known = merged.setdefault((name, place), Counter(name, place))
            is_wanted = np.isin(counter.steps, steps)
            is_known = np.isin(counter.steps, known.steps)
            is_new = is_wanted & ~is_known
            known.extend(
                times=rank.to_run_clock(counter.times[is_new], origin),
                values=counter.values[is_new],
                steps=counter.steps[is_new],
            )
    return merged


def _add_logs(trace: Trace, ranks: Sequence[RankRecording]) -> None:
    """Add the lines of all ranks by time, and the state of the run.

    The run has failed if a rank has failed, and has finished if all ranks have.
    """
    origin = trace.header.origin_ns
    lines = []
    for rank in ranks:
        for line in rank.trace.logs:
            times = rank.to_run_clock(np.array([line.time]), origin)
            lines.append((int(times[0]), line))
    lines.sort(key=lambda each: each[0])
    for time, line in lines:
        # The states of ranks are replaced by one state of the run, below.
        if line.level != STATE_LEVEL:
            _add_line(
                trace=trace,
                time=time,
                step=line.step,
                level=line.level,
                text=line.text,
            )
    state = _state(ranks)
    if state is not None:
        last_time, _ = lines[-1]
        _add_line(
            trace=trace,
            time=last_time,
            step=None,
            level=STATE_LEVEL,
            text=state,
        )


def _add_line(trace: Trace, time: int, step: int | None, level: str, text: str) -> None:
    """Add a line of the log at a time in ns; `step` is None outside of steps."""
    number = ABSENT if step is None else step
    times = np.array([time])
    numbers = np.array([number])
    trace.logs.add(times, numbers, [level], [text])


def _state(ranks: Sequence[RankRecording]) -> str | None:
    """Return the final state of a run; None if it has none."""
    outcomes = {rank.trace.outcome for rank in ranks}
    if "failed" in outcomes:
        return "failed"
    if outcomes == {"finished"}:
        return "finished"
    return None


def _clock(rank: RankRecording, steps: list[int], origin: int) -> Counter:
    """Return the largest half-width of a rank's clock as a counter with a value for each step."""
    clock = Counter(rank.path.stem, None)
    if len(rank.half):
        count = len(steps)
        half_width = rank.half.max() + rank.device
        [first_time] = rank.to_run_clock(rank.at[:1], origin)
        clock.extend(
            times=np.full(count, first_time),
            values=np.full(count, half_width),
            steps=np.array(steps, np.int32),
        )
    return clock
