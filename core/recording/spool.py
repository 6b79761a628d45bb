"""What runs have sent, kept on disk until someone saves it: memory holds the columns only."""

from __future__ import annotations

import io
import os
import queue
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any

import pyarrow as pa

from core.recording.schema import schema_of
from core.recording.stream import END_OF_STREAM
from core.trace.header import Header

Job = Callable[[], None]
_COPIED = 1 << 20  # bytes at a time


class Spool:
    """The streams of a sitting's runs, in one file without a name: it is gone with the process.

    The file is made with the first run, in TMPDIR or /var/tmp, since /tmp is often memory. A thread
    writes it: a disk that is slow for a moment holds nobody up.
    """

    def __init__(self) -> None:
        self._descriptor = -1
        self._end = 0
        self._closed: weakref.finalize[[int], Spool] | None = None
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ended = weakref.finalize(self, self._jobs.put, None)

    def begin(self, header: Header) -> Kept:
        """A run's stream, empty so far."""
        return Kept(self, header)

    def later(self, job: Job) -> None:
        """Let the thread do something after all that it was given before."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=_work, args=(self._jobs,), daemon=True, name="spool"
            )
            self._thread.start()
        self._jobs.put(job)

    def wait(self) -> None:
        """Wait until everything is written."""
        if self._thread is not None and self._thread.is_alive():
            done = threading.Event()
            self.later(done.set)
            done.wait()

    def append(self, data: bytes | memoryview) -> int:
        """Write at the end; returns where that was. Raises OSError if the disk is full."""
        if self._closed is None:
            self._open()
        first, view = self._end, memoryview(data)
        while len(view):
            written = os.pwrite(self._descriptor, view, self._end)
            view, self._end = view[written:], self._end + written
        return first

    def read(self, first: int, count: int) -> bytes:
        """Up to `count` bytes from `first` on; none after `close`."""
        if self._closed is None or not self._closed.alive:
            return b""
        return os.pread(self._descriptor, count, first)

    def close(self) -> None:
        """End the thread and give the disk's space back; so does the last reference's end."""
        self._ended()
        if self._thread is not None:
            self._thread.join()
        if self._closed is not None:
            self._closed()

    def _open(self) -> None:
        self._descriptor, name = tempfile.mkstemp(prefix="bubblescope-", dir=_folder())
        os.unlink(name)
        self._closed = weakref.finalize(self, os.close, self._descriptor)


class Kept:
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
        self._spool.later(partial(self._write, batch))

    def wait(self) -> None:
        """Wait until everything is written."""
        self._spool.wait()

    def _write(self, batch: pa.RecordBatch) -> None:
        if self.failed is not None:
            return
        data = self._encoded(batch)
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

    def _encoded(self, batch: pa.RecordBatch) -> bytes:
        self._writer.write_batch(batch)
        data = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return data

    def copy_to(self, target: IO[Any]) -> None:
        """Write the run as a whole recording. Raises OSError if it cannot be written or was lost.

        More may be appended afterwards.
        """
        for part in self.parts():
            target.write(part)

    def parts(self) -> Iterator[bytes]:
        """A whole recording of what is there now, at most 1 MiB at a time; more may come meanwhile.

        Raises OSError if the run was lost.
        """
        self.wait()
        if self.failed is not None:
            raise OSError(f"the run was not kept: {self.failed.strerror}") from self.failed
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


def _work(jobs: queue.SimpleQueue[Job | None]) -> None:
    while True:
        job = jobs.get()
        if job is None:
            return
        job()
        del job  # it would keep the spool alive


def _folder() -> str | None:
    disk = "/var/tmp"
    return None if "TMPDIR" in os.environ or not os.access(disk, os.W_OK) else disk
