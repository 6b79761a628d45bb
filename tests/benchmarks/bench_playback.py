"""Frames a second of playback at 1600x900: a step of 64 lanes, and a million spans.

A frame is all that a tick costs: the clock, the texts of the lanes, and the parts of the window
that have changed, painted at once. Times are of the processor.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from core.models.catalogue import ModelSettings
from core.trace.trace import Trace
from gui.features.playback.layer import PlaybackLayer
from gui.look.theme import LIGHT, apply
from gui.timeline.interact.view import TimelineView
from gui.timeline.paint.playback import SceneFilm
from gui.timeline.state.scene import Scene
from tests.large_traces import large_trace
from tests.make_believe import specification, trace_of

SIZE = (1600, 900)
FRAMES = 240
SECONDS = 8.0  # that the film takes


def many_lanes() -> Trace:
    """A pipeline of 64 lanes."""
    model = ModelSettings(width=64, depth=64)
    shape = {"devices": "64xvirtual", "microbatches": 32, "batch": 32, "steps": 1, "warmup": 0}
    return trace_of(specification(model=model, **shape))


def frame_times(app: QApplication, trace: Trace, whole: bool) -> np.ndarray:
    """The milliseconds of each frame, of the described step or of the whole trace."""
    apply(app, LIGHT)
    view = TimelineView()
    view.resize(*SIZE)
    scene = Scene(trace)
    view.state.show_scene(scene)
    view.show()
    app.processEvents()
    layer = PlaybackLayer(view)
    step = scene.described
    bounds = scene.bounds if whole or step is None else trace.step_bounds(step)
    film = SceneFilm.between(scene, *bounds, None if whole else step)
    view.navigator.fit_between(*bounds)
    layer.show_film(film)
    app.processEvents()
    speed = film.film.length / (SECONDS * 1e9)
    took = []
    for moment in np.linspace(film.film.start, film.film.end, FRAMES):
        begin = time.thread_time()  # of the processor: other programs do not count
        layer.show_time(float(moment), speed)
        app.processEvents()
        took.append(1e3 * (time.thread_time() - begin))
    view.close()
    return np.array(took)


@pytest.mark.parametrize(
    ("name", "least"), [("64 lanes", 60), ("a million spans", 30)], ids=["lanes", "spans"]
)
def test_playback_keeps_its_frames_a_second(qapp: QApplication, name: str, least: int) -> None:
    is_long = name == "a million spans"
    trace = large_trace(1_000_000) if is_long else many_lanes()
    took = frame_times(qapp, trace, is_long)
    median, late = np.percentile(took, [50, 95])
    lanes = len(trace.header.compute_lanes)
    print(f"\n{name}: {trace.span_count:,} spans on {lanes} lanes: {median:.1f} ms a frame, "
          f"95 % within {late:.1f} ms, {1e3 / median:.0f} frames a second")  # fmt: skip
    assert 1e3 / median >= least
