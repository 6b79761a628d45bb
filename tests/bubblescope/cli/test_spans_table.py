"""A recording's spans as a table, from the command line."""

import csv
from dataclasses import replace

import pytest

from bubblescope.cli.start import run_arguments
from core.plan.task import Kind
from core.recording.recording import RecordingFile
from core.trace.listing import COLUMNS
from core.trace.trace import Trace
from tests.make_believe import batches, record, specification

BAD_INPUT = 2


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "run.arrow"
    spec = specification("pipeline", schedule="1f1b", microbatches=4, steps=2, warmup=0)
    return path, record(spec, path)


def table(recorded, *options: str) -> list[dict[str, str]]:
    recording, _ = recorded
    path = recording.with_suffix(".csv")
    assert run_arguments(["export", str(recording), "--table", str(path), *options]) == 0
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def told(trace: Trace, is_so=lambda span: True) -> list[tuple[int, int]]:
    return [(span.step, span.task) for span in trace if is_so(span)]


def listed(lines: list[dict[str, str]]) -> list[tuple[int, int]]:
    return [(int(line["step"]), int(line["task"])) for line in lines]


def test_every_span_has_a_line(recorded):
    assert listed(table(recorded)) == told(recorded[1])


def test_a_query_chooses_and_a_column_sorts(recorded):
    lines = table(recorded, "--where=kind:forward step:1", "--sort=-start")
    forwards = [s for s in recorded[1] if s.kind is Kind.FORWARD and s.step == 1]
    assert listed(lines) == [
        (s.step, s.task) for s in sorted(forwards, key=lambda s: s.start, reverse=True)
    ]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--table", "{}/s.csv", "--where=stag:1"], ["stag:1", "stage"]),
        (["--table", "{}/s.csv", "--sort=colour"], ["--sort colour", *COLUMNS]),
        (["--table", "{}/s.txt"], ["s.txt", ".csv"]),
        (["--table", "{}/none/s.csv"], ["none", "folder"]),
        ([], ["--image", "--report", "--table"]),
    ],
)
def test_an_impossible_export_is_one_line_and_leaves_no_file(
    recorded, tmp_path, capsys, options, named
):
    options = [option.format(tmp_path) for option in options]
    assert run_arguments(["export", str(recorded[0]), *options]) == BAD_INPUT
    told = capsys.readouterr().err.strip()
    assert "\n" not in told
    for words in named:
        assert words in told
    assert not list(tmp_path.glob("s.*"))


def test_names_from_a_file_are_no_formulas_and_steer_no_terminal(tmp_path, capsys):
    header, made = batches(specification("dp", steps=2))
    lanes = tuple(replace(lane, name="=1+1\x1b[31m\n") for lane in header.lanes)
    path = tmp_path / "run.arrow"
    file = RecordingFile(path, replace(header, lanes=lanes))
    for batch in made:
        file.write(batch)
    file.close()
    lines = table((path, None))
    assert {line["lane"] for line in lines} >= {"'=1+1\x1b[31m\n"}
    assert all(int(line["start_ns"]) >= 0 for line in lines)
    capsys.readouterr()
    assert run_arguments(["compare", str(path), str(path)]) == 0
    said = capsys.readouterr()
    assert "=1+1\\x1b[31m\\n" in said.out and "\x1b" not in said.out + said.err


def test_an_empty_recording_exports_nothing_and_says_so(tmp_path, capsys):
    path = tmp_path / "empty.arrow"
    header, made = batches(specification())
    with_log = RecordingFile(path, header)
    with_log.write(made[0])  # the plan, and the line that the run begins
    with_log.close()
    files = {"image": "x.svg", "report": "x.html", "table": "x.csv"}
    outputs = [f"--{kind}={tmp_path / name}" for kind, name in files.items()]
    assert run_arguments(["export", str(path), *outputs]) == BAD_INPUT
    assert "has no spans: there is nothing to export" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--trace", "{}/run.txt"], ["--trace", "run.txt", ".pftrace"]),
        (["--kineto", "{}"], ["--kineto", "new or an empty folder"]),
        (["--chakra", "{}/none/plan"], ["--chakra", "none"]),
    ],
)
def test_files_for_other_programs_are_refused_in_one_line(recorded, capsys, options, named):
    recording, _ = recorded
    before = sorted(recording.parent.iterdir())
    given = [option.format(recording.parent) for option in options]
    assert run_arguments(["export", str(recording), *given]) == BAD_INPUT
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and all(word in told for word in named)
    assert sorted(recording.parent.iterdir()) == before


def test_a_trace_without_a_plan_is_no_execution_trace(tmp_path, capsys):
    (tmp_path / "a.json").write_text('[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]')
    given = ["export", str(tmp_path / "a.json"), "--chakra", str(tmp_path / "plan")]
    assert run_arguments(given) == BAD_INPUT
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "no whole step of a plan" in told
    assert not (tmp_path / "plan").exists()
