"""Reads a folder of traces, one file for each rank of a job, onto one time axis."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.message import Text, error_message, join_texts, message
from core.plan.task import ABSENT
from core.reading import one_line
from core.recording.importers.concatenated_events import concatenate_events
from core.recording.importers.consecutive_files import continues, join_files
from core.recording.importers.imported_events import (
    LARGEST_INT64,
    ImportedEvents,
)
from core.recording.importers.rank_collectives import with_matched_collectives
from core.recording.importers.read_trace import LIBRARY_ERRORS, read_imported_events
from core.recording.importers.sending_ranks import unpaired_transfers, with_pipelines
from core.recording.importers.to_trace import check_names, trace_of_events
from core.recording.index import Progress, partial_progress, report_progress
from core.recording.limits import MOST_EVENTS, check_count
from core.recording.sniff import format_of, searched_text, trace_files
from core.recording.stream import Opened
from core.trace.import_issue import ImportIssue
from core.trace.imported import issue_sentences

MOST_FILES = 1024


def read_trace_folder(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read the traces of a folder as one run: lanes by rank, steps of all files by number.

    Raises RecordingError, naming the folder, if none of its files can be read, and Cancelled if
    `progress` returns False.
    """
    files = _without_companions(trace_files(path))
    if len(files) > MOST_FILES:
        raise RecordingError(
            message(
                "{path} has {files:,} traces; at most {most:,} are read",
                path=path,
                files=len(files),
                most=MOST_FILES,
            )
        )
    words = message("{path} cannot be read as a folder of traces", path=path)
    with gc_paused(), one_line(words, RecordingError, *LIBRARY_ERRORS):
        parts, problems = _read_files(files, progress)
        if not parts:
            reason = problems[0] if problems else searched_text()
            raise RecordingError(message("{what}: {reason}", what=words, reason=reason))
        imported = _merge(parts)
        imported.issues[ImportIssue.UNREADABLE] += len(problems)
        trace = trace_of_events(imported, Path(path).name, progress)
    warnings = [*issue_sentences(trace.imported), *problems[:1]]
    if not warnings:
        return Opened(trace)
    warning = message("{what}: {reason}", what=path, reason=join_texts(warnings))
    return Opened(trace, warning)


def _without_companions(files: Sequence[Path]) -> list[Path]:
    """Return the files that are traces, without those that only describe the run."""
    companions: set[str] = set()
    for file in files:
        format_ = format_of(file)
        if format_ is not None:
            companions.update(format_.companions)
    return [file for file in files if file.name not in companions]


def _read_files(
    files: Sequence[Path], progress: Progress | None
) -> tuple[list[ImportedEvents], list[Text]]:
    """Return the events of the files, and error texts for unreadable files. Raises TooMuch."""
    parts: list[ImportedEvents] = []
    problems: list[Text] = []
    for number, file in enumerate(files):
        share = partial_progress(progress, number, len(files))
        try:
            with one_line(
                message("{file} cannot be read", file=file), RecordingError, *LIBRARY_ERRORS
            ):
                part = read_imported_events(file, share)
                check_names(part)
                parts.append(part)
        except RecordingError as error:
            problems.append(error_message(error))
        check_count(sum(map(len, parts)), MOST_EVENTS)
        report_progress(progress, number + 1, len(files))
    return parts, problems


def _merge(parts: Sequence[ImportedEvents]) -> ImportedEvents:
    """Return the events of all files in the order of ranks, on one time axis."""
    issues = Counts[ImportIssue]()
    uses = Counts[str]()
    placed = []
    for files in _files_of_ranks(parts):
        part = join_files(files)
        place = part.tracks[0].place
        uses[place] += 1
        if _rank(part) == ABSENT:
            issues[ImportIssue.NO_RANK] += 1
        elif uses[place] > 1:
            issues[ImportIssue.SAME_RANK] += len(files)
        # Two files of one rank get separate places; else their rows would look like one file's.
        if uses[place] > 1:
            part = _with_place_number(part, uses[place])
        placed.append(part)
    merged = concatenate_events(_on_one_axis(placed, issues))
    # Formats of pipelines number the collectives of each step themselves.
    if merged.pipeline is None:
        has_one_clock = not issues[ImportIssue.CLOCKS_APART]
        merged = with_matched_collectives(merged, has_one_clock)
    issues[ImportIssue.UNPAIRED_TRANSFER] += unpaired_transfers(merged)
    merged = with_pipelines(merged)
    return replace(merged, issues=merged.issues + issues)


def _files_of_ranks(parts: Sequence[ImportedEvents]) -> list[list[ImportedEvents]]:
    """Return the files in the order of ranks; consecutive files of one rank are together."""
    ranks: list[list[ImportedEvents]] = []
    previous_rank = ABSENT
    for part in sorted(parts, key=lambda part: _rank_order(part, len(parts))):
        recorded = int(part.start.min()), int(part.end.max())
        part = replace(part, recorded=(recorded,))
        rank = _rank(part)
        is_known = rank != ABSENT
        if is_known and rank == previous_rank and continues(part, ranks[-1][-1]):
            ranks[-1].append(part)
        else:
            ranks.append([part])
        previous_rank = rank
    return ranks


def _rank_order(part: ImportedEvents, count: int) -> tuple[int, int]:
    """Return the sort key of a file: rank and start, or `count` (last) if the rank is unknown."""
    rank = _rank(part)
    if rank == ABSENT:
        return count, 0
    return rank, int(part.start.min())


def _rank(part: ImportedEvents) -> int:
    """Return the rank of a file, or ABSENT."""
    word, _, number = part.tracks[0].place.partition(" ")
    if word != "rank" or not number.isdecimal():
        return ABSENT
    return int(number)


def _with_place_number(part: ImportedEvents, number: int) -> ImportedEvents:
    """Return a file's events with a number after the names of their places."""
    tracks = []
    for track in part.tracks:
        tracks.append(replace(track, place=f"{track.place} ({number})"))
    counters = []
    for counter in part.counters:
        counters.append(replace(counter, place=f"{counter.place} ({number})"))
    return replace(part, tracks=tuple(tracks), counters=tuple(counters))


def _on_one_axis(
    parts: Sequence[ImportedEvents], issues: Counts[ImportIssue]
) -> list[ImportedEvents]:
    """Return the files on one time axis. Clocks are kept if a file overlaps with the first file.

    Any other file is moved to start with the first. Ranks of one machine share a clock; clocks of
    several machines agree only as well as the machines synchronise them.
    """
    first = int(parts[0].start.min())
    last = int(parts[0].end.max())
    placed = []
    for part in parts:
        start = int(part.start.min())
        end = int(part.end.max())
        if first <= end and start <= last:
            placed.append(part)
            continue
        issues[ImportIssue.CLOCKS_APART] += 1
        # Times must not exceed int64.
        shift = min(first - start, LARGEST_INT64 - part.latest)
        placed.append(part.shifted(shift))
    return placed
