"""What a timeline shows, as values without widgets: viewport, selection, tracks, history."""
