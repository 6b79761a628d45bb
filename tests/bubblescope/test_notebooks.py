"""The example notebooks: they run, and the outputs that are stored in them are small and whole."""

import json
import os
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT

NOTEBOOKS = sorted((PROJECT_ROOT / "docs" / "notebooks").glob("*.ipynb"))
MOST_BYTES = 1_000_000


def outputs_of(notebook: dict) -> list[dict]:
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def assert_shown(notebook: dict) -> None:
    """Check that every cell has run without an error, and that runs are shown in small frames."""
    outputs = outputs_of(notebook)
    assert not [output for output in outputs if output["output_type"] == "error"]
    shown = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    assert sum(html.startswith("<iframe") for html in shown) >= 2
    assert all(len(json.dumps(output)) < MOST_BYTES for output in outputs)


def test_there_are_three_notebooks() -> None:
    names = [path.stem for path in NOTEBOOKS]
    assert names == ["data_parallel", "own_module", "split_sizes"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_notebook_shows_its_runs_and_no_warning(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert_shown(notebook)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert not [output for output in outputs_of(notebook) if output.get("name") == "stderr"]
    assert os.path.expanduser("~") + "/" not in path.read_text("utf-8")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    client = pytest.importorskip("nbclient", exc_type=ImportError)
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("cloudpickle")
    monkeypatch.setenv("PYTHONPATH", str(PROJECT_ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(tmp_path)}}
    client.NotebookClient(notebook, timeout=500, resources=where).execute()
    assert_shown(notebook)
