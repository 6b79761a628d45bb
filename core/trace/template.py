"""Batches that differ from an earlier one in a few numbers: encoded once, then filled in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class Template:
    """A batch's encoded message, in which some columns can be set anew: `template["start"][:] = x`.

    Encoding goes through much code, which lanes that compute drive out of the caches; filling in
    does not. Which entries are null is kept: what is set there has no meaning.
    """

    def __init__(self, batch: pa.RecordBatch, columns: Iterable[str]) -> None:
        self.message = np.frombuffer(batch.serialize(), np.uint8).copy()
        # Reading the message back without a copy tells where in it each column's numbers lie.
        plain = pa.schema([pa.field(f.name, _plain(f.type)) for f in batch.schema])
        again = pa.ipc.read_record_batch(pa.py_buffer(self.message), plain)
        self._columns = {name: self._numbers(again[name]) for name in columns}

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column's numbers within the message; of words, their codes."""
        return self._columns[column]

    def _numbers(self, column: pa.Array) -> NDArray[Any]:
        buffer, width = column.buffers()[1], column.type.bit_width // 8
        first = buffer.address - self.message.ctypes.data
        numbers = self.message[first : first + len(column) * width]
        return numbers.view(column.type.to_pandas_dtype())


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of a column's own numbers: for words, of their codes."""
    return kind.index_type if pa.types.is_dictionary(kind) else kind
