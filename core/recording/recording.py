"""Reads recordings from disk, whole or cut, and writes received batches to disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from core.errors import RecordingError
from core.files import reason, whole_file
from core.message import Text, error_message, message
from core.recording.decode import append_batch
from core.recording.index import Progress, build_index, read_index, report_progress
from core.recording.index_file import DamagedIndex
from core.recording.recorded_arguments import find_arguments
from core.recording.sniff import format_of, is_packed, rank_files, trace_files
from core.recording.stream import Opened, RecordingStream, join_warnings, naming_damage, open_stream
from core.recording.stream_header import schema_of
from core.trace.header import Header
from core.trace.trace import Trace

INDEXED_BYTES = 64 << 20
"""Smallest size in bytes of recordings that are opened through an index: about 1 million spans."""
TRACE_BYTES = 16 << 20
"""Smallest size in bytes of imported traces that may take seconds: about 1 million events."""
PACKED = 12
"""Usual ratio of the size of a trace to its packed size."""
MOST_PACKED = 1032
"""Largest ratio of a file's size to its size as packed by gzip."""
Build = Callable[[Path | str, Progress | None], object]
"""Builds the index of a recording and reports progress; raises OSError on failure."""


def open_recording(
    path: Path | str,
    progress: Progress | None = None,
    indexed_from: int | None = None,
    build: Build = build_index,
) -> Opened:
    """Read a recording, up to its last whole batch if it was cut.

    A recording of `indexed_from` bytes or more (default INDEXED_BYTES) is mapped through its index,
    which `build` writes the first time and whenever the recording has changed. `progress` is
    called with the amount done and the total.
    Traces of other programs are read by their importers. A folder is one run: the recordings of a
    job's ranks if there are any, else the traces in it.
    Raises RecordingError, naming the file, if it cannot be read or is not a recording, and
    Cancelled if `progress` returns False; no half-written file is left then.
    """
    importer = _importer(path)
    if importer is not None:
        return importer(path, progress)
    failed: Text = ""
    if is_large(path, indexed_from):
        try:
            opened = _indexed(path, progress, build)
            find_arguments(opened.trace, path)
            return opened
        except (OSError, DamagedIndex) as error:
            failed = message(
                "{path} has no index, so it is held in memory: {reason}",
                path=path,
                reason=_reason(error),
            )
    with open_stream(path) as stream:
        read = _read(stream, progress)
    find_arguments(read.trace, path)
    return Opened(read.trace, join_warnings(read.warning, failed))


def _importer(path: Path | str) -> Callable[[Path | str, Progress | None], Opened] | None:
    """Return the reader of a folder or another program's trace; loads its module on demand."""
    if os.path.isdir(path):
        if rank_files(path):
            from core.recording.importers.ranks import read_ranks

            return read_ranks
        from core.recording.importers.folder import read_trace_folder

        return read_trace_folder
    if format_of(path) is None:
        return None
    from core.recording.importers.read_trace import read_trace

    return read_trace


def _indexed(path: Path | str, progress: Progress | None, build: Build) -> Opened:
    """Map a recording through its index. Raises the errors of `build`, OSError and DamagedIndex."""
    note: Text = ""
    try:
        found = read_index(path)
    except DamagedIndex as error:
        found = None
        note = message("{error}: it was built again", error=error)
    if found is None:
        build(path, progress)
        found = read_index(path)
    if found is None:
        raise OSError(message("the recording changes while it is read"))
    return Opened(found.trace, join_warnings(found.warning, note))


def _reason(error: OSError | DamagedIndex) -> Text:
    if isinstance(error, OSError) and error.errno is not None:
        return reason(error)
    return error_message(error)


def is_large(path: Path | str, indexed_from: int | None = None) -> bool:
    """Return True if a file or folder has `indexed_from` bytes (default INDEXED_BYTES) or more.

    Packed files count with their usual unpacked size.
    """
    size = _bytes_of(path, PACKED)
    return size >= (INDEXED_BYTES if indexed_from is None else indexed_from)


def may_take_long(path: Path | str) -> bool:
    """Return True if opening a file or folder may take more than a moment."""
    if is_large(path):
        return True
    is_trace = bool(trace_files(path)) if os.path.isdir(path) else format_of(path) is not None
    return is_trace and _bytes_of(path, MOST_PACKED) >= TRACE_BYTES


def _bytes_of(path: Path | str, packed: int) -> int:
    """Return the size of a file, or of a folder's files; packed files count `packed` times."""
    size = 0
    try:
        files = rank_files(path) or trace_files(path) if os.path.isdir(path) else [path]
        for file in files:
            size += os.path.getsize(file) * (packed if is_packed(file) else 1)
    except OSError:  # opening the file reports the error
        return 0
    return size


def read_stream(data: bytes) -> Trace:
    """Return the trace of a whole stream in memory. Raises RecordingError if it is invalid."""
    return _read(RecordingStream(pa.BufferReader(data), "the stream")).trace


def _read(stream: RecordingStream, progress: Progress | None = None) -> Opened:
    trace = Trace(stream.header)
    with naming_damage(stream.name):
        for batch in stream:
            append_batch(trace, batch)
            report_progress(progress, stream.position, stream.size)
    return Opened(trace, stream.warning(trace.span_count))


class RecordingFile:
    """Writes a recording to a file; `write` hands each batch to the operating system.

    The file is opened with the first batch, so that a run that never starts overwrites nothing.
    """

    def __init__(self, path: Path | str, header: Header) -> None:
        self._path = Path(path)
        self._header = header
        self._file: pa.OSFile | None = None
        self._writer: pa.RecordBatchStreamWriter | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch. Raises RecordingError if the file cannot be written.

        If the first batch does not fit on the disk, an earlier file of this name is kept.
        """
        with self._closing_on_error():
            if self._writer is not None:
                self._writer.write_batch(batch)
                return
            # The file gets its name with the first batch. It stays open for later batches.
            with whole_file(self._path) as place:
                self._file = pa.OSFile(os.fsencode(place), "wb")
                self._writer = pa.ipc.new_stream(self._file, schema_of(self._header))
                self._writer.write_batch(batch)

    def close(self) -> None:
        """End the stream and the file. Raises RecordingError if the file cannot be written."""
        with self._closing_on_error():
            if self._writer is not None:
                self._writer.close()
        self._close_file()

    @contextmanager
    def _closing_on_error(self) -> Iterator[None]:
        """Close the file if an OSError is raised, and raise a RecordingError instead."""
        try:
            yield
        except OSError as error:
            self._close_file()
            # Errors without a number have a complete message.
            text = error_message(error)
            if error.errno:
                text = message(
                    "{path} cannot be written: {reason}", path=self._path, reason=reason(error)
                )
            raise RecordingError(text) from error

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
        self._writer = None
