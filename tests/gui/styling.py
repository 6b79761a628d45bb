"""The application's style as it is before the first window: there is none."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def forget_style(app: QApplication) -> None:
    """Have the next window styled when all of it is there, as the app's only one is.

    Under a style sheet each widget is polished again wherever it is put: that takes longer than the
    rest of making a window, and docks are a few pixels higher or lower then.
    """
    app.setStyleSheet("")
    app.setProperty("theme", None)
