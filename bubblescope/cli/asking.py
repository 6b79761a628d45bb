"""The `sql` command."""

from __future__ import annotations

import argparse
import csv
from itertools import chain

from bubblescope.cli.opening import open_with_warnings
from bubblescope.cli.report import table
from core.files import check_outputs, whole_file
from core.plain import cell, plain
from core.sql.query import Answer
from core.sql.query_process import answer_in_process

WIDEST = 200
CUT = "…"


def ask(arguments: argparse.Namespace) -> None:
    """Print the answer to a query. Raises SqlError or OSError in one line."""
    check_outputs(vars(arguments))
    found = answer_in_process(arguments.query, {1: open_with_warnings(arguments.recording)})
    if arguments.csv is not None:
        _write(found, arguments.csv)
    elif found.columns:
        rows = [list(map(_text, row)) for row in found.rows]
        print(table(found.columns, rows) if rows else "no rows")
        if any(text.endswith(CUT) for text in chain.from_iterable(rows)):
            print(f"values of more than {WIDEST:,} characters are cut; --csv FILE has all of them")
    if found.cut:
        print(found.cut)


def _text(value: object) -> str:
    """Return a value for a table: numbers with six significant digits, texts cut at WIDEST."""
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else plain(str(value))
    # A long text would make its column wide in every row.
    if len(text) <= WIDEST:
        return text
    return text[: WIDEST - len(CUT)] + CUT


def _write(found: Answer, path: str) -> None:
    """Write all rows as CSV; texts that a spreadsheet would take for formulas are quoted."""
    # newline="" as the csv module requires, which writes line ends itself.
    with whole_file(path) as place, place.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(found.columns)
        for row in found.rows:
            cells = [cell(value) if isinstance(value, str) else value for value in row]
            writer.writerow(cells)
