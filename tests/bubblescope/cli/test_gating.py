"""The command that judges a recording against a baseline."""

from __future__ import annotations

import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bubblescope.cli.gating import parse_percent
from bubblescope.cli.start import run_arguments
from core.errors import PlanError
from core.paths import PROJECT_ROOT
from core.recording.exporters.recording import write_recording
from core.trace.trace import Trace
from tests.core.compare.gated import Machine, Slowdown, pipeline, run_of
from tests.make_believe import record, specification

Gate = Callable[[str], int]
QUIET = Machine(scatter=0.005, jitter=0.0)
PAGE = PROJECT_ROOT / "docs" / "gate.md"


def save(trace: Trace, path: Path) -> None:
    """Write a trace to a recording."""
    for _ in write_recording(trace, path):
        pass


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs: the baseline, the same again, a slow one, and one of three steps."""
    folder = tmp_path_factory.mktemp("gate")
    slow = Slowdown((), factor=1.2, lane=2)
    save(run_of(pipeline(10), QUIET, 1), folder / "main.arrow")
    save(run_of(pipeline(10), QUIET, 2), folder / "same.arrow")
    save(run_of(pipeline(10), QUIET, 2, slow), folder / "slow.arrow")
    record(specification(steps=3), folder / "short.arrow")
    (folder / "text.arrow").write_text("no recording")
    return folder


@pytest.fixture
def gate(recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Runs `gate` in a folder with the recordings."""
    shutil.copytree(recordings, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return lambda words: run_arguments(["gate", *shlex.split(words)])


def test_a_run_that_is_no_slower_passes(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate("main.arrow same.arrow") == 0
    out, err = capsys.readouterr()
    assert out.startswith("PASS: no slower: ") and "within the noise of " in out and not err


def test_a_slower_run_fails_with_the_reason(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate("main.arrow slow.arrow --fail-over 3%") == 1
    first, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("FAIL: slower: ") and "computing on virtual:2 costs " in first
    assert gate("main.arrow slow.arrow --fail-over 50%") == 0


def test_an_assertion_that_does_not_hold_fails(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate('main.arrow same.arrow --assert "bubble<1%" --assert "exposed<99%"') == 1
    out = capsys.readouterr().out
    assert "bubble<1% does not hold: bubble is " in out and "exposed<99% holds: " in out


def test_the_results_are_written(gate: Gate, tmp_path: Path) -> None:
    assert gate("main.arrow slow.arrow --markdown gate.md --junit gate.xml") == 1
    assert "### Step time: failed" in (tmp_path / "gate.md").read_text()
    suite = ET.parse(tmp_path / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")


def test_a_baseline_of_a_folder_is_found_by_its_name(
    gate: Gate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "baselines").mkdir()
    shutil.copy("main.arrow", "baselines/slow.arrow")
    assert gate("baselines slow.arrow") == 1
    assert gate("baselines same.arrow --name slow") == 0
    assert capsys.readouterr().out.count("baseline: baselines/slow.arrow, 10 steps") == 2


@pytest.mark.parametrize(
    "words",
    [
        "main.arrow missing.arrow",
        "missing.arrow main.arrow",
        "text.arrow main.arrow",
        "main.arrow text.arrow",
        "short.arrow main.arrow",
        "main.arrow short.arrow",
        "main.arrow same.arrow --fail-over 3",
        "main.arrow same.arrow --fail-over=-3%",
        "main.arrow same.arrow --fail-over 1e999%",
        "main.arrow same.arrow --fail-over 99999999%",
        "main.arrow same.arrow --assert bubble",
        "main.arrow same.arrow --name main",
        ". same.arrow --name missing",
        "main.arrow same.arrow --markdown missing/gate.md",
        "main.arrow same.arrow --junit .",
        "main.arrow same.arrow --markdown one --junit one",
        "main.arrow same.arrow --markdown main.arrow",
        "main.arrow same.arrow --junit same.arrow",
        ". same.arrow --name main --junit main.arrow",
    ],
)
def test_bad_input_is_refused_in_one_line(
    gate: Gate, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert gate(words) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and err.startswith("bubblescope: ")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("words", ["--assert=--", "--assert=bubble<9% --assert=--"])
def test_an_assertion_without_a_text_is_refused(
    gate: Gate, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        gate(f"main.arrow same.arrow {words}")
    assert "expected one argument" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "value"), [("3%", 0.03), (" 0.5 % ", 0.005), ("0%", 0.0)])
def test_per_cent_are_read(text: str, value: float) -> None:
    assert parse_percent("--fail-over", text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "%", "3", "3%%", "nan%", "³%"])
def test_a_text_that_is_not_a_percentage_is_refused(text: str) -> None:
    with pytest.raises(PlanError, match="use a number of per cent such as 3%"):
        parse_percent("--fail-over", text)


def workflow() -> dict:
    """The GitHub Actions workflow of the docs."""
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return yaml.safe_load(text)


def test_the_workflow_of_the_docs_runs_on_pull_requests_with_known_keys() -> None:
    found = workflow()
    # YAML 1.1 reads the key `on` as true.
    assert set(found) == {"name", True, "jobs"} and "pull_request" in found[True]
    (job,) = found["jobs"].values()
    assert set(job) <= {"runs-on", "steps"}
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert set(step) <= {"name", "id", "uses", "with", "run", "if"}


def test_the_command_lines_of_the_workflow_run(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "baselines").mkdir()
    (tmp_path / "runs").mkdir()
    shutil.copy("main.arrow", "baselines/job.arrow")
    shutil.copy("same.arrow", "runs/job.arrow")
    (job,) = workflow()["jobs"].values()
    ran = []
    for step in job["steps"]:
        for line in step.get("run", "").replace("\\\n", " ").splitlines():
            words = shlex.split(line.replace("$GITHUB_STEP_SUMMARY", "summary"))
            if words[:2] == ["bubblescope", "gate"]:
                assert run_arguments(words[1:]) == 0
                ran.append(line)
            elif words[:2] == ["bubblescope", "run"]:
                # The run itself needs torch; its options are parsed.
                from bubblescope.cli.arguments import make_parser

                make_parser().parse_args(words[1:])
                ran.append(line)
    assert len(ran) == 2
    assert "### Step time: passed" in (tmp_path / "summary").read_text()
    assert (tmp_path / "gate.xml").exists()
