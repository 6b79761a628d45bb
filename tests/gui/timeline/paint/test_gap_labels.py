"""Labels in idle gaps: the lane that the gap waits for, and the time."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from gui.look.text import NO_BREAK
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.paint.gap_labels import StepLabels, fitting_lines, label_lines
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of


def labels(spec: Specification) -> tuple[StepLabels, list[list[str]], list[list[str]]]:
    """Return the labels of a run's only step: of its waits, and of whole gaps."""
    scene = Scene(trace_of(spec))
    known = scene.explained.step(0)
    step = StepLabels(scene, 0, known)
    waits, gaps = (
        [
            [text.replace(NO_BREAK, " ") for text in step.texts(found, i)]
            for i in range(len(found.gap))
        ]
        for found in (known.waits, known.main_waits)
    )
    return step, waits, gaps


def longest(texts: list[list[str]]) -> list[str]:
    return [variants[0] for variants in texts]


def test_a_pipelines_gap_names_the_lane_the_pass_and_the_time(qapp: QApplication) -> None:
    spec = specification(devices="4xvirtual", schedule="1f1b", microbatches=8, steps=1, warmup=0)
    _, waits, gaps = labels(spec)
    assert waits[0] == [
        "waits for virtual:3 · B0 · 9.40 ms",
        "waits for virtual:3 · 9.40 ms",
        "virtual:3 · 9.40 ms",
        "waits for virtual:3",
        "virtual:3",
    ]
    # The label of the whole gap names the longest wait, and shows that others follow.
    assert gaps[0][0] == "waits for virtual:3 · B0 · 9.40 ms of 26.6 ms"
    assert gaps[0][-1] == "virtual:3…"


def test_work_of_one_device_for_all_has_three_names_in_data_parallel(qapp: QApplication) -> None:
    spec = Specification("dp", ModelSettings("tutorial"), "8xvirtual", batch=30, steps=1, warmup=0)
    _, waits, _ = labels(spec)
    found = longest(waits)
    assert "virtual:0 copies the model · 7 copies · 14 ms" in found
    assert any(text.startswith("virtual:0 scatters · ") for text in found)
    assert any(text.startswith("virtual:0 reduces · ") for text in found)
    assert not any(text.startswith("gather or reduce") for text in found)


def test_a_label_is_the_first_text_that_fits(qapp: QApplication) -> None:
    fonts = Fonts.of(QFont())
    texts = ["waits for virtual:3 · B0 · 9.40 ms".replace("0 ms", f"0{NO_BREAK}ms"), "virtual:3"]
    wide = text_width(fonts.small, texts[0])
    assert fitting_lines(texts, fonts, wide, 1) == texts[:1]
    assert fitting_lines(texts, fonts, wide - 1, 1) == texts[1:]
    lines = fitting_lines(texts, fonts, wide / 2, 3)
    assert 1 < len(lines) <= 3
    assert " ".join(lines).replace(" ·", "").split(" ") == texts[0].replace(" ·", "").split(" ")
    assert fitting_lines(texts, fonts, 5.0, 3) == []


@pytest.mark.parametrize("width", [60, 80, 120, 400])
def test_no_line_begins_or_ends_with_a_separator(qapp: QApplication, width: int) -> None:
    fonts = Fonts.of(QFont())
    lines = label_lines("a lane copies · 4 copies · 7.73 ms", fonts, width)
    assert lines and all(line.strip("· ") == line for line in lines)
