"""Tables in CSV with other cells, rows and columns, and texts in TOML with other values."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.bombs import File
from tests.fuzz.mutations import VALUES

CELLS = (
    "",
    "0F0",
    "1B1",
    "9F999999999",
    "-1F0",
    "0X0",
    "0F",
    "F0",
    "(0F1;1B0)OVERLAP_F_B",
    "0I0",
    "0W0",
    "1e999",
    "nan",
    "=1+1",
    '"',
    "\x00",
    "0F" + "9" * 5000,
    "x" * 200_000,
    "1.5",
    "inf",
    "-0",
    "0F0;0F0",
    "()OVERLAP_F_B",
    " 0F0 ",
)
Rows = list[list[str]]


def made_table(valid: Sequence[bytes], random: Random) -> File:
    """Return a table that is changed in one to three ways."""
    text = random.choice(valid).decode()
    rows = [line.split(",") for line in text.splitlines()]
    for _ in range(random.choice((1, 1, 2, 3))):
        rows = random.choice(WAYS)(rows, random)
    end = random.choice(("\n", "\n", "\r\n", "\r", "\n\n"))
    made = end.join(random.choice((",", ",", ",", ";", "\t")).join(row) for row in rows)
    return ".csv", made.encode(random.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16")), "replace")


def _cell(rows: Rows, random: Random) -> Rows:
    for _ in range(random.choice((1, 1, 5, 50))):
        row = random.choice(rows or [[""]])
        if row:
            row[random.randrange(len(row))] = random.choice(CELLS)
    return rows


def _swapped(rows: Rows, random: Random) -> Rows:
    a, b = random.choice(rows or [[""]]), random.choice(rows or [[""]])
    if a and b:
        i, j = random.randrange(len(a)), random.randrange(len(b))
        a[i], b[j] = b[j], a[i]
    return rows


def _shorter(rows: Rows, random: Random) -> Rows:
    row = random.choice(rows or [[""]])
    del row[random.randrange(len(row) + 1) :]
    return rows


def _longer(rows: Rows, random: Random) -> Rows:
    row = random.choice(rows or [[""]])
    row += row[: random.choice((1, 5, 100))] * random.choice((1, 3, 1000))
    return rows


def _more_rows(rows: Rows, random: Random) -> Rows:
    some = rows[: random.choice((1, 2, 100))]
    return rows + [list(row) for row in some * random.choice((1, 2, 300))]


def _fewer_rows(rows: Rows, random: Random) -> Rows:
    return rows[random.randrange(len(rows) + 1) :][: random.choice((0, 1, 100))]


def _turned(rows: Rows, random: Random) -> Rows:
    width = max(map(len, rows), default=0)
    return [[row[n] if n < len(row) else "" for row in rows] for n in range(width)]


WAYS: tuple[Callable[[Rows, Random], Rows], ...] = (
    _cell,
    _cell,
    _cell,
    _swapped,
    _shorter,
    _longer,
    _more_rows,
    _fewer_rows,
    _turned,
)


def made_toml(random: Random) -> File:
    """Return costs in TOML, some of other types, nested, twice, or very many."""
    names = (
        "forward_ms",
        "backward_ms",
        "step_ms",
        "transfer_ms",
        "rows",
        "by",
        "sizes",
        "transfers",
        "joined",
        "x",
        "a.b",
        "forward_ms.x",
    )
    lines = [f"{name} = {random.choice((1, 2.5, '[1, 2]'))}" for name in names[:4]]
    for _ in range(random.choice((1, 2, 5))):
        name = random.choice(names)
        value = random.choice(
            (
                *(json.dumps(value) for value in VALUES),
                "nan",
                "inf",
                "1979-05-27T07:32:00Z",
                "0x7f",
                "[" * 500 + "]" * 500,
                '"""x"""',
                "{a = 1}",
                "1_000",
                "'x'",
                "[1, 'a']",
                "-inf",
            )
        )
        lines.append(f"{name} = {value}")
    if random.random() < 0.2:
        lines.append(
            random.choice(("[a.b.c]\nd = 1", "[[sizes]]\nrows = 2", "[" + "a." * 300 + "a]"))
        )
    if random.random() < 0.1:
        lines += [f"k{n} = {n}" for n in range(3000)]
    random.shuffle(lines)
    return ".toml", "\n".join(lines).encode("utf-8", "replace")
