"""Recordings on disk: reading whole and cut ones, and writing what was received."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from core.trace.schema import Header, RecordingError
from core.trace.trace import Trace

CONTINUATION = b"\xff\xff\xff\xff"  # every message of an Arrow IPC stream begins with it
END_OF_STREAM = CONTINUATION + b"\0\0\0\0"


@dataclass(frozen=True, slots=True)
class Opened:
    """A recording that was read; `warning` says what is missing if the file was cut."""

    trace: Trace
    warning: str = ""


def open_recording(path: Path | str) -> Opened:
    """Read a recording, up to its last whole batch if it was cut.

    Raises RecordingError, naming the file, if it cannot be read or is no recording.
    """
    name = str(path)
    try:
        with pa.memory_map(name) as source:
            return _read(source, name)
    except FileNotFoundError as error:
        raise RecordingError(f"{name}: there is no such file") from error
    except OSError as error:
        raise RecordingError(f"{name} cannot be read: {error.strerror or error}") from error


def read_stream(data: bytes) -> Trace:
    """The trace of a whole stream that is in memory. Raises RecordingError if it is none."""
    return _read(pa.BufferReader(data), "the stream").trace


def _read(source: pa.NativeFile, name: str) -> Opened:
    size = source.size()
    if not CONTINUATION.startswith(source.read(min(4, size))):
        raise RecordingError(f"{name} is no recording: it does not begin as an Arrow stream does")
    source.seek(0)
    try:
        reader = pa.ipc.open_stream(source)
    except (pa.ArrowInvalid, OSError) as error:
        if size < 8 or not _is_whole(source):
            warning = f"{name} was cut before its first batch: there is nothing to show"
            return Opened(Trace(Header.unknown()), warning)
        raise RecordingError(f"{name} is no recording: {error}") from error
    trace = Trace(Header.from_schema(reader.schema, name))
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            break
        except (pa.ArrowInvalid, OSError):
            return Opened(trace, _cut(name, trace))
        try:
            batch.validate(full=True)
            trace.append(batch)
        except (pa.ArrowException, ValueError, LookupError, TypeError, SystemError) as error:
            raise RecordingError(f"{name} is damaged: {error}".splitlines()[0]) from error
    source.seek(max(0, size - len(END_OF_STREAM)))
    return Opened(trace, "" if source.read() == END_OF_STREAM else _cut(name, trace))


def _is_whole(source: pa.NativeFile) -> bool:
    """Whether the stream's first message is all there: its length stands behind its mark."""
    source.seek(4)
    length = int.from_bytes(source.read(4), "little")
    return bool(length <= source.size() - 8)


def _cut(name: str, trace: Trace) -> str:
    return f"{name} was cut: it is shown up to its last whole batch, {trace.span_count} spans"


class RecordingFile:
    """A recording being written; every batch is on its way to disk when `write` returns.

    The file is opened with the first batch, so that a run that never starts overwrites nothing.
    """

    def __init__(self, path: Path | str, header: Header) -> None:
        self._path, self._header = Path(path), header
        self._file: io.FileIO | None = None
        self._writer: pa.RecordBatchStreamWriter | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch. Raises RecordingError if the file cannot be written."""
        try:
            if self._writer is None:
                self._file = self._path.open("wb", buffering=0)
                self._writer = pa.ipc.new_stream(self._file, self._header.to_schema())
            self._writer.write_batch(batch)
        except OSError as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """End the stream and the file. Raises RecordingError if the file cannot be written."""
        if self._writer is not None and self._file is not None:
            try:
                self._writer.close()
                self._file.close()
            except OSError as error:
                raise self._failed(error) from error
            finally:
                self._writer = self._file = None

    def _failed(self, error: OSError) -> RecordingError:
        return RecordingError(f"{self._path} cannot be written: {error.strerror or error}")
