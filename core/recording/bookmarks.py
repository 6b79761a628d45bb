"""Bookmarks: moments and ranges of a run with a note, in a small separate file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.files import write_whole
from core.message import Text, message
from core.paths import RESOURCES, data_folder
from core.reading import one_line, read_regular

FORMAT = 1
LIMIT = 2**63  # ns: times are int64
_WANTED = message("use a file that Bubblescope wrote")


class BookmarksError(ValueError):
    """A bookmarks file is invalid or of another run; the message names the file and the reason."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A moment with a note, or a range if `end` is given; times are in ns since the run's start."""

    start: int
    end: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.end is not None and self.end < self.start:
            raise ValueError(
                message(
                    "a mark ends at {end} ns, before it starts at {start} ns",
                    end=self.end,
                    start=self.start,
                )
            )

    @property
    def last(self) -> int:
        """The end of the range, or the moment itself."""
        return self.start if self.end is None else self.end


def bookmarks_file(recording: Path) -> Path:
    """Return the path of a recording's bookmarks file: `run.marks.json` next to `run.arrow`.

    Bookmarks of recordings that are shipped with the app are in the user's data folder.
    """
    name = f"{recording.stem}.marks.json"
    if recording.resolve().is_relative_to(RESOURCES):
        return data_folder() / "bubblescope" / "marks" / name
    return recording.with_name(name)


def read_bookmarks(recording: Path, started: str = "") -> tuple[Bookmark, ...]:
    """Return a recording's bookmarks in time order; () if it has no bookmarks file.

    `started` is the run's start, from its header. Raises BookmarksError if the bookmarks file is
    invalid, or belongs to another run that had the same file name.
    """
    path = bookmarks_file(recording)
    with one_line(message("{path}: its marks are left out", path=path), BookmarksError):
        try:
            text = read_regular(path).decode("utf-8")
        except FileNotFoundError:
            return ()
        return _bookmarks(json.loads(text), started)


def write_bookmarks(recording: Path, bookmarks: Sequence[Bookmark], started: str = "") -> None:
    """Write a recording's bookmarks to its bookmarks file; remove the file if there are none.

    A file that is invalid or of another run is kept as `….marks.json.old`. Raises OSError, naming
    the file.
    """
    path = bookmarks_file(recording)
    _set_aside(recording, path, started)
    if not bookmarks:
        path.unlink(missing_ok=True)
        return
    if path.parent != recording.parent:  # the user's data folder
        path.parent.mkdir(parents=True, exist_ok=True)
    rows = [asdict(bookmark) for bookmark in sorted_bookmarks(bookmarks)]
    text = json.dumps({"format": FORMAT, "started": started, "marks": rows}, indent=1)
    write_whole(path, f"{text}\n")


def sorted_bookmarks(bookmarks: Sequence[Bookmark]) -> tuple[Bookmark, ...]:
    """Return bookmarks in time order."""
    return tuple(sorted(bookmarks, key=lambda mark: (mark.start, mark.last, mark.note)))


def _set_aside(recording: Path, path: Path, started: str) -> None:
    """Rename a bookmarks file that is invalid or of another run."""
    try:
        read_bookmarks(recording, started)
    except BookmarksError:
        if path.is_file():
            path.replace(path.with_name(f"{path.name}.old"))


def _bookmarks(values: Any, started: str) -> tuple[Bookmark, ...]:
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(
            message("it does not have format {format}; {wanted}", format=FORMAT, wanted=_WANTED)
        )
    if values["started"] != started:
        raise ValueError(
            message("they belong to another run, started at {started}", started=_started(values))
        )
    return sorted_bookmarks([_bookmark(row) for row in values["marks"]])


def _started(values: dict[str, Any]) -> Text:
    """Return the start of the run that bookmarks belong to."""
    return values["started"] or message("unknown time")


def _bookmark(row: Any) -> Bookmark:
    start = row["start"]
    end = row["end"]
    note = row["note"]
    numbers = [start] if end is None else [start, end]
    # Not isinstance, which accepts True.
    are_whole = all(type(number) is int for number in numbers)
    is_mark = are_whole and max(map(abs, numbers)) < LIMIT and isinstance(note, str)
    if not is_mark:
        raise ValueError(message("{row} is not a mark; {wanted}", row=row, wanted=_WANTED))
    return Bookmark(
        start=start,
        end=end,
        note=note,
    )
