"""The command that compares two recordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bubblescope.cli.start import run_arguments
from tests.forked_commands import ForkedCommands
from tests.make_believe import record, specification

Compare = Callable[[str], int]


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compare:
    """Runs `compare` in a folder with the recordings two.arrow and eight.arrow."""
    record(specification(microbatches=2), tmp_path / "two.arrow")
    record(specification(microbatches=8), tmp_path / "eight.arrow")
    (tmp_path / "text.arrow").write_text("no recording")
    monkeypatch.chdir(tmp_path)
    return lambda words: run_arguments(["compare", *words.split()])


def test_the_sentence_and_the_tables_are_printed(
    compare: Compare, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare("two.arrow eight.arrow") == 0
    said = capsys.readouterr().out
    assert "A: two.arrow, step " in said and "B: eight.arrow, step " in said
    assert "less on pipeline fill and drain" in said and "(8 micro-batches instead of 2)." in said
    assert "idle: pipeline fills" in said and "cpu:1 is idle" in said
    assert "tasks matched; only B: " in said


def test_the_printed_contributions_add_up_to_the_printed_difference(
    compare: Compare, capsys: pytest.CaptureFixture[str]
) -> None:
    compare("two.arrow eight.arrow --step-a all --step-b 2")
    table = capsys.readouterr().out.split("\n\n")[1].splitlines()[1:]
    *parts, total = (float(line.split()[-1]) for line in table)
    assert sum(parts) == pytest.approx(total, abs=0.001 * len(parts))


def test_the_differences_are_written_as_json(compare: Compare, tmp_path: Path) -> None:
    assert compare("two.arrow eight.arrow --step-a 1 --step-b all --summary out.json") == 0
    values = json.loads((tmp_path / "out.json").read_text())
    assert values["steps"] == {"a": [2], "b": [2, 3, 4, 5, 6]}
    assert sum(row["contribution_ns"] for row in values["lanes"]) == values["difference_ns"]


@pytest.mark.parametrize(
    "words",
    ["--image both.png --scale fit --theme dark", "--image both.svg --align 1F0 --report b.html"],
)
@pytest.mark.usefixtures("compare")
def test_pictures_and_reports_are_written(
    commands: ForkedCommands, tmp_path: Path, words: str
) -> None:
    pytest.importorskip("PySide6", reason="Qt is not installed")
    # A process of its own: there can be one application of Qt's in each.
    done = commands.run(tmp_path, ["compare", "two.arrow", "eight.arrow", *words.split()])
    assert done.returncode == 0, done.stderr
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".html": b"<!DOCTYPE html>"}
    for word in words.split():
        if (suffix := Path(word).suffix) in begins:
            assert (tmp_path / word).read_bytes().startswith(begins[suffix])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("two.arrow none.arrow", "none.arrow"),
        ("two.arrow text.arrow", "text.arrow"),
        ("two.arrow eight.arrow --step-a 9", "--step-a 9: two.arrow has the steps 1 to 5"),
        (f"two.arrow eight.arrow --step-a {'9' * 5000}", "two.arrow has the steps 1 to 5"),
        ("two.arrow eight.arrow --step-b last", "--step-b last: eight.arrow has the steps 1 to 5"),
        (
            "two.arrow eight.arrow --image a.svg --align 9F9",
            "--align 9F9: two.arrow has no such task; use start",
        ),
        (
            "two.arrow eight.arrow --report a.html --align 0F7",
            "--align 0F7: two.arrow has no such task",
        ),
        ("two.arrow eight.arrow --image out.bmp", "--image out.bmp: use a name that ends in .png"),
        ("two.arrow eight.arrow --summary a/b.json", "there is no folder"),
        ("two.arrow eight.arrow --report out.txt", "--report out.txt: use a name that ends in"),
    ],
)
def test_runs_that_cannot_be_compared_are_refused_in_one_line(
    compare: Compare, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    assert compare(words) == 2
    told = capsys.readouterr()
    assert said in told.err and told.out == "" and len(told.err.splitlines()) == 1
