"""What runs have sent, kept on disk until someone saves it: memory holds the columns only."""

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

from core.recording.schema import schema_of
from core.recording.stream import END_OF_STREAM
from core.trace.header import Header

_COPIED = 1 << 20  # bytes at a time


class Spool:
    """The streams of a sitting's runs, in one file without a name: it is gone with the process.

    The file is made with the first run, in TMPDIR or /var/tmp, since /tmp is often memory. A thread
    writes it, what it is given first first: a disk that is slow for a moment holds nobody up.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "spool")
        self._file: IO[bytes] | None = None
        self._end = 0

    def begin(self, header: Header) -> SpooledStream:
        """A run's stream, empty so far."""
        return SpooledStream(self, header)

    def later(self, job: Callable[..., object], *arguments: object) -> Future[object] | None:
        """Let the thread do something after all that it was given before; None after `close`."""
        with suppress(RuntimeError):
            return self._thread.submit(job, *arguments)
        return None

    def append(self, data: bytes) -> int:
        """Write at the end; returns where that was. Raises OSError if the disk is full."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=_folder())  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        first, view = self._end, memoryview(data)
        while len(view):
            # It may write less than it is given.
            written = os.pwrite(self._file.fileno(), view, self._end)
            view, self._end = view[written:], self._end + written
        return first

    def read(self, first: int, count: int) -> bytes:
        """Up to `count` bytes from `first` on; none after `close`."""
        if self._file is None or self._file.closed:
            return b""
        return os.pread(self._file.fileno(), count, first)

    def close(self) -> None:
        """End the thread and give the disk's space back; so does the last reference's end."""
        self._thread.shutdown()
        if self._file is not None:
            self._file.close()


class SpooledStream:
    """One run's stream within the spool. Other runs' may lie between its pieces."""

    def __init__(self, spool: Spool, header: Header) -> None:
        self._spool = spool
        self._buffer = io.BytesIO()
        self._schema = schema_of(header)
        self._writer = pa.ipc.new_stream(self._buffer, self._schema)
        self._pieces: list[tuple[int, int]] = []
        self.failed: OSError | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch, soon. Without room for it the run is lost, and `failed` says so."""
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
            self._pieces[-1] = (first, count + len(data))  # at once: others may be reading
        else:
            self._pieces.append((first, len(data)))

    def parts(self) -> Iterator[bytes]:
        """A whole recording of what is there now, at most 1 MiB at a time; more may come meanwhile.

        Raises OSError if the run was lost.
        """
        self.wait()
        if self.failed is not None:
            raise OSError(f"the run was not kept: {self.failed.strerror}") from self.failed
        # The schema is written with the first batch; a recording without any has it all the same.
        if not self._pieces:
            yield bytes(self._schema.serialize())
        for first, count in list(self._pieces):
            for at in range(first, first + count, _COPIED):
                yield self._spool.read(at, min(_COPIED, first + count - at))
        yield END_OF_STREAM

    @property
    def size(self) -> int:
        """Bytes that are kept so far."""
        return sum(count for _, count in self._pieces)


def _folder() -> str | None:
    disk = "/var/tmp"
    return None if "TMPDIR" in os.environ or not os.access(disk, os.W_OK) else disk
