"""Draws a scene with a QPainter, for the screen and for pictures."""
