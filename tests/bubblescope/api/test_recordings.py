"""Recordings in Python: comparisons, gates, and windows, with recordings of real runs."""

from pathlib import Path

import pytest

import bubblescope as bs
from core.paths import PROJECT_ROOT

RECORDINGS = PROJECT_ROOT / "resources" / "recordings"
VIRTUAL, REAL = RECORDINGS / "1f1b-4-virtual-lanes.arrow", RECORDINGS / "1f1b-2-cpu-lanes.arrow"


def test_the_reasons_of_a_comparison_add_up() -> None:
    found = bs.compare(VIRTUAL, REAL)
    assert isinstance(found, bs.Comparison)
    rows = found.reasons().to_pylist()
    contributions = [row["contribution_ns"] for row in rows]
    assert sum(contributions) == found.two.difference
    assert found.difference_ms == found.two.difference / 1e6
    assert found.runs[1].step_ms - found.runs[0].step_ms == pytest.approx(found.difference_ms)


def test_a_gate_says_why_it_fails() -> None:
    gate = bs.gate(VIRTUAL, VIRTUAL, assertions=["bubble<1%"])
    [failure] = gate.failures
    assert not gate.passes and str(failure).startswith("bubble")
    passed = bs.gate(VIRTUAL, VIRTUAL)
    assert passed.passes and passed.failures == () and str(passed.sentence)


def test_a_window_shows_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = bs.open(VIRTUAL)
    shown: list[bs.Run] = []
    files: list[Path] = []

    def run_module(words: list[str], *_: object) -> int:
        assert words[:2] == ["bubblescope", "open"]
        files.append(Path(words[2]))
        shown.append(bs.open(words[2]))
        return 0

    monkeypatch.setattr("bubblescope.api.run.run_module", run_module)
    run.show()
    assert shown[0].summary == run.summary and not files[0].exists()
