"""Writes the recordings that a listener receives into a folder."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path

from core.files import reason
from core.recording.handshakes import ReportLine
from core.recording.sniff import RANK_FILES
from core.recording.stream import END_OF_STREAM

MOST_BYTES = 64 << 30
"""Largest size of a rank's recording."""
PIECE = 1 << 16


class RankFolder:
    """Writes each rank's recording into a folder, `rank-0.arrow` and so on.

    `report_line` gets a line when a rank connects, and one about the end of its recording. An
    earlier job's recording is never overwritten: when one of its ranks begins again, all of its
    files are moved into a folder `earlier-1`, `earlier-2` and so on.
    """

    def __init__(self, folder: Path, report_line: ReportLine) -> None:
        """Create the folder. Raises OSError if that fails."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._report_line = report_line
        self._lock = threading.Lock()
        self._receiving: set[_Received] = set()
        self._is_over = False

    def end(self) -> None:
        """Report streams that end from now on as cut by the end of listening, not of their job."""
        self._is_over = True

    def receive(self, peer: socket.socket, rank: int) -> bool:
        """Write a rank's data until it ends; returns False if some could not be written."""
        self._report_line(f"rank {rank} has connected")
        received = _Received(self._folder / f"rank-{rank}.arrow", self._new_file)
        with self._lock:
            self._receiving.add(received)
        try:
            problem = received.take_all(peer)
        finally:
            with self._lock:
                self._receiving.discard(received)
            received.close()
        if problem:
            self._report_line(f"rank {rank}: {problem}, and its job goes on unrecorded")
        elif received.is_whole:
            self._report_line(f"rank {rank} has ended: {received.size:,} bytes")
        else:
            self._report_line(f"rank {rank} {self._broken(received)}")
        return not problem

    def _broken(self, received: _Received) -> str:
        """Return a text about the end of an incomplete recording."""
        if self._is_over:
            how = f"was cut after {received.size:,} bytes: listening has ended"
        else:
            why = "its job was killed or its connection lost"
            how = f"broke off after {received.size:,} bytes: {why}"
        return f"{how}; what came is in {received.path}" if received.size else how

    def _new_file(self, path: Path) -> FileIO:
        """Create a rank's file; no link is followed and no other file is touched."""
        with self._lock:
            # The folder may have been deleted since the last job.
            self._folder.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(path):
                self._set_aside()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            return FileIO(os.open(path, flags, 0o666), "wb")

    def _set_aside(self) -> None:
        number = 1
        while os.path.lexists(aside := self._folder / f"earlier-{number}"):
            number += 1
        aside.mkdir()
        for pattern in (RANK_FILES, f"{RANK_FILES}.index", "rank-*.marks.json"):
            for path in self._folder.glob(pattern):
                path.rename(aside / path.name)
        for received in self._receiving:
            # Ranks of the earlier job that still send continue to write to their open files.
            if received.has_begun:
                received.path = aside / received.path.name
        self._report_line(f"a new job begins: the earlier recording is now in {aside}")


class _Received:
    """A rank's file, created when the first piece of its recording arrives."""

    def __init__(self, path: Path, new_file: Callable[[Path], FileIO]) -> None:
        self.path = path
        self._new_file = new_file
        self.size = 0
        self._file: FileIO | None = None
        self._tail = b""

    @property
    def has_begun(self) -> bool:
        """True once the file exists."""
        return self._file is not None

    @property
    def is_whole(self) -> bool:
        """True if the file ends as a complete recording does."""
        return self._tail == END_OF_STREAM

    def take_all(self, peer: socket.socket) -> str:
        """Write all pieces; returns the problem if some were not written, else ""."""
        while True:
            try:
                piece = peer.recv(PIECE)
            except OSError:
                piece = b""  # the connection is lost
            if not piece:
                return ""
            problem = self._take(piece)
            if problem:
                return problem

    def close(self) -> None:
        """Close the file, and remove it if it is empty."""
        if self._file is not None:
            self._file.close()
            if not self.size:
                with suppress(OSError):
                    self.path.unlink()

    def _take(self, piece: bytes) -> str:
        """Write a piece; returns the problem if that fails, else ""."""
        try:
            if self._file is None:
                self._file = self._new_file(self.path)
            self._write(self._file, piece)
            # Writing to a deleted file succeeds, so this has to be checked.
            is_deleted = os.fstat(self._file.fileno()).st_nlink == 0
        except OSError as error:
            kept = f"{self.size:,} bytes are kept"
            return f"{self.path} cannot be written: {reason(error)}; {kept}"
        if is_deleted:
            return f"{self.path} was deleted: nothing of it is kept"
        if self.size >= MOST_BYTES:
            return f"{self.path} has {MOST_BYTES:,} bytes, the most that are taken: they are kept"
        return ""

    def _write(self, file: FileIO, piece: bytes) -> None:
        # Unbuffered, so that the data is in the file however this process ends. A write may be
        # partial, when the disk becomes full.
        rest = memoryview(piece)
        while len(rest):
            written = file.write(rest) or 0
            self.size += written
            rest = rest[written:]
        self._tail = (self._tail + piece)[-len(END_OF_STREAM) :]
