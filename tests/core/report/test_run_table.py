"""Tables of runs: the figures are the summary's, and no name of a run breaks a table."""

from __future__ import annotations

import csv
import io
import re
from statistics import fmean

import pytest

from core.errors import PlanError
from core.explain.run_step import explain_run_step
from core.models.catalogue import MODELS, ModelSettings
from core.predict.replan import RunPlans
from core.report.run_figures import RunFigures, median_figures, run_figures
from core.report.run_table import RunRow, csv_text, latex, markdown, run_rows
from core.report.step_figures import figures_of_step
from core.report.summary import summarise
from core.trace.trace import Trace
from tests.make_believe import specification, trace_of, without_steps

NAME = r"50 % of_A & {B} #1 \x ~^ $2 <3> |4| [5] *6*"


def row(**values: object) -> RunRow:
    figures = {
        "step_ns": 12.5e6, "bubble_by_makespan": 0.282, "bubble_by_lane_span": 0.3,
        "closed_form": None, "peak_bytes": None, "rows": None,
    }  # fmt: skip
    name = str(values.pop("name", "run"))
    return RunRow(name, RunFigures(**{**figures, **values}))


@pytest.fixture(scope="module")
def runs() -> list[Trace]:
    specifications = (
        specification(devices="4xcpu", schedule="zb-h1", steps=3),
        specification(devices="4xcpu", schedule="1f1b", batch=64, data=150),
        specification(strategy="dp", devices="4xcpu", steps=3, batch=30),
        specification(strategy="tp", devices="2xcpu", steps=1),
        specification(strategy="fsdp", devices="2xcpu", steps=1),
        specification(strategy="dp-pp", devices="4xcpu", steps=1),
    )
    return [trace_of(one) for one in specifications]


def test_the_figures_of_a_run_are_those_of_its_summary(runs: list[Trace]) -> None:
    for trace in runs:
        found, median = median_figures(trace, "run"), summarise(trace).median
        assert found.step_ns == median.makespan_ns
        assert found.bubble_by_makespan == median.bubble_by_makespan
        assert found.bubble_by_lane_span == median.bubble_by_lane_span
        assert found.closed_form == median.closed_form
        assert found.peak_bytes == max(lane.peak_bytes for lane in median.lanes)
        # Each row of the batch counts once, however many lanes it passes.
        rows = trace.header.specification.all_rows[median.step]
        assert found.rows == rows
        assert found.rows_a_second == pytest.approx(rows / (median.makespan_ns / 1e9))


def test_throughput_is_in_tokens_for_models_with_sequences() -> None:
    gpt = ModelSettings("gpt", width=64, depth=2, sequence=32)
    usual = ModelSettings("gpt", width=64, depth=2)  # the sequence that the model has by default
    for model, tokens in ((gpt, 32), (usual, MODELS["gpt"].settings["sequence"])):
        trace = trace_of(specification(strategy="dp", model=model, batch=12, steps=1))
        found = median_figures(trace, "run")
        assert found.tokens_a_second == pytest.approx(12 * tokens / (found.step_ns / 1e9))
        assert found.rows_a_second == pytest.approx(12 / (found.step_ns / 1e9))
    plain = trace_of(specification(strategy="dp", batch=12, steps=1))
    assert median_figures(plain, "run").tokens_a_second is None


def test_the_column_of_throughput_is_named_after_what_it_counts() -> None:
    rows, tokens = row(rows=64), row(rows=64, row_tokens=32)
    heading, *_ = markdown([rows]).splitlines()
    assert heading.endswith("| Rows/s |") and "Tokens" not in heading
    heading, _, line = markdown([tokens]).splitlines()
    assert heading.endswith("| Tokens/s |") and "Rows" not in heading
    assert line.endswith("| 163840 |")
    heading, _, first, second = markdown([rows, tokens]).splitlines()
    assert heading.endswith("| Rows/s | Tokens/s |")
    assert first.endswith("| 5120 | – |") and second.endswith("| 5120 | 163840 |")
    assert "Tokens/s" in latex([tokens])
    assert csv_text([tokens]).splitlines()[1].endswith(",5120,163840")


def test_several_steps_have_their_mean(runs: list[Trace]) -> None:
    trace = runs[0]
    steps = trace.steps[-2:]
    summaries = {step.step: step for step in summarise(trace).steps}
    of_steps = []
    for step in steps:
        of_steps.append(figures_of_step(RunPlans(trace), step, explain_run_step(trace, step)))
    found = run_figures(trace, steps, of_steps)
    both = [summaries[step] for step in steps]
    assert found.step_ns == fmean(step.makespan_ns for step in both)
    assert found.bubble_by_makespan == fmean(step.bubble_by_makespan for step in both)
    assert found.closed_form == pytest.approx(fmean(step.closed_form or 0.0 for step in both))


def test_a_run_without_a_measured_step_is_refused_by_name() -> None:
    bare = without_steps(trace_of(specification(steps=1)))
    with pytest.raises(PlanError, match="Pipeline has no measured step"):
        run_rows([bare], ["Pipeline"])


def test_a_latex_table_has_a_line_for_each_run_and_escapes_names() -> None:
    text = latex([row(name=NAME), row(closed_form=0.25, peak_bytes=28e6, rows=64)])
    lines = text.splitlines()
    assert lines[1] == r"\begin{tabular}{lrrrrrr}" and lines[-1] == r"\end{tabular}"
    body = [line for line in lines if line.endswith(r"\\")]
    assert len(body) == 4  # two lines of headings, two runs
    for line in body:
        assert len(re.findall(r"(?<!\\)&", line)) == 6
        assert not re.search(r"(?<!\\)[#%$]|(?<!\\)_", line)
    assert body[2].strip().startswith(r"50 \% of\_A \& \{B\} \#1 \textbackslash{}x ")
    assert body[2].count("--") == 3  # no formula, memory or rows
    assert [cell.strip(" \\") for cell in body[3].split("&")][1:] == [
        "12.5", "28.2", "30.0", "25.0", "28", "5120",
    ]  # fmt: skip


def test_a_markdown_table_has_as_many_cells_in_each_line() -> None:
    lines = markdown([row(name=NAME), row()]).splitlines()
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines] == [8] * 4


def test_a_csv_has_all_digits_and_no_formula_of_a_spreadsheet() -> None:
    rows = [row(name="=1+1", step_ns=1234.0, bubble_by_makespan=1 / 3), row(name='a,"b')]
    header, first, second = csv.reader(io.StringIO(csv_text(rows)))
    assert dict(zip(header, first, strict=True)) == {
        "run": "'=1+1", "step_ms": "0.001234", "bubble_by_makespan": "0.333333333",
        "bubble_by_lane_span": "0.3", "closed_form": "", "peak_bytes": "", "rows_a_second": "",
        "tokens_a_second": "",
    }  # fmt: skip
    assert second[0] == 'a,"b'


def test_an_incomplete_step_has_no_bubble() -> None:
    missing = row(bubble_by_makespan=float("nan"), bubble_by_lane_span=float("nan"))
    assert "nan" not in (csv_text([missing]) + markdown([missing]) + latex([missing])).lower()


def test_a_column_has_one_unit_in_which_no_figure_is_lost() -> None:
    text = markdown([row(step_ns=2.5e9), row(step_ns=40e6)])
    assert "Step, s" in text and "| 2.5 |" in text and "| 0.04 |" in text
    assert "Step, µs" in markdown([row(step_ns=2.5e9), row(step_ns=400e3)])
