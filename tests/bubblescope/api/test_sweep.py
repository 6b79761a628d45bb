"""Sweeps from Python: results, files, and what is refused."""

from pathlib import Path

import pytest

import bubblescope as bs
from bubblescope.api.sweeping import SweepTable
from core.sweep.sweep import Sweep
from core.sweep.table import SweepRow

pytest.importorskip("torch")
SETTINGS = {"batch": 16, "width": 16, "depth": 4, "devices": "2xvirtual:cpu", "steps": 1}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of the sweep."""
    return tmp_path_factory.mktemp("sweep") / "s.csv"


@pytest.fixture(scope="module")
def made(file: Path) -> bs.SweepResults:
    """A sweep of two split sizes, with single as a reference."""
    return bs.sweep(
        split_size=[4, 8], beside=["single"], repeat=2, csv=file, progress=False, **SETTINGS
    )


def test_the_results_are_a_table(made: bs.SweepResults) -> None:
    rows = made.table().to_pylist()
    places = [(row["strategy"], row["split_size"], row["runs"]) for row in rows]
    assert places == [("single", None, 2), ("pipeline", 4, 2), ("pipeline", 8, 2)]
    single = rows[0]["mean_ms"]
    assert all(row["ideal_ms"] == single / 2 and row["deviation_ms"] >= 0 for row in rows)
    best = min(rows, key=lambda row: row["mean_ms"])
    assert made.fastest == best and made.text.startswith(f"fastest: {best['strategy']}")
    assert made.text in repr(made)


def test_a_table_that_has_all_runs_is_not_run_again(made: bs.SweepResults, file: Path) -> None:
    written = file.read_bytes()
    again = bs.sweep(
        split_size=[4, 8], beside=["single"], repeat=2, csv=file, progress=False, **SETTINGS
    )
    assert again.table().equals(made.table()) and file.read_bytes() == written


def test_a_notebook_shows_sentence_table_and_picture(made: bs.SweepResults) -> None:
    output = made._repr_html_()
    assert made.text in output and output.count("<tr>") == 4 and "data:image/png" in output
    assert len(output) < 1_000_000


def test_the_picture_is_a_file(made: bs.SweepResults, tmp_path: Path) -> None:
    made.figure(tmp_path / "s.png", theme="dark")
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(bs.BubblescopeError, match="use light or dark"):
        made.figure(tmp_path / "s.png", theme="blue")


def test_a_setting_that_failed_is_the_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_sweep(asked: Sweep, rows: SweepTable, *_: object) -> dict[int, str]:
        rows.add(SweepRow(asked.points[0], 1, 2.0))
        return {1: "no room"}

    monkeypatch.setattr("bubblescope.api.sweep.run_sweep", run_sweep)
    found = bs.sweep("single", batch=[2, 4], beside=(), repeat=1, progress=False)
    assert found.warning == "--batch 4 failed: no room"
    assert found.fastest["batch"] == 2 and len(found.results.by_setting) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"split_size": [4, 4]}, "4 is listed twice"),
        ({"split_size": [0]}, "--split-size 0: use 1 or more"),
        ({"split_size": ["4"]}, "split_size='4': use a whole number"),
        ({"split_size": []}, "split_size=[]: give one value or more"),
        ({"splitsize": [4]}, "there is no option 'splitsize': use split_size"),
        ({"split_size": [4], "microbatches": [2]}, "exclude each other"),
        ({"repeat": 0}, "repeat=0: use 1 or more"),
        ({"beside": ["dq"]}, "beside='dq': use names of strategies: single"),
        ({"csv": "nowhere/s.csv"}, "there is no folder"),
    ],
)
def test_bad_input_is_one_line(call, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(bs.BubblescopeError) as raised:
        bs.sweep(**call)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_a_model_in_memory_has_no_table_to_continue() -> None:
    torch = pytest.importorskip("torch")
    sample = (torch.ones(4, 2), torch.ones(4, 2))
    with pytest.raises(bs.BubblescopeError, match="csv is for models that"):
        bs.sweep(model=[torch.nn.Linear(2, 2)], sample=sample, csv="s.csv")
