"""Time to draw 20 counters of 200,000 values each, as a screen and as a figure draw them."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from PySide6.QtGui import QFont, QImage, QPainter

from core.trace.event_rows import Counter
from core.trace.imported import Imported
from gui.look.theme import LIGHT
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import LABELS, Frame, Viewport
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.counters import draw_counters
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of

COUNTERS, VALUES, FRAMES = 20, 200_000, 20
WIDTH = 1400
SPANS = {"the whole": 1.0, "a tenth": 0.1, "a thousandth": 0.001}


def test_counters_are_drawn(qapp: object) -> None:
    trace = trace_of(specification(steps=2))
    start, end = trace.bounds
    generator = np.random.default_rng(1)
    for number in range(COUNTERS):
        times = np.sort(generator.integers(start, end, VALUES))
        arrays = {"times": times, "values": generator.normal(size=VALUES), "steps": 0 * times}
        name = f"counter {number}"
        trace.counters[name, None] = Counter(name, None, arrays)
    places = {f"counter {number}": "cpu" for number in range(COUNTERS)}
    scene = Scene(replace(trace, imported=Imported(counter_places=places)))
    lanes, strips = trace.header.lanes, Strips(counters=True)
    layout = lay_out(lanes, 900, strips, counters=scene.counters_under)
    image = QImage(WIDTH + int(LABELS), int(layout.height), QImage.Format.Format_RGB32)
    for title, share in SPANS.items():
        view = Viewport(start + (end - start) / 3, (end - start) * share, WIDTH)
        frame = Frame(view, layout, LABELS, 0, LIGHT)
        for vector in (False, True):
            took = drawing_ms(scene, replace(frame, vector=vector), image)
            print(f"{title}, {'figure' if vector else 'screen'}: {took:.1f} ms a picture")


def drawing_ms(scene: Scene, frame: Frame, image: QImage) -> float:
    """The median time of a picture, in ms."""
    taken = []
    with QPainter(image) as painter:
        canvas = Canvas.on(painter, frame, Fonts.of(QFont()))
        for _ in range(FRAMES):
            began = time.perf_counter()
            draw_counters(canvas, scene)
            taken.append(time.perf_counter() - began)
    return 1e3 * float(np.median(taken))
