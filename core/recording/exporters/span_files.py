"""Spans joined with their tasks as a table in a file, CSV or Parquet, written piece by piece."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.files import whole_file
from core.plain import cell
from core.recording.exporters.events import attribute_column, numbers_or_none, words_or_none
from core.recording.schema import ARROW_TYPES
from core.trace.listing import Listing
from core.trace.spans import ATTRIBUTES, Spans
from core.trace.trace import Trace

PIECE = 1 << 15
"""Spans that are written at once."""
SUFFIXES = (".csv", ".parquet")
_TIMES = ("start", "end", "ready", "launched")
_OWN = [name for name in ATTRIBUTES if name != "lane"]
SCHEMA = pa.schema(
    [
        ("lane", pa.string()), ("step", pa.int32()), ("task", pa.int32()), ("name", pa.string()),
        *((name, ARROW_TYPES[name]) for name in _OWN),
        *((f"{name}_ns", pa.int64()) for name in _TIMES), ("duration_ns", pa.int64()),
    ]
)  # fmt: skip
"""The columns; what does not apply to a span is empty. Times are since the run's start."""


def write_spans(listing: Listing, path: Path | str) -> Generator[int, None, None]:
    """Write a listing's spans in its order; yields how many are written after each piece.

    As Parquet where the name ends in .parquet, else as CSV, in which no text is a formula to a
    spreadsheet. A generator that is closed before its end leaves no file. Raises OSError in one
    line that names `path`.
    """
    from pyarrow import csv, parquet  # here, for the window's first paint would wait for them

    packed = Path(path).suffix.lower() == ".parquet"
    with (
        whole_file(path) as place,
        pa.OSFile(os.fsencode(place), "wb") as file,
        (parquet.ParquetWriter if packed else csv.CSVWriter)(file, SCHEMA) as writer,
    ):
        written = 0
        for batch in span_batches(listing, str if packed else cell):
            writer.write_batch(batch)
            written += batch.num_rows
            yield written


def span_batches(
    listing: Listing, written: Callable[[str], str] = str
) -> Generator[pa.RecordBatch, None, None]:
    """A listing's spans in its order, PIECE rows of SCHEMA at a time, with texts as `written`."""
    for first in range(0, len(listing), PIECE):
        places = listing.places(first, min(first + PIECE, len(listing)))
        yield _batch(listing, *places, written)


def _batch(
    listing: Listing, lanes: NDArray[np.int64], index: NDArray[np.int64],
    written: Callable[[str], str],
) -> pa.RecordBatch:  # fmt: skip
    spans = _gathered(listing.trace, lanes, index)
    tasks = spans.table.rows[spans.row]
    columns = [
        words_or_none(lanes, [lane.name for lane in listing.trace.header.lanes], written),
        pa.array(spans.step),
        pa.array(tasks["task"]),
        words_or_none(tasks["name"], spans.table.names, written),
        *(attribute_column(tasks, name, written) for name in _OWN),
        *(numbers_or_none(spans[column], pa.int64()) for column in _TIMES),
        pa.array(spans.end - spans.start),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _gathered(trace: Trace, lanes: NDArray[np.int64], index: NDArray[np.int64]) -> Spans:
    """The spans at some places, in their order."""
    parts = [trace.spans(lane)[index[lanes == lane]] for lane in np.unique(lanes).tolist()]
    # `parts` are grouped by lane. Sorting twice gives the inverse: where in them each asked row is.
    return Spans.joined(parts)[np.argsort(np.argsort(lanes, kind="stable"))]
