"""A folder of traces, one file for each rank of a job: all ranks on one axis."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.plan.task import ABSENT
from core.reading import one_line
from core.recording.importers.chrome import read_found
from core.recording.importers.flight_recorder import found_of_dump
from core.recording.importers.found import LARGEST, Found, joined
from core.recording.importers.to_trace import check_names, trace_of
from core.recording.index import Progress, partial_progress, report_progress
from core.recording.limits import MOST_EVENTS, check_count
from core.recording.sniff import RANK_FILES, Format, format_of, trace_files
from core.recording.stream import Opened
from core.trace.import_issue import ImportIssue
from core.trace.imported import issue_text

MOST_FILES = 1024
NOTHING = f"there is none in it, nor a recording of a rank ({RANK_FILES})"


def read_trace_folder(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read the traces of a folder as one: lanes by rank, steps of one number are one step.

    Raises RecordingError, naming the folder, if none of its files can be read.
    """
    files = trace_files(path)
    if len(files) > MOST_FILES:
        raise RecordingError(f"{path} has {len(files):,} traces; at most {MOST_FILES:,} are read")
    words = f"{path} cannot be read as a folder of traces"
    with gc_paused(), one_line(words, RecordingError, msgspec.MsgspecError):
        parts, failed = _read(files, progress)
        if not any(map(len, parts)):
            raise RecordingError(f"{words}: {[*failed, NOTHING][0]}")
        found = _together([part for part in parts if len(part)])
        found.issues[ImportIssue.UNREADABLE] += len(failed)
        trace = trace_of(found, Path(path).name, progress)
    lost = " ".join(filter(None, (issue_text(trace.imported), *failed[:1])))
    return Opened(trace, lost and f"{path}: {lost}")


def _read(files: Sequence[Path], progress: Progress | None) -> tuple[list[Found], list[str]]:
    """What was found in the files, and why others cannot be read. Raises TooMuch."""
    parts: list[Found] = []
    failed = []
    for number, file in enumerate(files):
        share = partial_progress(progress, number, len(files))
        try:
            with one_line(f"{file} cannot be read", RecordingError, msgspec.MsgspecError):
                dumped = format_of(file) is Format.FLIGHT_RECORDER
                found = (found_of_dump if dumped else read_found)(file, share)
                check_names(found)
                parts.append(found)
        except RecordingError as error:
            failed.append(str(error))
        check_count(sum(map(len, parts)), MOST_EVENTS)
        report_progress(progress, number + 1, len(files))
    return parts, failed


def _together(parts: Sequence[Found]) -> Found:
    """The parts by rank, on one axis."""
    ordered = sorted(parts, key=lambda part: _rank(part) if _rank(part) >= 0 else len(parts))
    issues, seen = Counts[ImportIssue](), Counts[str]()
    placed = []
    for part in ordered:
        rank = _rank(part)
        issues[ImportIssue.NO_RANK] += rank < 0
        place = part.tracks[0].place
        seen[place] += 1
        # Two files of one rank stay apart: in one place they would look like rows of one rank.
        issues[ImportIssue.SAME_RANK] += rank >= 0 and seen[place] > 1
        placed.append(_renamed(part, seen[place]) if seen[place] > 1 else part)
    found = joined(_on_one_axis(placed, issues))
    return replace(found, issues=found.issues + issues)


def _rank(part: Found) -> int:
    """The rank whose trace it is, ABSENT for none."""
    word, _, number = part.tracks[0].place.partition(" ")
    return int(number) if word == "rank" and number.isdecimal() else ABSENT


def _renamed(part: Found, time: int) -> Found:
    """A part whose rank there has been before."""
    tracks = tuple(replace(track, place=f"{track.place} ({time})") for track in part.tracks)
    counters = tuple(replace(one, place=f"{one.place} ({time})") for one in part.counters)
    return replace(part, tracks=tracks, counters=counters)


def _on_one_axis(parts: Sequence[Found], issues: Counts[ImportIssue]) -> list[Found]:
    """The parts by their own clocks; one that has no time in common with the first begins with it.

    Clocks of one machine are one clock; those of several agree as far as the machines keep them.
    """
    first, last = int(parts[0].start.min()), int(parts[0].end.max())
    placed = []
    for part in parts:
        start, end = int(part.start.min()), int(part.end.max())
        apart = start > last or end < first
        issues[ImportIssue.CLOCKS_APART] += apart
        # Never so late that it would end beyond int64.
        later = min(first - start, LARGEST - part.latest)
        placed.append(part.later(later) if apart else part)
    return placed
