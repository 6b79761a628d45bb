"""The command that says how much shorter a job would be if a part were like its peers."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bubblescope.cli.slowness import parse_axes
from bubblescope.cli.start import run_arguments
from core.errors import PlanError
from core.recording.exporters.recording import write_recording
from core.report.mesh import Axis
from tests.core.recording.importers.pipeline_jobs import (
    Fault,
    JobOptions,
    make_job,
    trace_of_job,
)

JOB = make_job(JobOptions(replicas=2, fault=Fault.WORKER, amount=1.5))
Slow = Callable[[str], int]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job with a slow worker."""
    path = tmp_path_factory.mktemp("slow") / "job.arrow"
    for _ in write_recording(trace_of_job(JOB), path):
        pass
    return path


@pytest.fixture
def slow(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slow:
    """Runs `slowdown` in a folder with job.arrow."""
    (tmp_path / "job.arrow").write_bytes(recording.read_bytes())
    (tmp_path / "text.arrow").write_text("no recording")
    monkeypatch.chdir(tmp_path)
    return lambda words: run_arguments(["slowdown", *words.split()])


def test_the_worker_and_the_matrix_are_printed(
    slow: Slow, capsys: pytest.CaptureFixture[str]
) -> None:
    assert slow("job.arrow") == 0
    out, err = capsys.readouterr()
    assert JOB.truth.worker is not None and not err
    replica, rank = JOB.truth.worker
    first, sentence, *rows = out.splitlines()
    assert first.startswith("step ") and first.endswith(" ms, mean of 6 steps")
    assert sentence.startswith(f"Worker replica {replica} rank {rank} takes ")
    cells = next(row for row in rows if row.startswith(f"DP {replica}")).split()[2:]
    assert float(cells[rank]) == pytest.approx(100 * JOB.truth.saved, rel=0.1)
    assert any(row.startswith("backward ") for row in rows)


def test_the_summary_calls_the_slow_worker_as_slowdown_does(
    slow: Slow, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(["summary", "job.arrow"]) == 0
    found = json.loads(capsys.readouterr().out)["verdict"]
    assert JOB.truth.worker is not None
    replica, rank = JOB.truth.worker
    worker = f"replica {replica} rank {rank}"
    assert found["where"] == found["even_split"]["where"] == worker
    assert f"Straggler: {worker} takes 1." in found["text"]
    assert re.search(r"[Ll]ane \d", found["text"]) is None


def test_the_table_has_every_part(slow: Slow, tmp_path: Path) -> None:
    assert slow("job.arrow --csv slow.csv --axes pp,dp") == 0
    rows = list(csv.DictReader((tmp_path / "slow.csv").read_text().splitlines()))
    workers = [row for row in rows if row["part"] == "worker"]
    assert len(workers) == 8 and {row["dp"] for row in workers} == {"0", "1"}
    slowest = max(workers, key=lambda row: float(row["share"]))
    assert (int(slowest["dp"]), int(slowest["pp"])) == JOB.truth.worker
    assert [row["name"] for row in rows if row["part"] == "row"] == [f"PP {i}" for i in range(4)]


def test_a_range_is_taken_as_one_step(slow: Slow, capsys: pytest.CaptureFixture[str]) -> None:
    assert slow("job.arrow --whole") == 0
    assert "mean of 1 step\n" in capsys.readouterr().out
    assert slow("job.arrow --range 0ms:300ms") == 0


@pytest.mark.parametrize(
    "words",
    [
        "missing.arrow",
        "text.arrow",
        "job.arrow --axes dp",
        "job.arrow --axes dp,dp",
        "job.arrow --axes dp,ep",
        "job.arrow --csv job.arrow",
        "job.arrow --csv missing/slow.csv",
        "job.arrow --whole --range 0ms:1ms",
    ],
)
def test_bad_input_is_refused_in_one_line(
    slow: Slow, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert slow(words) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and err.startswith("bubblescope: ")


def test_axes_are_read() -> None:
    assert parse_axes("tp, PP") == (Axis.TP, Axis.PP) and parse_axes(None) is None
    with pytest.raises(PlanError, match="use two of DP, PP, TP"):
        parse_axes("DP,PP,TP")
