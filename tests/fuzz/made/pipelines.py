"""Dumps and tables of pipelines with wrong numbers, lengths, types and columns."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pyarrow as pa

from tests.core.recording.importers.pipeline_files import as_parquet, ndtimeline_table, small_job
from tests.fuzz.bombs import File
from tests.fuzz.made.documents import packed_text, written_text
from tests.fuzz.mutations import VALUES

NUMBERS = (0, -1, 1e300, 1e12, 1e18, -1e18, 2**31, 2**63, 0.5, 1e-9, 40_000, float("nan"))
KEYS = ("1", "0", "-1", "999999999", "99999999999999", "x", "", "01", "٣")
OPERATIONS = ("forward-compute", "backward-send", "x" * 70_000, "", "gc", "tp-allgather", None)
TYPES: tuple[pa.DataType, ...] = (
    pa.int8(),
    pa.uint64(),
    pa.float16(),
    pa.float32(),
    pa.string(),
    pa.binary(),
    pa.bool_(),
    pa.timestamp("ns"),
    pa.list_(pa.int64()),
    pa.decimal128(20, 3),
)


def made_dump(documents: list[bytes], random: Random) -> File:
    """Return a dump of Primus with lists of other lengths, numbers of any size, and other keys."""
    document = json.loads(random.choice(documents))
    for _ in range(random.choice((1, 2, 5))):
        key = random.choice(list(document))
        if not isinstance(document[key], dict):
            continue
        _change_iteration(document[key], random)
        if random.random() < 0.3:
            document[random.choice(KEYS)] = document.pop(key)
        if random.random() < 0.1:
            document[random.choice(KEYS)] = random.choice(VALUES)
    text = json.dumps(document).replace("NaN", "null").encode()
    return packed_text(written_text(text, random), ".json", random)


def _change_iteration(iteration: dict[str, Any], random: Random) -> None:
    name = random.choice([*iteration, "fwd_chunk"])
    iteration.setdefault(name, [])
    way = random.randrange(6)
    values = iteration[name]
    if way == 0:
        del iteration[name]
    elif way == 1:
        iteration[name] = random.choice(VALUES)
    elif not isinstance(values, list):
        iteration[name] = random.choice(NUMBERS)
    elif way == 2:
        iteration[name] = values * random.choice((0, 2, 100))
    elif way == 3:
        iteration[name] = values[: random.randrange(len(values) + 1)]
    elif way == 4:
        iteration[name] = [random.choice(NUMBERS) for _ in values]
    else:
        iteration[name] = [*values, random.choice(VALUES)]
    if random.random() < 0.2:
        starts = iteration.get("fwd_start")
        iteration["wgrad_start"] = iteration["wgrad_end"] = starts


def made_parquet(random: Random) -> File:
    """Return a table in Parquet with other columns, types and values."""
    table = ndtimeline_table(small_job())
    for _ in range(random.choice((1, 1, 2, 4))):
        table = _changed_table(table, random)
    data = as_parquet(table)
    for _ in range(random.choice((0, 0, 1, 3))):
        place = random.randrange(len(data))
        data = data[:place] + random.randbytes(random.choice((1, 4))) + data[place + 1 :]
    if random.random() < 0.1:
        data = data[: random.randrange(len(data))]
    return ".parquet", data


def _changed_table(table: pa.Table, random: Random) -> pa.Table:
    """Return a table with one change; without it, if Arrow refuses it."""
    if not table.num_columns:
        return table
    place = random.randrange(table.num_columns)
    name = table.column_names[place]
    way = random.randrange(5)
    if way == 0:
        return table.drop_columns([name])
    if way == 1:
        return table.slice(random.randrange(20), random.choice((0, 1, 30)))
    if way == 2:
        return pa.concat_tables([table] * random.choice((2, 20)))
    values: list[Any] = [random.choice((None, *NUMBERS)) for _ in range(len(table))]
    if name == "optype":
        values = [random.choice(OPERATIONS) for _ in range(len(table))]
    if way == 3:
        if name == "optype":
            return table.set_column(place, name, pa.array(values, pa.string()))
        floats = [None if value is None else float(value) for value in values]
        return table.set_column(place, name, pa.array(floats, pa.float64()))
    try:
        return table.set_column(place, name, table.column(name).cast(random.choice(TYPES)))
    except pa.ArrowException:
        return table
