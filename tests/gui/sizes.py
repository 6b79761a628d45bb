"""Screenshots at four sizes, in both themes and three languages, for visual inspection.

    python -m tests.gui.sizes FOLDER [SCENE [SCALE]]

SCENE is one of `tests.gui.pictures.SCENES`; SCALE is 1 or 2, by default both. The script prints the
timeline's share of the window in each picture. Chinese and Korean need a font with their
characters.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from core.paths import PROJECT_ROOT
from gui.app.language import speak
from gui.app.session import Session
from gui.app.settings import Settings
from gui.look.theme import DARK, LIGHT
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.pictures import picture, wait_for_rest
from tests.gui.styling import forget_style

SIZES = {1: ((1600, 1000), (1440, 900), (1000, 650)), 2: ((1920, 1080),)}
"""Sizes by scale, in logical pixels."""
LANGUAGES = ("en", "zh", "ko")


def share_of(part: QWidget, window: QWidget) -> float:
    """Return the share of a window's area that a part of it has."""
    return part.width() * part.height() / (window.width() * window.height())


def shoot(app: QApplication, folder: Path, scene: str, scale: int) -> None:
    """Save pictures of a scene at all sizes of a scale, and print the timeline's shares."""
    for theme, language in itertools.product((LIGHT, DARK), LANGUAGES):
        with tempfile.TemporaryDirectory() as kept:
            settings = Settings(Path(kept) / "settings.ini")
            settings.theme, settings.language = theme.name, language
            forget_style(app)
            speak(app, language)
            window = MainWindow(Session(FakeClient()), settings)
            window.show()
            picture(scene, window)
            for width, height in SIZES[scale]:
                window.resize(width, height)
                wait_for_rest()
                size = f"{width * scale}x{height * scale}"
                window.grab().save(str(folder / f"{scene}-{size}-{theme.name}-{language}.png"))
                timeline, strip = window.timeline.height(), window.overview.height()
                high = (timeline + strip) / window.height()
                area = share_of(window.timeline, window) + share_of(window.overview, window)
                print(
                    f"{scene} {size} {theme.name} {language}: the timeline with its strip has "
                    f"{high:.0%} of the height, {area:.0%} of the area",
                    flush=True,
                )
            window.close()


def main() -> None:
    """Take the pictures of each scale in a separate process."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    scene = sys.argv[2] if len(sys.argv) > 2 else "gap-explained"
    if len(sys.argv) > 3:
        app = QApplication(sys.argv[:1])
        app.setApplicationName("Bubblescope")
        shoot(app, folder, scene, int(sys.argv[3]))
        return
    for scale in SIZES:
        subprocess.run(
            [sys.executable, "-m", "tests.gui.sizes", str(folder), scene, str(scale)],
            env={**os.environ, "QT_SCALE_FACTOR": str(scale)},
            cwd=PROJECT_ROOT,
            check=True,
        )


if __name__ == "__main__":
    main()
