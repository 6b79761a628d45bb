"""Keeps the streams of unsaved runs on disk, so that memory only holds their columns."""

from __future__ import annotations

import io
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO

import pyarrow as pa

from core.message import message
from core.recording.stream import END_OF_STREAM
from core.recording.stream_header import schema_of
from core.trace.header import Header

_COPIED = 1 << 20  # bytes at a time


class Spool:
    """Streams of the runs of one process, in an unnamed file that is deleted with the process.

    The file is created with the first run, in TMPDIR or /var/tmp, because /tmp is often in memory.
    One thread writes to it, in the order of the calls, so that a slow disk delays no caller.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "spool")
        self._file: IO[bytes] | None = None
        self._end = 0

    def begin(self, header: Header) -> SpooledStream:
        """Return an empty stream for a run."""
        return SpooledStream(self, header)

    def later(self, job: Callable[..., object], *arguments: object) -> Future[object] | None:
        """Call a function on the thread, after all earlier calls; returns None after `close`."""
        with suppress(RuntimeError):
            return self._thread.submit(job, *arguments)
        return None

    def append(self, data: bytes) -> int:
        """Append data and return its offset. Raises OSError if the disk is full."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=_folder())  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        first = self._end
        view = memoryview(data)
        while len(view):
            # pwrite may write only a part.
            written = os.pwrite(self._file.fileno(), view, self._end)
            view = view[written:]
            self._end = self._end + written
        return first

    def read(self, first: int, count: int) -> bytes:
        """Return up to `count` bytes from an offset; b"" after `close`."""
        if self._file is None or self._file.closed:
            return b""
        return os.pread(self._file.fileno(), count, first)

    def close(self) -> None:
        """End the thread and free the disk space, which garbage collection would do too."""
        self._thread.shutdown()
        if self._file is not None:
            self._file.close()


class SpooledStream:
    """One run's stream in the spool; pieces of other runs may be between its pieces."""

    def __init__(self, spool: Spool, header: Header) -> None:
        self._spool = spool
        self._buffer = io.BytesIO()
        self._schema = schema_of(header)
        self._writer = pa.ipc.new_stream(self._buffer, self._schema)
        self._pieces: list[tuple[int, int]] = []
        self.failed: OSError | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Queue a batch for writing. If the disk is full, the run is lost and `failed` is set."""
        self._spool.later(self._write, batch)

    def wait(self) -> None:
        """Wait until everything is written."""
        if (done := self._spool.later(bool)) is not None:
            done.result()

    def _write(self, batch: pa.RecordBatch) -> None:
        if self.failed is not None:
            return
        self._writer.write_batch(batch)
        data = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        try:
            first = self._spool.append(data)
        except OSError as error:
            self.failed = error
            return
        if self._pieces and sum(self._pieces[-1]) == first:
            first, count = self._pieces[-1]
            # One assignment, because another thread may be reading the list.
            self._pieces[-1] = (first, count + len(data))
        else:
            self._pieces.append((first, len(data)))

    def parts(self) -> Iterator[bytes]:
        """Yield a whole recording of the batches so far, in parts of at most 1 MiB.

        Batches may be appended meanwhile. Raises OSError if the run was lost.
        """
        self.wait()
        if self.failed is not None:
            raise OSError(
                message("the run was not kept: {reason}", reason=self.failed.strerror)
            ) from self.failed
        # Listed once, because the first batch may be appended after the schema was yielded.
        pieces = list(self._pieces)
        # The schema is written with the first batch; a recording without batches needs it too.
        if not pieces:
            yield bytes(self._schema.serialize())
        for first, count in pieces:
            for at in range(first, first + count, _COPIED):
                yield self._spool.read(at, min(_COPIED, first + count - at))
        yield END_OF_STREAM

    @property
    def size(self) -> int:
        """Number of bytes so far."""
        return sum(count for _, count in self._pieces)


def _folder() -> str | None:
    """Return the folder for the file; None for the default of tempfile."""
    disk = "/var/tmp"
    if "TMPDIR" in os.environ or not os.access(disk, os.W_OK):
        return None
    return disk
