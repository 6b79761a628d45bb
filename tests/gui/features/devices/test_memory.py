"""Memory: the parts of each lane's peak add up to it, and unrecorded parts are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF

from core.explain.lane_memory import MEMORY_COUNTERS
from core.recording.recording import open_recording
from gui.features.devices.memory import (
    MemoryPanel,
    heading_text,
    lane_peaks,
    note_text,
    parts_text,
    recorded_parts,
)
from gui.features.first_page.samples import DATA_PARALLEL, PIPELINE
from gui.look.text import bytes_text
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of

pytestmark = pytest.mark.usefixtures("qapp")


def scene_of(path: Path) -> Scene:
    return Scene(open_recording(path).trace)


def test_the_parts_are_measured_at_the_moment_of_the_lanes_peak() -> None:
    shown = scene_of(PIPELINE.path)
    step = shown.described
    start, end = shown.trace.step_bounds(step)
    for lane, balance in lane_peaks(shown).items():
        held, activations = shown.memory[lane].most(start, end)
        assert balance.peak_bytes == pytest.approx(held, rel=1e-6)
        assert balance.peak_parts["activations"] == pytest.approx(activations, rel=1e-6)
        assert list(balance.peak_parts) == list(MEMORY_COUNTERS)


def test_the_lane_that_holds_most_is_named() -> None:
    shown = scene_of(DATA_PARALLEL.path)
    peaks = lane_peaks(shown)
    most = max(peaks.values(), key=lambda balance: balance.peak_bytes)
    assert most.lane == 0
    size = bytes_text(most.peak_bytes)
    assert heading_text(shown, peaks) == f"virtual:0 holds most: {size} at its peak"


def test_lanes_that_hold_the_same_are_not_ranked() -> None:
    shown = scene_of(DATA_PARALLEL.path)
    peaks = {lane: one for lane, one in lane_peaks(shown).items() if lane > 1}
    assert heading_text(shown, peaks).startswith("Each lane holds ")


def test_unrecorded_parts_are_named_below() -> None:
    shown = scene_of(PIPELINE.path)
    peaks = lane_peaks(shown)
    assert "Not recorded" not in note_text(peaks)
    without = {}
    for lane, balance in peaks.items():
        parts = {name: size for name, size in balance.peak_parts.items() if name != "optimizer"}
        without[lane] = replace(balance, peak_parts=parts)
    assert recorded_parts(without) == ["parameters", "gradients", "activations"]
    assert note_text(without).endswith("Not recorded: optimizer.")


def test_a_run_without_memory_shows_a_message() -> None:
    shown = Scene(trace_of(specification(steps=1)))
    shown.balances = [replace(balance, peak_parts={}) for balance in shown.balances]
    assert MemoryPanel().words_of(shown).startswith("Memory was not recorded.")


def test_a_tooltip_has_the_size_of_every_part() -> None:
    panel = MemoryPanel()
    panel.resize(700, 300)
    panel.show_scene(scene_of(PIPELINE.path))
    panel.grab()
    balance = lane_peaks(panel.scene)[0]
    assert panel.tip_at(QPointF(300, 75)) == f"virtual:0: {parts_text(balance)}"
    assert "optimizer 0" in parts_text(balance)
