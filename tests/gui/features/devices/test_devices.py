"""The Devices panel names no lane as slow if the difference is within the scatter between steps."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from gui.features.devices.texts import balance_rows, load_text
from gui.timeline.state.scene import Scene
from tests.core.report.verdicts import made
from tests.make_believe import specification, trace_of

MODEL = ModelSettings("mlp", width=64, depth=8)


def scene(steps: int = 8, **given: object) -> Scene:
    """Steps of four equal lanes whose times scatter by 5 %, in view."""
    asked = Specification(
        "ddp", MODEL, "4xvirtual:cpu", batch=64, steps=steps, warmup=0, jitter=0.05, seed=3, **given
    )
    return Scene(made(asked).trace)


def compute_cell(shown: Scene) -> str:
    return balance_rows(shown)[-1][1]


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None:
    """Create the application, which translates texts."""


def test_differences_within_the_scatter_are_called_noise() -> None:
    shown = scene()
    assert load_text(shown).startswith("virtual:0: ")
    assert " × the mean work (within noise)" in load_text(shown)
    assert compute_cell(shown).endswith("× (noise)")


def test_a_clearly_slower_lane_is_not_called_noise() -> None:
    first, other = scene(slow_lane="0:1.5"), scene(slow_lane="2:1.5")
    assert "noise" not in compute_cell(first) + compute_cell(other)
    assert "noise" not in load_text(first)


def test_a_single_step_in_view_is_judged_by_the_scatter_of_all_steps() -> None:
    shown = scene()
    shown.update_figures([3])
    assert shown.summed == 1 and compute_cell(shown).endswith("× (noise)")


def test_the_scatter_of_only_two_steps_is_unknown() -> None:
    assert "noise" not in compute_cell(scene(steps=2))


def test_the_first_lanes_load_is_a_heading_only_if_all_lanes_do_the_same() -> None:
    pipeline = specification(devices="4xvirtual", microbatches=4, steps=2)
    assert load_text(Scene(trace_of(pipeline))) == ""
    data_parallel = Specification("dp", ModelSettings("tutorial"), "8xcpu", batch=30, steps=2)
    assert load_text(Scene(trace_of(data_parallel))).startswith("cpu:0: ")
