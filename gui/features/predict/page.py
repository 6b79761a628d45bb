"""The Try page: the answer, and below it the question and the ranked ways or a sweep."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from core.override import override
from gui.features.predict.advisor_panel import AdvisorPanel
from gui.features.predict.whatif_panel import WhatIfPanel
from gui.widgets.layouts import NO_MARGINS, column, row, stacked, widget_of

WITH_PICTURE = 900
"""Least width of the page in pixels at which it shows the predicted step next to the ways, and the
sliders next to a sweep.

A sweep does not need the sliders, because it takes its settings from the form."""


class TryPage(QWidget):
    """Lays out the parts of What if and of the advisor; a sweep can replace ways and picture.

    `make_sweep` returns the sweep panel; it is called when a sweep is first shown.
    """

    def __init__(self, asked: WhatIfPanel, ways: AdvisorPanel) -> None:
        super().__init__()
        self.asked = asked
        self.ways = ways
        self.answer = asked.answer
        self.picture = asked.picture
        self.make_sweep: Callable[[], QWidget] | None = None
        self._has_sweep = False
        predicted = widget_of(
            row(
                ways,
                self.picture,
                margins=NO_MARGINS,
                spacing=8,
                growing=ways,
            )
        )
        predicted.layout().setStretchFactor(self.picture, 1)  # type: ignore[union-attr]
        self._right = QWidget()
        self._stack = stacked(self._right, predicted)
        below = row(
            asked,
            self._right,
            growing=self._right,
            margins=NO_MARGINS,
            spacing=4,
        )
        column(
            self.answer,
            below,
            of=self,
            growing=below,
            margins=(0, 0, 8, 6),
            spacing=0,
        )
        self.answer.sweep.toggled.connect(self._show_sweep)

    def open_sweep(self) -> None:
        """Show the sweep in place of the ranked ways."""
        self.answer.sweep.setChecked(True)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_what_fits()

    def _show_sweep(self, on: bool) -> None:
        if on and not self._has_sweep and self.make_sweep is not None:
            self._has_sweep = True
            self._stack.addWidget(self.make_sweep())
        self._stack.setCurrentIndex(int(on and self._has_sweep))
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        is_wide = self.width() >= WITH_PICTURE
        self.picture.setVisible(is_wide)
        self.asked.setVisible(is_wide or self._stack.currentIndex() == 0)
