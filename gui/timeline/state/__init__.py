"""State of a timeline, as values without widgets: viewport, selection, tracks, history."""
