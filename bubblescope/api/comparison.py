"""A comparison of two runs, as a Python object."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

import pyarrow as pa

from bubblescope.api.errors import in_one_line
from bubblescope.api.options import figure_options
from bubblescope.api.run import Run
from core.compare.runs import TwoRuns, row_dict


@dataclass(frozen=True)
class Comparison:
    """A comparison of the median steps of two runs, `a` and `b`.

    A notebook shows it as a sentence and a table.
    """

    two: TwoRuns
    runs: tuple[Run, Run]

    @property
    def text(self) -> str:
        """The main reasons for the difference, in one sentence."""
        return str(self.two.sentence())

    @property
    def difference_ms(self) -> float:
        """Time in ms by which b's step is longer than a's; negative if it is shorter."""
        return self.two.difference / 1e6

    def reasons(self) -> pa.Table:
        """Return a row for each kind of task and cause, in ns; contributions add up."""
        return pa.Table.from_pylist([row_dict(row) for row in self.two.reasons])

    def figure(self, path: Path | str, preset: str = "one-column", **looks: object) -> None:
        """Draw both timelines on one axis as PNG, SVG or PDF; options as in `Run.figure`."""
        from gui.figures.make import write_figure

        with in_one_line():
            traces = [run.trace for run in self.runs]
            write_figure(traces, Path(path), figure_options(preset, looks))

    def __repr__(self) -> str:
        return f"<Comparison: {self.text}>"

    def _repr_html_(self) -> str:
        rows = []
        for row in self.two.reasons:
            cells = [_ms(row.a), _ms(row.b), _ms(row.difference)]
            numbers = "".join(f"<td>{cell}</td>" for cell in cells)
            rows.append(f"<tr><td>{escape(row.name)}</td>{numbers}</tr>")
        head = "<tr><th>reason</th><th>A ms</th><th>B ms</th><th>difference ms</th></tr>"
        return f"<p>{escape(self.text)}</p><table>{head}{''.join(rows)}</table>"


def _ms(ns: int | None) -> str:
    return "–" if ns is None else f"{ns / 1e6:.3f}"
