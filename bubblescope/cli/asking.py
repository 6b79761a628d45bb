"""The command that answers SQL."""

from __future__ import annotations

import argparse
import csv

from bubblescope.cli.commands import open_aloud
from bubblescope.cli.report import table
from core.files import check_outputs, whole_file
from core.plain import cell, plain
from core.sql.apart import answer_apart
from core.sql.query import Answer

WIDEST = 200
CUT = "…"


def ask(arguments: argparse.Namespace) -> None:
    """Print what a query finds in a recording. Raises QueryError or OSError in one line."""
    check_outputs(vars(arguments))
    found = answer_apart(arguments.query, {1: open_aloud(arguments.recording)})
    if arguments.csv is not None:
        _write(found, arguments.csv)
    elif found.columns:
        rows = [[_text(value) for value in row] for row in found.rows]
        print(table(found.columns, rows) if rows else "no rows")
        if any(cell.endswith(CUT) for row in rows for cell in row):
            print(f"values of more than {WIDEST:,} characters are cut; --csv FILE has all of them")
    if found.cut:
        print(found.cut)


def _text(value: object) -> str:
    """Return a value as a table shows it: numbers to six digits that count, texts up to WIDEST."""
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else plain(str(value))
    # A column is as wide as its widest value, in every row.
    return text if len(text) <= WIDEST else text[: WIDEST - len(CUT)] + CUT


def _write(found: Answer, path: str) -> None:
    """All rows as CSV, in which no text is a formula to a spreadsheet."""
    # As csv asks: it writes line ends itself.
    with whole_file(path) as place, place.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(found.columns)
        for row in found.rows:
            writer.writerow([cell(value) if isinstance(value, str) else value for value in row])
