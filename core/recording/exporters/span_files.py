"""Writes spans joined with their tasks as a table to a CSV or Parquet file, chunk by chunk."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.arrays import Ints
from core.files import whole_file
from core.plain import cell
from core.recording.exporters.exported_spans import (
    attribute_column,
    nullable_numbers,
    nullable_words,
    steps_of,
)
from core.recording.schema import arrow_types
from core.trace.listing import Listing
from core.trace.spans import ATTRIBUTES, Spans
from core.trace.trace import Trace

SPANS_AT_ONCE = 1 << 15
"""Number of spans that are written at once."""
SUFFIXES = (".csv", ".parquet")
_TIMES = ("start", "end", "ready", "launched")
_OWN = [name for name in ATTRIBUTES if name != "lane"]
SCHEMA = pa.schema(
    [
        ("lane", pa.string()),
        ("step", pa.int32()),
        ("task", pa.int32()),
        ("name", pa.string()),
        *((name, arrow_types()[name]) for name in _OWN),
        *((f"{name}_ns", pa.int64()) for name in _TIMES),
        ("duration_ns", pa.int64()),
    ]
)
"""The columns; values that do not apply to a span are empty. Times are since the run's start."""


def write_spans(listing: Listing, path: Path | str) -> Generator[int, None, None]:
    """Write a listing's spans in its order; after each chunk, yield the number written so far.

    The format is Parquet if the name ends in .parquet, else CSV with texts that spreadsheets do not
    read as formulas. If the generator is closed before its end, no file is left. Raises OSError in
    one line that names `path`.
    """
    # Imported here, because they would delay the window's first paint.
    from pyarrow import csv, parquet

    is_parquet = Path(path).suffix.lower() == ".parquet"
    make_writer = parquet.ParquetWriter if is_parquet else csv.CSVWriter
    with (
        whole_file(path) as place,
        pa.OSFile(os.fsencode(place), "wb") as file,
        make_writer(file, SCHEMA) as writer,
    ):
        written = 0
        for batch in span_batches(listing, str if is_parquet else cell):
            writer.write_batch(batch)
            written += batch.num_rows
            yield written


def span_batches(
    listing: Listing, written: Callable[[str], str] = str
) -> Generator[pa.RecordBatch, None, None]:
    """Yield batches of a listing's spans in its order, with texts converted by `written`."""
    for first in range(0, len(listing), SPANS_AT_ONCE):
        lanes, index = listing.places(first, min(first + SPANS_AT_ONCE, len(listing)))
        yield _batch(listing, lanes, index, written)


def _batch(
    listing: Listing,
    lanes: Ints,
    index: Ints,
    written: Callable[[str], str],
) -> pa.RecordBatch:
    """Return a batch with spans given by their lanes and their positions on these lanes."""
    spans = _gathered(listing.trace, lanes, index)
    tasks = spans.table.rows[spans.row]
    lane_names = [lane.name for lane in listing.trace.header.lanes]
    columns = [
        nullable_words(lanes, lane_names, written),
        nullable_numbers(steps_of(listing.trace, spans), pa.int32()),
        pa.array(tasks["task"]),
        nullable_words(tasks["name"], spans.table.names, written),
    ]
    for name in _OWN:
        columns.append(attribute_column(tasks, name, written))
    for name in _TIMES:
        columns.append(nullable_numbers(spans[name], pa.int64()))
    columns.append(pa.array(spans.end - spans.start))
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _gathered(trace: Trace, lanes: Ints, index: Ints) -> Spans:
    """Return the spans at the given lanes and positions, in this order."""
    parts = []
    for lane in np.unique(lanes).tolist():
        positions_on_lane = index[lanes == lane]
        parts.append(trace.spans(lane)[positions_on_lane])
    # `parts` are grouped by lane; sorting twice gives the position of each requested span.
    by_lane = np.argsort(lanes, kind="stable")
    position = np.argsort(by_lane)
    return Spans.joined(parts)[position]
