"""What a timeline shows, as values without widgets: viewport, selection, rows, history."""
