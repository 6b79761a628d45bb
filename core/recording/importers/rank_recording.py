"""The recording of one rank of a job, and comparisons of its clock with rank 0's clock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.arrays import Floats, Ints
from core.errors import RecordingError
from core.message import Text, message
from core.plan.task import ABSENT
from core.reading import one_line
from core.recording.decode import append_batch, floats_in, notes_of, numbers_of, parts_of
from core.recording.index import Progress, report_progress
from core.recording.schema import Record
from core.recording.stream import open_stream
from core.trace.spans import LATEST, check_times
from core.trace.trace import Trace

ClockComparison = tuple[int, int, float]
"""Time of a comparison, lead of rank 0's clock, and half the width of the error, all in ns."""


@dataclass(frozen=True)
class RankRecording:
    """A rank's recording, and comparisons of its clock with rank 0's, in ns.

    `at` are the times of the comparisons since the rank's start, `ahead` is the lead of rank 0's
    clock, and `half` is half the width of the error. `device` is the largest half-width
    of its device's clock relative to the host's, or 0.
    """

    path: Path
    trace: Trace
    warning: Text
    at: Ints
    ahead: Ints
    half: Floats
    device: float = 0.0

    def to_run_clock(self, times: Ints, origin: int) -> Ints:
        """Return times of this rank on rank 0's clock, since `origin`; ABSENT stays ABSENT.

        Raises ValueError if a time is out of bounds.
        """
        # Each rank counts from its start on its clock; `ahead` converts that to rank 0's clock.
        offset = self.trace.header.origin_ns - origin
        drift: Ints | int = 0
        if len(self.at):
            offset += int(self.ahead[0])
            # The clocks of two machines may differ by more than a double can hold in ns. So only
            # the drift is interpolated.
            drifts = self.ahead - self.ahead[0]
            check_times(drifts)
            interpolated = np.interp(times, self.at, drifts)
            drift = np.rint(interpolated).astype(np.int64)
        if abs(offset) > LATEST:
            raise ValueError(message("a clock is out of bounds"))
        is_absent = times == ABSENT
        on_run_clock = times + offset + drift
        moved = np.where(is_absent, times, on_run_clock)
        check_times(moved)
        return moved

    @cached_property
    def plans(self) -> dict[int, int]:
        """The plan of each step. A rank that was killed before it sent its lanes has none."""
        plans_by_step: dict[int, int] = {}
        for lane in self.trace.header.lanes:
            spans = self.trace.spans(lane.index)
            plans = self.trace.table.rows["plan"][spans.row].tolist()
            plans_by_step.update(zip(spans.step.tolist(), plans, strict=True))
        return plans_by_step


def read_rank(path: Path, progress: Progress | None) -> RankRecording:
    """Read a rank's recording. Raises RecordingError, and Cancelled if `progress` returns False."""
    times: list[int] = []
    differences: list[int] = []
    half_widths: list[float] = []
    device = 0.0
    words = message("{path} is damaged", path=path)
    with open_stream(path) as stream, one_line(words, RecordingError, LookupError):
        trace = Trace(stream.header)
        for batch in stream:
            append_batch(trace, batch)
            comparisons, half_width_of_device = clock_comparisons(batch)
            for time, difference, half_width in comparisons:
                times.append(time)
                differences.append(difference)
                half_widths.append(half_width)
            device = max(device, half_width_of_device)
            whole = max(1, stream.size)
            report_progress(progress, stream.position, whole)
        warning = stream.warning(trace.span_count, path.name)
    return RankRecording(
        path=path,
        trace=trace,
        warning=warning,
        at=np.array(times, np.int64),
        ahead=np.array(differences, np.int64),
        half=np.array(half_widths, np.float64),
        device=device,
    )


def clock_comparisons(batch: pa.RecordBatch) -> tuple[list[ClockComparison], float]:
    """Return the comparisons with rank 0's clock in a batch, and the device clock's half-width.

    The second value is the largest half-width in ns of a device's clock relative to its host's, or
    0. Raises ValueError for clocks that are out of bounds.
    """
    rows = parts_of(batch).get(Record.CLOCK)
    if rows is None:
        return [], 0.0
    notes = notes_of(rows)
    times = numbers_of(rows, "start").tolist()
    half_widths = floats_in(notes.field("value")).tolist()
    texts = notes.field("text").to_pylist()
    comparisons: list[ClockComparison] = []
    device = 0.0
    for time, half_width, text in zip(times, half_widths, texts, strict=True):
        if text is None:
            device = max(device, half_width)
            continue
        ahead = int(text)
        if abs(ahead) > LATEST:
            raise ValueError(message("a clock is out of bounds"))
        comparisons.append((time, ahead, half_width))
    return comparisons, device
