"""Spans as CSV: one line each, written piece by piece, so that any number of them fits."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from core.files import whole_file
from core.order import stable_order
from core.plain import cell
from core.plan.task import KINDS
from core.trace.columns import ABSENT
from core.trace.listing import Listing
from core.trace.schema import PAYLOADS
from core.trace.spans import Spans
from core.trace.trace import Trace

PIECE = 1 << 15
"""Spans that are written at once."""
_NUMBERS = ("stage", "replica", "microbatch", "block", "bucket")
_TIMES = ("start", "end", "ready", "launched")
SCHEMA = pa.schema(
    [
        ("lane", pa.string()), ("step", pa.int32()), ("task", pa.int32()), ("kind", pa.string()),
        ("name", pa.string()), *((name, pa.int32()) for name in _NUMBERS), ("rows", pa.int64()),
        ("bytes", pa.int64()), ("payload", pa.string()),
        *((f"{name}_ns", pa.int64()) for name in _TIMES), ("duration_ns", pa.int64()),
    ]
)  # fmt: skip
"""The columns; what does not apply to a span is empty. Times are since the run's start."""


def write_spans_csv(listing: Listing, path: Path | str) -> Generator[int, None, None]:
    """Write a listing's spans in its order; yields how many are written after each piece.

    A generator that is closed before its end leaves no file. Raises OSError in one line that names
    `path`.
    """
    with (
        whole_file(path) as place,
        pa.OSFile(os.fsencode(place), "wb") as file,
        csv.CSVWriter(file, SCHEMA) as writer,
    ):
        for first in range(0, len(listing), PIECE):
            last = min(first + PIECE, len(listing))
            writer.write_batch(_batch(listing, *listing.places(first, last)))
            yield last


def _batch(listing: Listing, lanes: NDArray[np.int64], index: NDArray[np.int64]) -> pa.RecordBatch:
    spans = _gathered(listing.trace, lanes, index)
    told = spans.table.rows[spans.row]
    columns = [
        _words(lanes, [lane.name for lane in listing.trace.header.lanes]),
        pa.array(spans.step),
        pa.array(told["task"]),
        _words(told["kind"], [kind.value for kind in KINDS]),
        _words(told["name"], spans.table.names),
        *(_maybe(told[column].astype(np.int32)) for column in _NUMBERS),
        pa.array(told["rows"].astype(np.int64)),
        pa.array(told["bytes"].copy()),
        _words(told["payload"], [payload.value for payload in PAYLOADS]),
        *(_maybe(spans[column]) for column in _TIMES),
        pa.array(spans.end - spans.start),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _gathered(trace: Trace, lanes: NDArray[np.int64], index: NDArray[np.int64]) -> Spans:
    """The spans at some places, in their order."""
    order = stable_order(lanes)
    parts = [trace.spans(lane)[index[lanes == lane]] for lane in np.unique(lanes).tolist()]
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return Spans.joined(parts)[back]


def _maybe(numbers: NDArray[Any]) -> pa.Array:
    return pa.array(numbers, mask=numbers == ABSENT)


def _words(codes: NDArray[Any], words: list[str]) -> pa.Array:
    """The words of some codes, fit for a spreadsheet; ABSENT has none."""
    distinct, which = np.unique(codes, return_inverse=True)
    own = pa.array([cell(words[code]) if code != ABSENT else None for code in distinct.tolist()])
    return own.cast(pa.string()).take(pa.array(which))
