"""What the format's document shows is run, not only read."""

import re
import shutil

import pytest

from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording

SAMPLE = PROJECT_ROOT / "resources" / "recordings" / "dp-8-virtual-lanes.arrow"
BLOCKS = re.findall(
    r"```python\n(.*?)```", (PROJECT_ROOT / "docs" / "recording.md").read_text(), re.DOTALL
)


@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_the_join_in_the_document_gives_every_span_with_its_task(library, tmp_path, monkeypatch):
    pytest.importorskip(library)
    shutil.copy(SAMPLE, tmp_path / "run.arrow")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(next(block for block in BLOCKS if f"import {library}" in block), names)
    spans = names["spans"]
    columns = ["lane", "step", "start", "end", "kind"]
    told = (
        spans.select(columns).rows() if library == "polars" else spans.select(*columns).fetchall()
    )
    trace = open_recording(SAMPLE).trace
    wanted = [(s.lane, s.step, s.start, s.end, str(s.kind)) for s in trace]
    assert sorted(told) == sorted(wanted)
