"""Sweeps: runs with several values of options, and their results as a Python object."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pyarrow as pa

from bubblescope.api.errors import BubblescopeError, in_one_line
from bubblescope.api.options import host_from, strategies_from, swept_values
from bubblescope.api.progress import SweepBar
from bubblescope.api.sent_model import files_of, sent_model
from bubblescope.api.sweep_text import failed_text, fastest_text, setting_text
from bubblescope.api.sweeping import SweepTable, run_sweep
from core.errors import PlanError
from core.files import check_outputs
from core.sweep.results import Result, Results
from core.sweep.sweep import MOST_RUNS, REFERENCES, REPEATS, sweep_of_values


@dataclass(frozen=True)
class SweepResults:
    """The results of a sweep, by setting.

    A notebook shows them as a sentence, a table and a picture. `warning` names settings that
    failed.
    """

    results: Results
    warning: str = ""

    @property
    def text(self) -> str:
        """The fastest setting, and those that are not certainly slower, in one sentence."""
        return fastest_text(self.results, "repeat=3")

    @property
    def fastest(self) -> dict[str, object]:
        """The row of the fastest setting in `table()`."""
        best = self.results.fastest
        assert best is not None  # `sweep` raises if nothing was measured
        return self._row(best)

    def table(self) -> pa.Table:
        """Return a row for each setting, with times in ms.

        The columns are the options that differ; the numbers of `lanes` and `runs`; `mean_ms`, the
        mean of the runs' median steps; `deviation_ms`, their sample standard deviation, None for
        one run; and `ideal_ms`, the mean of `single` divided by the number of lanes, None where
        `single` was not run.
        """
        return pa.Table.from_pylist([self._row(found) for found in self._found])

    def figure(self, path: Path | str, theme: str = "light") -> None:
        """Draw the results as PNG, SVG or PDF, by the name's ending; `theme` is light or dark."""
        from gui.features.sweep.picture import export_sweep

        with in_one_line():
            if theme not in ("light", "dark"):
                raise PlanError(f"theme={theme!r}: use light or dark")
            export_sweep(self.results, Path(path), theme)

    @property
    def _found(self) -> Sequence[Result]:
        return list(self.results.by_setting.values())

    def _row(self, found: Result) -> dict[str, object]:
        row: dict[str, object] = {}
        for name in self._option_names:
            row[name] = None
        for option, value in self.results.sweep.differing(found.setting):
            row[option.name] = value
        row["lanes"] = found.lanes
        row["runs"] = len(found.rows)
        row["mean_ms"] = found.mean_ms
        row["deviation_ms"] = found.deviation_ms
        row["ideal_ms"] = found.ideal_ms
        return row

    @property
    def _option_names(self) -> list[str]:
        """Names of the options in which settings differ; a setting may not take all of them."""
        names: dict[str, None] = {}
        for found in self._found:
            for option, _ in self.results.sweep.differing(found.setting):
                names[option.name] = None
        return list(names)

    def __repr__(self) -> str:
        return f"<SweepResults: {self.text}>"

    def _repr_html_(self) -> str:
        from gui.features.sweep.picture import sweep_picture
        from gui.figures.picture import application, png_of

        with application():
            png = base64.b64encode(png_of(sweep_picture(self.results))).decode()
        rows = []
        for found in self._found:
            setting = setting_text(self.results.sweep, found.setting)
            times = [found.mean_ms, found.deviation_ms, found.ideal_ms]
            cells = [escape(setting), f"{found.lanes}", f"{len(found.rows)}", *map(_ms, times)]
            rows.append("".join(f"<td>{cell}</td>" for cell in cells))
        names = ("setting", "lanes", "runs", "mean ms", "deviation ms", "ideal ms")
        head = "".join(f"<th>{name}</th>" for name in names)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        lines = [self.text, *self.results.timings, self.warning]
        text = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
        table = f"<table><tr>{head}</tr>{body}</table>"
        return f'{text}{table}<img width="800" alt="" src="data:image/png;base64,{png}">'


def _ms(time: float | None) -> str:
    return "–" if time is None else f"{time:.2f}"


def sweep(
    strategy: str | Sequence[str] = "pipeline",
    *,
    repeat: int = REPEATS,
    beside: Sequence[str] = REFERENCES,
    shuffle: int = 0,
    csv: Path | str | None = None,
    on: str = "",
    progress: bool = True,
    sample: Sequence[object] | None = None,
    loss: Callable[..., object] | None = None,
    **options: object,
) -> SweepResults:
    """Run every combination of several values of options, and compare the results.

    `options` are the options of `run`, each with one value or a list of values, such as
    `sweep("pipeline", split_size=[1, 2, 4], batch=12)`; `sample` and `loss` are as for `run`.
    `beside` are strategies that are run for reference, () for none; `repeat` is the number of runs
    of each setting, and `shuffle` the seed of their order. Each run is appended to the table in the
    file `csv`, and runs that it already has are not repeated. `on="user@host"` makes the runs on
    another machine, as in `run`.

    Raises BubblescopeError in one line if a setting is refused or nothing could be measured, and
    KeyboardInterrupt when interrupted; the table keeps the runs that have ended.
    """
    with in_one_line():
        is_count = isinstance(repeat, int) and not isinstance(repeat, bool)
        if not is_count or not 1 <= repeat <= MOST_RUNS:
            raise PlanError(f"repeat={repeat!r}: use 1 or more, at most {MOST_RUNS:,}")
        references = strategies_from(beside)
        host = host_from(on)
        file = None if csv is None else str(csv)
        with sent_model(options, sample, loss) as sent:
            if file is not None and sent.get("model") != options.get("model"):
                raise PlanError("csv is for models that a later sweep can find: name or file")
            given = swept_values({"strategy": strategy, **sent})
            asked = sweep_of_values(given, references, repeat, shuffle)
            # The options of runs on another machine name files there.
            check_outputs({"csv": file}, () if host else asked.own_files)
            rows = SweepTable(file, asked, host)
            with closing(SweepBar(asked, progress)) as bar:
                failed = run_sweep(asked, rows, bar, host, files_of(sent, options))
        warning = failed_text(asked, failed) if failed else ""
        results = Results(asked, tuple(rows.measured))
        if not results.by_setting:
            raise BubblescopeError(warning)
        return SweepResults(results, warning)
