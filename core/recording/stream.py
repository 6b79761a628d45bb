"""Reads a recording's batches up to its last whole one; errors name the file."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from core.errors import RecordingError
from core.message import Text, counted, join_texts, message
from core.reading import one_line, regular_opener
from core.recording.limits import TooLarge, most_unpacked
from core.recording.stream_header import read_header
from core.recording.unpack_limit import CONTINUATION, UnpackLimit
from core.trace.header import Header
from core.trace.trace import Trace

END_OF_STREAM = CONTINUATION + b"\0\0\0\0"
MOST_UNPACKED = 1 << 29
"""Most bytes that a packed file of any size may unpack to; unpacked files have no limit."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A trace that was read; `warning` names a missing part or a missing index, or is ""."""

    trace: Trace
    warning: Text = ""


def join_warnings(*warnings: Text) -> Text:
    """Return warnings in one line, without empty ones; "" if there are none."""
    given = [warning for warning in warnings if warning]
    if not given:
        return ""
    return join_texts(given, "; ")


class RecordingStream:
    """A recording's header, and its batches up to the last whole one.

    `cut` becomes True when the end turns out to be missing. The constructor raises RecordingError,
    naming the file, if the file is not a recording; iterating raises it if a batch is damaged.
    """

    def __init__(self, source: pa.NativeFile, name: str) -> None:
        self.name = name
        self.cut = False
        self._trailing = 0  # bytes after the stream's end
        self.header = Header.unknown()
        self._source = source
        self.size = int(source.size())  # in bytes
        try:
            # A file that was cut within the first four bytes, or is empty, counts as a stream too.
            first_bytes = source.read(min(4, self.size))
            is_stream = CONTINUATION.startswith(first_bytes)
        except OSError:  # UnpackLimit read these four bytes as a message's length
            is_stream = False
        if not is_stream:
            raise RecordingError(
                message(
                    "{name} is not a recording: it does not begin like an Arrow stream", name=name
                )
            )
        source.seek(0)
        self._reader: pa.RecordBatchStreamReader | None = None
        try:
            with self._naming_refusal():
                self._reader = pa.ipc.open_stream(source)
        except (pa.ArrowException, OSError) as error:
            if self.size >= 8 and self._has_whole_first_message():
                raise RecordingError(
                    message("{name} is not a recording: {error}", name=name, error=error)
                ) from error
            self.cut = True
        else:
            self.header = read_header(self._reader.schema, name)

    @property
    def position(self) -> int:
        """Number of bytes read so far."""
        return int(self._source.tell())

    def warning(self, spans: int, short_name: str = "") -> Text:
        """Return one line about the part of a file that is not shown; "" if all of it is.

        `spans` is the number of spans that are shown. The line names the file by `short_name`, or
        by its full name.
        """
        name = short_name or self.name
        if self._trailing:
            return counted(
                "{name} continues after the recording's end: its last byte is not shown",
                "{name} continues after the recording's end: its last {n:,} bytes are not shown",
                self._trailing,
                name=name,
            )
        if not self.cut:
            return ""
        if self._reader is None:
            return message(
                "{name} is truncated before its first batch: there is nothing to show", name=name
            )
        shown = counted(
            "it is shown up to its last whole batch, {n:,} span",
            "it is shown up to its last whole batch, {n:,} spans",
            spans,
        )
        if self._last_bytes(self.size) == END_OF_STREAM:
            return message("{name} is damaged: {shown}", name=name, shown=shown)
        return message("{name} was cut: {shown}", name=name, shown=shown)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while self._reader is not None:
            try:
                with self._naming_refusal():
                    batch = self._reader.read_next_batch()
            except StopIteration:
                break
            except (pa.ArrowException, OSError):
                self.cut = True
                return
            with naming_damage(self.name):
                # Arrow itself checks offsets and texts only when it uses them, and an invalid one
                # may then end the process.
                batch.validate(full=True)
            yield batch
        if self._reader is not None:
            end = self.position
            self.cut = self._last_bytes(end) != END_OF_STREAM
            self._trailing = 0 if self.cut else self.size - end

    @contextmanager
    def _naming_refusal(self) -> Iterator[None]:
        """Context that turns TooLarge into a RecordingError that names the file."""
        try:
            yield
        except TooLarge as error:
            raise RecordingError(
                message("{name} is refused: {error}", name=self.name, error=error)
            ) from error

    def _last_bytes(self, end: int) -> bytes:
        """Return the bytes before offset `end`, as many as END_OF_STREAM has."""
        begin = max(0, end - len(END_OF_STREAM))
        self._source.seek(begin)
        return bytes(self._source.read(end - begin))

    def _has_whole_first_message(self) -> bool:
        """Return True if the first message's metadata is whole; its length follows the marker."""
        self._source.seek(4)
        length = int.from_bytes(self._source.read(4), "little")
        return length <= self.size - 8


def naming_damage(name: str) -> AbstractContextManager[None]:
    """Context that turns errors of invalid values into a RecordingError that names the file."""
    return one_line(message("{name} is damaged", name=name), RecordingError, pa.ArrowException)


class _BoundedFile(io.FileIO):
    """A file that is never asked for more bytes than are left.

    Otherwise a damaged length would allocate all memory. A stream that is read from its beginning
    is refused if it would unpack to too many bytes.
    """

    _unpack_limit: UnpackLimit | None = None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to an offset and return it. The limit only applies to reading on from offset 0."""
        with self._naming_the_file():
            new_offset = super().seek(offset, whence)
        self._unpack_limit = None
        if new_offset == 0:
            most = min(MOST_UNPACKED, most_unpacked(self._size()))
            self._unpack_limit = UnpackLimit(most)
        return new_offset

    def read(self, size: int | None = -1) -> bytes:
        """Return `size` bytes, fewer at the end of the file; all that are left if -1 or None."""
        left = max(0, self._size() - self.tell())
        count = left
        if size is not None and size >= 0:
            count = min(size, left)
        with self._naming_the_file():
            data = super().read(count) or b""
        if self._unpack_limit is not None:
            self._unpack_limit.take(data)
        return data

    def _size(self) -> int:
        """Return the current size of the file in bytes; a recording may grow."""
        return os.fstat(self.fileno()).st_size

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """Context that turns the disk's OSError into a RecordingError that names the file."""
        try:
            yield
        except OSError as error:
            name = os.fsdecode(self.name)
            raise RecordingError(
                message("{name} cannot be read: {reason}", name=name, reason=error.strerror)
            ) from error


@contextmanager
def open_stream(path: Path | str) -> Iterator[RecordingStream]:
    """Context with a file's stream. Raises RecordingError, naming the file, if it has none.

    The file is read and not mapped into memory: if a mapped file becomes shorter, the process ends.
    """
    name = str(path)
    try:
        source = pa.PythonFile(_BoundedFile(os.fsencode(name), opener=regular_opener), "r")
    except FileNotFoundError as error:
        raise RecordingError(message("{name}: there is no such file", name=name)) from error
    except OSError as error:
        raise RecordingError(
            message("{name} cannot be read: {reason}", name=name, reason=error.strerror or error)
        ) from error
    with source:
        yield RecordingStream(source, name)
