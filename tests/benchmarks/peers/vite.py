"""Opens a Paje trace in ViTE on a virtual screen; prints JSON.

    python -m tests.benchmarks.peers.vite TRACE

The first picture is there when where it draws there are as many colours as a timeline has, in
pictures of the screen that take some 20 ms each. Its frames are not measured.
"""

import json
import os
import subprocess
import sys
import time

WAIT_S = 60.0
COLOURS = 20  # fewer are an empty window's
SIZE = "1600x900"


def main() -> None:
    number = next(n for n in range(90, 200) if not os.path.exists(f"/tmp/.X{n}-lock"))
    display = {**os.environ, "DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1"}
    screen = subprocess.Popen(
        ["Xvfb", f":{number}", "-screen", "0", f"{SIZE}x24", "-nolisten", "tcp"],
        stderr=subprocess.DEVNULL,
    )
    viewer = None
    try:
        while not os.path.exists(f"/tmp/.X{number}-lock"):
            time.sleep(0.05)
        os.environ.update(display, QT_QPA_PLATFORM="xcb")
        before = time.perf_counter()
        viewer = subprocess.Popen(["vite", sys.argv[1]], env=display, stderr=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL)  # fmt: skip
        print(json.dumps(watch(before)))
    finally:
        for process in filter(None, (viewer, screen)):
            process.terminate()
            process.wait()


def watch(before: float) -> dict:
    import numpy as np
    from PySide6.QtGui import QGuiApplication, QImage

    app = QGuiApplication([])

    def picture():
        image = app.primaryScreen().grabWindow(0).toImage()
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
        return pixels[130:570, 220:1020].copy()

    def until(reached) -> float:
        end = time.monotonic() + WAIT_S
        while not reached(picture()):
            if time.monotonic() > end:
                return float("nan")
        return time.perf_counter()

    first = 1e3 * (until(lambda seen: len(np.unique(seen)) >= COLOURS) - before)
    return {"first": first if np.isfinite(first) else None, "times": []}


main()
