"""Table of runs with a row for each: LaTeX with booktabs, Markdown, or CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.files import write_whole
from core.message import N_
from core.plain import Say, cell, digits, duration_unit, plain, plainly
from core.report.run_figures import RunFigures, median_figures
from core.trace.trace import Trace

NONE = "–"
SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
CSV_COLUMNS = (
    "run",
    "step_ms",
    "bubble_by_makespan",
    "bubble_by_lane_span",
    "closed_form",
    "peak_bytes",
    "rows_a_second",
    "tokens_a_second",
)
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # A line that begins with [ or * would be an argument of the \\ before it.
    "[": "{[}",
    "*": "{*}",
    "–": "--",
    "\u00a0": "~",
}
_LATEX_CHARACTERS = re.escape("".join(_LATEX))
_LATEX_SPECIAL = re.compile(f"[{_LATEX_CHARACTERS}]")
_MARKDOWN_SPECIAL = re.compile(r"([\\|*_`<\[\]])")


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in the table: its name among the others, and its figures."""

    name: str
    figures: RunFigures


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers: its title, its unit, and a text for each run."""

    title: str
    unit: str
    cells: tuple[str, ...]

    @property
    def heading(self) -> str:
        """Title and unit on one line."""
        if not self.unit:
            return self.title
        return f"{self.title}, {self.unit}"


def run_rows(traces: Sequence[Trace], names: Sequence[str]) -> list[RunRow]:
    """Return a row for each run, of its median step. Raises PlanError for a run without one."""
    rows = []
    for trace, name in zip(traces, names, strict=True):
        rows.append(RunRow(name, median_figures(trace, name)))
    return rows


def write_run_table(rows: Sequence[RunRow], path: Path, say: Say = plainly) -> None:
    """Write the table in the format of the path's suffix; `say` translates its headings.

    Raises ValueError for a suffix that FORMATS lacks, and OSError.
    """
    text_of = FORMATS.get(path.suffix.lower())
    if text_of is None:
        endings = ", ".join(FORMATS)
        raise ValueError(f"{path} cannot be written: its name must end in {endings}")
    write_whole(path, text_of(rows, say))


def latex(rows: Sequence[RunRow], say: Say = plainly) -> str:
    """Return the table for LaTeX with the package booktabs; units are in a separate line."""
    columns = _columns(rows, say)
    titles = [say(N_("Run"))]
    units = [""]
    for column in columns:
        titles.append(column.title)
        units.append(column.unit)
    alignment = "l" + "r" * len(columns)
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{tabular}{" + alignment + "}",
        r"  \toprule",
        _latex_line(titles),
        _latex_line(units),
        r"  \midrule",
    ]
    for place, row in enumerate(rows):
        cells = [column.cells[place] for column in columns]
        lines.append(_latex_line([row.name, *cells]))
    lines += [r"  \bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def markdown(rows: Sequence[RunRow], say: Say = plainly) -> str:
    """Return the table for Markdown."""
    columns = _columns(rows, say)
    headings = [column.heading for column in columns]
    lines = [
        _markdown_line([say(N_("Run")), *headings]),
        "|---|" + "--:|" * len(columns),
    ]
    for place, row in enumerate(rows):
        cells = [column.cells[place] for column in columns]
        lines.append(_markdown_line([row.name, *cells]))
    return "\n".join(lines) + "\n"


def csv_text(rows: Sequence[RunRow], say: Say = plainly) -> str:
    """Return the table as CSV with all digits, under the names that the summary's JSON has.

    Bubbles are fractions; a figure that is missing is empty. The names are not translated.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in rows:
        figures = row.figures
        numbers = (
            f"{figures.step_ns / 1e6:.6f}",  # whole ns
            _number(figures.bubble_by_makespan),
            _number(figures.bubble_by_lane_span),
            _number(figures.closed_form),
            "" if figures.peak_bytes is None else figures.peak_bytes,
            _number(figures.rows_a_second),
            _number(figures.tokens_a_second),
        )
        writer.writerow([cell(plain(row.name)), *numbers])
    return file.getvalue()


def _columns(rows: Sequence[RunRow], say: Say) -> list[Column]:
    """Return the columns, each with one unit, which suits its largest figure."""
    figures = [row.figures for row in rows]
    lengths = [one.step_ns for one in figures]
    step_ns, step_unit = duration_unit(max(lengths))
    # Times of less than a hundredth of the unit would be mostly zeros.
    shortest = min(lengths)
    if shortest < step_ns / 100:
        step_ns, step_unit = duration_unit(shortest)
    peaks = [one.peak_bytes or 0 for one in figures]
    size, size_unit = _size_unit(max(peaks))
    parts: list[tuple[str, str, Callable[[RunFigures], str]]] = [
        (N_("Step"), step_unit, lambda one: digits(one.step_ns / step_ns)),
        (N_("Bubble"), "%", lambda one: _percent(one.bubble_by_makespan)),
        (N_("By lane span"), "%", lambda one: _percent(one.bubble_by_lane_span)),
        (N_("Formula"), "%", lambda one: _percent(one.closed_form)),
        (N_("Memory"), size_unit, lambda one: _digits(one.peak_bytes, size)),
    ]
    # Throughput is counted in tokens for models with sequences, and in rows for others.
    if any(one.row_tokens is None for one in figures):
        parts.append((N_("Rows/s"), "", lambda one: _digits(one.rows_a_second, 1)))
    if any(one.row_tokens is not None for one in figures):
        parts.append((N_("Tokens/s"), "", lambda one: _digits(one.tokens_a_second, 1)))
    columns = []
    for title, unit, text_of in parts:
        cells = tuple(map(text_of, figures))
        columns.append(
            Column(
                title=say(title),
                unit=unit,
                cells=cells,
            )
        )
    return columns


def _size_unit(most: float) -> tuple[float, str]:
    for size, unit in SIZES:
        if most >= size:
            return size, unit
    return SIZES[-1]


def _percent(fraction: float | None) -> str:
    if fraction is None or math.isnan(fraction):
        return NONE
    return f"{100 * fraction:.1f}"


def _digits(value: float | None, unit: float) -> str:
    if value is None:
        return NONE
    return digits(value / unit)


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return ""
    return f"{value:.9g}"


def _latex_line(cells: Sequence[str]) -> str:
    escaped = []
    for text in cells:
        escaped.append(_LATEX_SPECIAL.sub(_latex_escape, plain(text)))
    line = " & ".join(escaped)
    return f"  {line} \\\\"


def _latex_escape(special: re.Match[str]) -> str:
    return _LATEX[special[0]]


def _markdown_line(cells: Sequence[str]) -> str:
    escaped = []
    for text in cells:
        escaped.append(_MARKDOWN_SPECIAL.sub(r"\\\1", plain(text)))
    line = " | ".join(escaped)
    return f"| {line} |"


FORMATS: dict[str, Callable[[Sequence[RunRow], Say], str]] = {
    ".tex": latex,
    ".md": markdown,
    ".csv": csv_text,
}
"""Functions that write the table, by the suffix of its file."""
