"""From a scene to a QPainter, for the screen and for pictures alike."""
