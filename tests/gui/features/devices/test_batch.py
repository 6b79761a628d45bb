"""Batch split: its heading for a step that was run."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.plan.strategies import STRATEGIES
from core.recording.exporters.chrome import write_chrome
from core.recording.recording import open_recording
from gui.features.devices.batch import BatchPanel
from gui.timeline.state.scene import Scene
from gui.widgets.batch_preview import split_text
from tests.make_believe import header_and_plans, specification, trace_of

pytestmark = pytest.mark.usefixtures("qapp")


def heading(**values: object) -> str:
    words = BatchPanel().words_of(Scene(trace_of(specification(**values))))
    return words.split(". ")[1].replace("\u00a0", " ")


def test_the_heading_counts_one_replica_for_each_pipeline() -> None:
    told = heading(
        strategy="dp-pp", replicas=3, devices="6xvirtual", batch=50, microbatches=4, steps=1
    )
    assert told == "50 rows in 12 micro-batches: 5, 4, 4, 4, 5, 4, …, 4 over 3 replicas: 17, 17, 16"


def test_replicas_with_a_piece_each_are_described_by_their_rows() -> None:
    assert heading(strategy="dp", devices="3xcpu", batch=8) == "8 rows over 3 replicas: 3, 3, 2"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_split_is_described_the_same_after_a_run_as_before_it(strategy: str) -> None:
    asked = specification(strategy=strategy, devices="4xcpu", batch=26)
    (plan,) = header_and_plans(asked)[1].values()
    plain = split_text(plan.parts).replace("\u00a0", " ")
    assert heading(strategy=strategy, devices="4xcpu", batch=26) == plain


def test_a_trace_without_row_counts_is_drawn_without_pieces(tmp_path: Path) -> None:
    trace = trace_of(specification(steps=1))
    list(write_chrome(trace, tmp_path / "trace.json"))
    opened = open_recording(tmp_path / "trace.json").trace
    panel = BatchPanel()
    panel.resize(600, 300)
    panel.show_scene(Scene(opened), False)
    assert not panel.grab().isNull()
    assert panel.parts(Scene(opened))[1] == []
