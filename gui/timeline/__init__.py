"""The timeline: time to pixels, reduction, rows, painting, navigation and export."""
