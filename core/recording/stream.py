"""The batches of a recording, as far as it goes, and errors that name the file."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from core.errors import RecordingError
from core.reading import one_line, regular_opener
from core.recording.limits import most_unpacked
from core.recording.packed import CONTINUATION, Packed, TooLarge
from core.recording.schema import read_header
from core.trace.header import Header
from core.trace.trace import Trace

END_OF_STREAM = CONTINUATION + b"\0\0\0\0"
MOST_UNPACKED = 1 << 29
"""Bytes that may be unpacked from a file of any size; what is not packed may have any."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A recording that was read; `warning` says what is missing, or why there is no index."""

    trace: Trace
    warning: str = ""


class Stream:
    """A recording's header, and its batches up to the last whole one.

    `cut` is True once the end is known to be missing. Raises RecordingError, naming the file, if
    it is no recording, and while its batches are read if one of them is damaged.
    """

    def __init__(self, source: pa.NativeFile, name: str) -> None:
        self.name, self.cut = name, False
        self._behind = 0  # bytes that follow the stream's end
        self.header = Header.unknown()
        self._source, self.size = source, int(source.size())  # in bytes
        try:
            # Also where the file was cut within these four bytes, or is empty.
            begins = CONTINUATION.startswith(source.read(min(4, self.size)))
        except OSError:  # what stands there is no message's length either
            begins = False
        if not begins:
            raise RecordingError(
                f"{name} is no recording: it does not begin as an Arrow stream does"
            )
        source.seek(0)
        self._reader: pa.RecordBatchStreamReader | None = None
        try:
            with self._refusing():
                self._reader = pa.ipc.open_stream(source)
        except (pa.ArrowException, OSError) as error:
            if self.size >= 8 and self._is_begun():
                raise RecordingError(f"{name} is no recording: {error}") from error
            self.cut = True
        else:
            self.header = read_header(self._reader.schema, name)

    @property
    def position(self) -> int:
        """Bytes that have been read."""
        return int(self._source.tell())

    def warning(self, spans: int, short_name: str = "") -> str:
        """Return which part of a file of `spans` shown spans is missing; "" if it is whole.

        It names the file, by `short_name` if that is given.
        """
        name = short_name or self.name
        if self._behind:
            return (
                f"{name} goes on behind the recording's end: "
                f"its last {self._behind:,} bytes are not shown"
            )
        if not self.cut:
            return ""
        if self._reader is None:
            return f"{name} was cut before its first batch: there is nothing to show"
        happened = "is damaged" if self._last_bytes(self.size) == END_OF_STREAM else "was cut"
        return f"{name} {happened}: it is shown up to its last whole batch, {spans:,} spans"

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while self._reader is not None:
            try:
                with self._refusing():
                    batch = self._reader.read_next_batch()
            except StopIteration:
                break
            except (pa.ArrowException, OSError):
                self.cut = True
                return
            with naming_damage(self.name):
                # Arrow itself looks at offsets and texts only when they are used, and may then end
                # the process.
                batch.validate(full=True)
            yield batch
        if self._reader is not None:
            end = self.position
            self.cut = self._last_bytes(end) != END_OF_STREAM
            self._behind = 0 if self.cut else self.size - end

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """What is too large is refused by name."""
        try:
            yield
        except TooLarge as error:
            raise RecordingError(f"{self.name} is refused: {error}") from error

    def _last_bytes(self, end: int) -> bytes:
        """As many bytes before a place as a stream ends with."""
        begin = max(0, end - len(END_OF_STREAM))
        self._source.seek(begin)
        return bytes(self._source.read(end - begin))

    def _is_begun(self) -> bool:
        """Whether the stream's first message is all there: its length stands behind its mark."""
        self._source.seek(4)
        length = int.from_bytes(self._source.read(4), "little")
        return length <= self.size - 8


def naming_damage(name: str) -> AbstractContextManager[None]:
    """Errors within, of numbers that make no sense, become a RecordingError that names the file."""
    return one_line(f"{name} is damaged", RecordingError, pa.ArrowException)


class _File(io.FileIO):
    """Reads no more than there is: a damaged length would ask for all memory.

    What is read from the begin on is followed, and refused if it would unpack to too much.
    """

    _packed: Packed | None = None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go on reading somewhere else."""
        with self._named():
            place = super().seek(offset, whence)
        most = min(MOST_UNPACKED, most_unpacked(os.fstat(self.fileno()).st_size))
        self._packed = None if place else Packed(most)
        return place

    def read(self, size: int | None = -1) -> bytes:
        """As many bytes as are asked for and left."""
        left = max(0, os.fstat(self.fileno()).st_size - self.tell())
        with self._named():
            data = super().read(left if size is None or size < 0 else min(size, left)) or b""
        if self._packed is not None:
            self._packed.take(data)
        return data

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the file in an error of the disk's: the system does not."""
        try:
            yield
        except OSError as error:
            name = os.fsdecode(self.name)
            raise RecordingError(f"{name} cannot be read: {error.strerror}") from error


@contextmanager
def open_stream(path: Path | str) -> Iterator[Stream]:
    """A file's stream; read and not mapped, since a mapped file that is cut ends the process.

    Raises RecordingError, naming the file, if it cannot be read or is no recording.
    """
    name = str(path)
    try:
        source = pa.PythonFile(_File(os.fsencode(name), opener=regular_opener), "r")
    except FileNotFoundError as error:
        raise RecordingError(f"{name}: there is no such file") from error
    except OSError as error:
        raise RecordingError(f"{name} cannot be read: {error.strerror or error}") from error
    with source:
        yield Stream(source, name)
