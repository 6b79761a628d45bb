"""The header of a run as metadata of its stream's schema, also in recordings of older versions."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pyarrow as pa

from core.errors import RecordingError
from core.message import message
from core.recorder.stream import row_schema
from core.trace.header import FORMAT, MOST_LANES, Header
from core.trace.source import Source
from core.typed import typed

HEADER_KEY = b"bubblescope"


def schema_of(header: Header) -> pa.Schema:
    """Return the stream's schema with a run's header as metadata."""
    values = {**asdict(header), "model": header.model.to_dict()}
    return row_schema().with_metadata({HEADER_KEY: json.dumps(values).encode()})


def read_header(schema: pa.Schema, name: str = "the stream") -> Header:
    """Return the header of a stream. Raises RecordingError if it is missing or damaged."""
    data = (schema.metadata or {}).get(HEADER_KEY)
    if data is None:
        raise RecordingError(
            message("{name} is an Arrow stream, but not a recording of Bubblescope", name=name)
        )
    try:
        values = json.loads(data)
        if values["format"] != FORMAT:
            raise RecordingError(
                message(
                    "{name} has format {values!r:.40}; this version reads format {format}: "
                    "record it again",
                    name=name,
                    values=values["format"],
                    format=FORMAT,
                )
            )
        if len(values["lanes"]) > MOST_LANES:
            raise ValueError(message("it has more than {most:,} lanes", most=MOST_LANES))
        header: Header = typed(Header, values)
        if "source" not in values:
            is_predicted = values.get("predicted") is True
            header = replace(header, source=source_of_old_header(header, is_predicted))
        header.check()
    except RecordingError:
        # It is a ValueError too, but its message is complete.
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise RecordingError(
            message("{name} has a damaged header: {error}", name=name, error=error)
        ) from error
    # The metadata is the header, which differs from run to run.
    if not schema.equals(row_schema(), check_metadata=False):
        raise RecordingError(
            message("{name} is damaged: its columns are not those of a recording", name=name)
        )
    return header


def source_of_old_header(header: Header, is_predicted: bool) -> Source:
    """Return the source of a recording whose header does not name one.

    Older headers say whether times are predicted. The model of a run has blocks; the model of a job
    or of another program's trace has none, and only a job's header has a number of ranks.
    """
    if is_predicted:
        return Source.PREDICTED
    if header.model.blocks:
        return Source.RUN
    return Source.JOB if "ranks" in header.hardware else Source.IMPORTED
