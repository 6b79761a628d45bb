"""The file of an index: named arrays as rows of an Arrow IPC file, with checksums."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.message import message
from core.reading import open_regular
from core.recording.stream import naming_damage

VERSION = 5
"""Version of the index's format; an index of another version is built again."""
IndexArrays = dict[str, NDArray[Any]]
_KEY = b"bubblescope-index"


class DamagedIndex(ValueError):
    """An index has changed since it was written; the message is one line."""


def is_index(place: Path) -> bool:
    """Return True if a file is an index, intact or damaged."""
    try:
        with open_regular(place) as file:
            # Arrow's magic number, and the key of our schema after it: other files with this name
            # are never overwritten.
            return file.read(6) == b"ARROW1" and _KEY in file.read(4096)
    except OSError:
        return False


def write_parts(place: Path, arrays: Iterator[tuple[str, NDArray[Any]]]) -> None:
    """Write arrays, by name, as parts of an index."""
    checksum = 0
    schema = pa.schema(
        [
            ("name", pa.string()),
            ("dtype", pa.string()),
            ("checksum", pa.uint32()),
            ("data", pa.large_binary()),
        ],
        metadata={_KEY: str(VERSION)},
    )
    with pa.OSFile(os.fsencode(place), "wb") as sink, pa.ipc.new_file(sink, schema) as file:
        for name, array in arrays:
            # An array may be a slice with gaps in memory; a buffer has no gaps.
            data = pa.py_buffer(np.ascontiguousarray(array))
            checksum = _checksum(checksum, name, array.dtype.str, data)
            ends = pa.py_buffer(np.array([0, data.size], np.int64))
            columns = [
                pa.array([name]),
                pa.array([array.dtype.str]),
                pa.array([checksum], pa.uint32()),
                pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, data]),
            ]
            file.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))


def read_parts(place: Path) -> IndexArrays:
    """Return the mapped arrays of an index. Raises DamagedIndex if a checksum does not match."""
    parts: IndexArrays = {}
    checksum = 0
    try:
        with naming_damage(str(place)), pa.memory_map(os.fsencode(place)) as source:
            file = pa.ipc.open_file(source)
            for number in range(file.num_record_batches):
                batch = file.get_batch(number)
                batch.validate(full=True)
                name = batch["name"][0].as_py()
                dtype = batch["dtype"][0].as_py()
                noted = batch["checksum"][0].as_py()
                _, ends, data = batch["data"].buffers()
                # Arrow pads buffers; the offsets have the length of the value.
                data = data.slice(0, int(np.frombuffer(ends, np.int64)[1]))
                checksum = _checksum(checksum, name, dtype, data)
                if checksum != noted:
                    raise DamagedIndex(message("{place} is damaged", place=place))
                # A view of the mapped file, not a copy: its pages are read on demand.
                parts[name] = np.frombuffer(data, dtype)
    except (ValueError, OSError, MemoryError) as error:
        raise DamagedIndex(message("{place} is damaged", place=place)) from error
    return parts


def _checksum(before: int, name: str, dtype: str, data: pa.Buffer) -> int:
    """Return the checksum of a part and, because it continues `before`, of all parts before it."""
    return zlib.crc32(data, zlib.crc32(f"{name} {dtype}".encode(), before))
