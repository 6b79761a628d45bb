"""Widgets put together, without margins between them."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget


def column_of(*parts: QWidget, growing: QWidget | None = None) -> QWidget:
    """A widget with parts below one another; the `growing` one takes what height is left."""
    whole = QWidget()
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        column.addWidget(part, int(part is growing))
    return whole
