"""Recordings whose header, rows, columns or messages are others than a writer's."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

import pyarrow as pa

from tests.fuzz.bombs import File
from tests.fuzz.mutations import changed_document

CONTINUATION = b"\xff\xff\xff\xff"
NUMBERS = (None, 0, 1, -1, 2, 7, 1000, 2**31 - 1, -(2**31), 2**61, 2**61 + 1, 2**63 - 1, -(2**63))
TEXTS = (
    None,
    "",
    "forward",
    "all-reduce",
    "nonsense",
    "x" * 100_000,
    "\0",
    "\x1b[31m",
    "costs",
    "size-costs",
    "imported",
    "arguments",
    "state",
    "finished",
    "{}",
    "[]",
    "null",
)
RECORDS = ("plan", "span", "open", "counter", "log", "clock", "nonsense", "")
Rows = list[dict[str, Any]]


def made_stream(valid: Sequence[bytes], random: Random) -> File:
    """Return a recording that is changed in one to three ways."""
    reader = pa.ipc.open_stream(random.choice(valid))
    schema, batches = reader.schema, list(reader)
    for _ in range(random.choice((1, 1, 2, 3))):
        with suppress(pa.ArrowException, OverflowError, ValueError, TypeError):
            schema, batches = random.choice(WAYS)(schema, batches, random)
    data = _written(schema, batches, random)
    return ".arrow", random.choice(BYTES)(data, random) if random.random() < 0.3 else data


Batches = list[pa.RecordBatch]
Way = Callable[[pa.Schema, Batches, Random], tuple[pa.Schema, Batches]]


def _written(schema: pa.Schema, batches: Batches, random: Random) -> bytes:
    options = pa.ipc.IpcWriteOptions(
        compression=random.choice((None, None, None, "zstd", "lz4")),
        metadata_version=random.choice((pa.ipc.MetadataVersion.V5, pa.ipc.MetadataVersion.V4)),
        use_legacy_format=random.random() < 0.1,
        emit_dictionary_deltas=random.random() < 0.2,
    )
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema, options=options) as stream:
        for batch in batches:
            with suppress(pa.ArrowException):
                stream.write_batch(batch.cast(schema) if batch.schema != schema else batch)
    return sink.getvalue()


def _header(schema: pa.Schema, batches: Batches, random: Random) -> tuple[pa.Schema, Batches]:
    """Values of the header are others, are missing, or are of another type."""
    metadata = dict(schema.metadata)
    key = b"bubblescope"
    document = json.loads(metadata[key])
    for _ in range(random.choice((1, 1, 4))):
        document = changed_document(document, random)
    metadata[key] = json.dumps(document).encode()
    schema = schema.with_metadata(metadata)
    return schema, [batch.replace_schema_metadata(metadata) for batch in batches]


def _ordered(schema: pa.Schema, batches: Batches, random: Random) -> tuple[pa.Schema, Batches]:
    """Batches are missing, come again, or in another order."""
    made = list(batches)
    if not made:
        return schema, made
    at = random.randrange(len(made))
    way = random.randrange(5)
    if way == 0:
        del made[at]
    if way == 1:
        made.insert(random.randrange(len(made)), made[at])
    if way == 2:
        random.shuffle(made)
    if way == 3:
        made += [made[at]] * random.choice((1, 50))
    if way == 4:
        made[at] = made[at].slice(0, random.randrange(len(made[at]) + 1))
    return schema, made


def _rows(schema: pa.Schema, batches: Batches, random: Random) -> tuple[pa.Schema, Batches]:
    """Rows have other numbers and texts, or none."""
    made = list(batches)
    filled = [place for place, batch in enumerate(made) if len(batch)]
    if not filled:
        return schema, made
    at = random.choice(filled)
    rows = made[at].to_pylist()
    for row in random.sample(rows, min(len(rows), random.choice((1, 1, 5, 10_000)))):
        _change_row(row, random)
    if random.random() < 0.1:
        rows *= random.choice((2, 20))
    made[at] = pa.RecordBatch.from_pylist(rows, schema)
    return schema, made


def _change_row(row: dict[str, Any], random: Random) -> None:
    name = random.choice(list(row))
    value = row[name]
    if name == "record":
        row[name] = random.choice(RECORDS)
    elif isinstance(value, list) and value and random.random() < 0.9:
        inner = random.choice(value)
        field = random.choice(list(inner or {"name": None}))
        if field == "after":
            inner[field] = random.choice((None, [], [0], [-1], [2**31 - 1], [0] * 1000))
        else:
            inner[field] = random.choice(TEXTS if isinstance(inner[field], str) else NUMBERS)
        if random.random() < 0.1:
            row[name] = random.choice(([], value * 2, value * 500, value[::-1], None))
    elif isinstance(value, list):
        row[name] = random.choice((None, []))
    else:
        row[name] = random.choice(NUMBERS)


def _columns(schema: pa.Schema, batches: Batches, random: Random) -> tuple[pa.Schema, Batches]:
    """A whole column has one number, or its numbers in another order."""
    name = random.choice(("plan", "task", "step", "start", "end", "ready", "launched"))
    made = []
    for batch in batches:
        place = batch.schema.get_field_index(name)
        values = batch.column(place).to_pylist()
        if random.random() < 0.5:
            random.shuffle(values)
        else:
            values = [random.choice(NUMBERS[:6])] * len(values)
        field = batch.schema.field(place)
        made.append(batch.set_column(place, field, pa.array(values, field.type)))
    return schema, made


def _schema(schema: pa.Schema, batches: Batches, random: Random) -> tuple[pa.Schema, Batches]:
    """A column is missing, has another name or another type."""
    place = random.randrange(len(schema))
    field = schema.field(place)
    kind = random.choice(
        (
            pa.int64(),
            pa.int8(),
            pa.float64(),
            pa.string(),
            pa.null(),
            pa.binary(),
            pa.large_string(),
            pa.list_(pa.int32()),
        )
    )
    way = random.randrange(3)
    made = []
    for batch in batches:
        if way == 0:
            made.append(batch.drop_columns([field.name]))
        elif way == 1:
            names = list(schema.names)
            names[place] = "a"
            made.append(batch.rename_columns(names))
        else:
            empty = pa.nulls(len(batch), kind)
            made.append(batch.set_column(place, pa.field(field.name, kind), empty))
    return (made[0].schema.with_metadata(schema.metadata) if made else schema), made


WAYS: tuple[Way, ...] = (_header, _header, _ordered, _rows, _rows, _rows, _columns, _schema)


def _cut(data: bytes, random: Random) -> bytes:
    """Cut at, or a byte next to, the begin of a message."""
    return data[: max(0, random.choice(_places(data)) + random.choice((-1, 0, 1, 4, 8)))]


def _swapped(data: bytes, random: Random) -> bytes:
    messages = data.split(CONTINUATION)
    a, b = (random.randrange(len(messages)) for _ in range(2))
    messages[a], messages[b] = messages[b], messages[a]
    return CONTINUATION.join(messages)


def _without(data: bytes, random: Random) -> bytes:
    messages = data.split(CONTINUATION)
    del messages[random.randrange(len(messages))]
    return CONTINUATION.join(messages)


def _lengthened(data: bytes, random: Random) -> bytes:
    """A length in a message is another one."""
    at = random.choice(_places(data)) + random.choice((4, 4, *range(8, 400, 4)))
    length = random.choice((0, 1, -1, 2**31 - 1, 2**30, 1 << 20, 1000))
    return data[:at] + struct.pack("<i", length) + data[at + 4 :]


def _longer(data: bytes, random: Random) -> bytes:
    return data + random.choice((data, bytes(8), CONTINUATION, b"junk" * 1000))


def _places(data: bytes) -> list[int]:
    return [at for at in range(0, len(data), 4) if data[at : at + 4] == CONTINUATION] or [0]


BYTES = (_cut, _swapped, _without, _lengthened, _lengthened, _longer)
