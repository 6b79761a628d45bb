"""The state of a painter is restored, also after an interrupt."""

import pytest
from PySide6.QtGui import QImage, QPainter

from gui.look.painter import saved


def test_an_interrupt_while_drawing_restores_the_painter():
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        with pytest.raises(KeyboardInterrupt), saved(painter):
            painter.translate(3, 2)
            raise KeyboardInterrupt
        assert painter.transform().isIdentity()
