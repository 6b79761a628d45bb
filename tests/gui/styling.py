"""Reset the application's style sheet, as before the first window."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def forget_style(app: QApplication) -> None:
    """Remove the style sheet, so that the next window is styled once it is complete, as in the app.

    With a style sheet already set, Qt polishes each widget again when it gets a parent. This takes
    longer than the rest of making a window, and changes the height of docks by a few pixels.
    """
    app.setStyleSheet("")
    app.setProperty("theme", None)
