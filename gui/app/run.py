"""A run of a session: its trace, where it came from, and how it is saved."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from core.engine.messages import Outcome
from core.files import whole_file
from core.predict.compare import Comparison
from core.reading import open_regular
from core.recording.bookmarks import Bookmark, BookmarksError, read_bookmarks, write_bookmarks
from core.recording.decode import append_batch
from core.recording.exporters.recording import write_recording
from core.recording.sniff import format_of
from core.recording.spool import SpooledStream
from core.trace.source import Source
from core.trace.trace import Trace
from gui.look.text import problem_text, tr

COPIED = 1 << 20  # bytes of a recording that are copied at a time


# Compared by identity: a run is a key of dicts and sets while its fields change.
@dataclass(eq=False)
class Run:
    """One run of a session: its trace, and either the received stream or the opened file.

    `prediction` has the predicted spans and `comparison` the comparison with them, once computed.
    `saved` is the path that a received run was last saved to; of its `received_batches`, the first
    `saved_batches` are in that file. `bookmarks` is None until they are read. `name` and `note` are
    the user's. `stepped` is true if the steps of the trace were defined by the user. `distinction`
    names the settings that differ from other runs of the same title. `group` is common to the runs
    of one sweep or one lesson.
    """

    number: int
    trace: Trace
    kept: SpooledStream | None = None
    source: Path | None = None
    outcome: Outcome | None = None
    text: str = ""
    comparison: Comparison | None = None
    prediction: Trace | None = None
    saved: Path | None = None
    received_batches: int = 0
    saved_batches: int = 0
    bookmarks: tuple[Bookmark, ...] | None = None
    name: str = ""
    note: str = ""
    stepped: bool = False
    distinction: str = ""
    group: str = ""

    @property
    def live(self) -> bool:
        """True if the run has not ended."""
        return self.source is None and self.outcome is None

    @property
    def now(self) -> float | None:
        """Time since the run's start in ns on its lanes' clock, while it is live; else None."""
        if not self.live:
            return None
        lanes = self.trace.header.lanes
        # The clock of a job is another machine's, and virtual time does not advance by itself: for
        # both, the time is the end of the last span.
        is_elsewhere = self.trace.header.source is Source.JOB
        if lanes and (lanes[0].is_virtual or is_elsewhere):
            return float(self.trace.bounds[1])
        return float(time.perf_counter_ns() - self.trace.header.origin_ns)

    def append(self, batch: pa.RecordBatch) -> None:
        """Add records of a live run to its trace, and to the stream that is kept for saving.

        Raises as `append_batch` does.
        """
        append_batch(self.trace, batch)
        self.received_batches += 1
        if self.kept is not None:
            self.kept.write(batch)

    def save(self, path: Path) -> None:
        """Write the run as a recording, with its bookmarks next to it.

        Raises OSError, naming the file that cannot be written; an older recording is then kept.
        """
        for _ in self.saving(path):
            pass

    def saving(self, path: Path) -> Generator[float, None, None]:
        """Save in pieces, yielding the share written so far, 0 to 1.

        Raises OSError as `save` does. An import is converted to a recording; raises ValueError with
        the reason if that is impossible. A generator that is closed before its end leaves no file.
        """
        # Batches that a live run receives while it is written are not in the file.
        batches = self.received_batches
        if self.is_recording:
            yield from self._copied(path)
        else:
            yield from write_recording(self.trace, path)
        self.saved = path
        self.saved_batches = batches
        self.take_bookmarks()
        write_bookmarks(path, self.bookmarks or (), self.trace.header.started)

    @property
    def is_saved(self) -> bool:
        """True if a file has all that this run has received."""
        if self.source is not None:
            return True
        return self.saved is not None and self.saved_batches == self.received_batches

    @property
    def is_recording(self) -> bool:
        """True if the run's stream or file is already a recording of exactly its trace."""
        source = self.source
        if source is None:
            return True
        return not self.stepped and not source.is_dir() and format_of(source) is None

    def _copied(self, path: Path) -> Generator[float, None, None]:
        size = 0 if self.kept is None else self.kept.size
        if self.source is not None:
            size = self.source.stat().st_size
        with whole_file(path) as place, place.open("wb") as target:
            written = 0
            for part in self._parts():
                written += target.write(part)
                yield written / max(1, size)

    def _parts(self) -> Iterator[bytes]:
        if self.source is not None:
            with open_regular(self.source) as source:
                part = source.read(COPIED)
                while part:
                    yield part
                    part = source.read(COPIED)
        elif self.kept is not None:
            yield from self.kept.parts()

    def take_bookmarks(self) -> str:
        """Read the bookmarks next to the opened recording, once; return the problem, or ""."""
        if self.bookmarks is not None:
            return ""
        self.bookmarks = ()
        if self.source is None:
            return ""
        try:
            self.bookmarks = read_bookmarks(self.source, self.trace.header.started)
        except BookmarksError as error:
            return problem_text(error)
        return ""

    def keep_bookmarks(self) -> None:
        """Write the bookmarks next to the recording, if there is one. Raises OSError."""
        place = self.source or self.saved
        if place is not None and self.bookmarks is not None:
            write_bookmarks(place, self.bookmarks, self.trace.header.started)


def unsavable_text(run: Run) -> str:
    """Return the reason why a run cannot be saved; "" if the disk had room for it."""
    failed = None if run.kept is None else run.kept.failed
    if failed is None:
        return ""
    return tr(
        "This run cannot be saved: there is no room for it on the disk. {reason}",
        reason=failed.strerror or str(failed),
    )


def opened_files(runs: Sequence[Run]) -> list[Path]:
    """Return the files and folders that runs were opened from."""
    return [run.source for run in runs if run.source is not None]
