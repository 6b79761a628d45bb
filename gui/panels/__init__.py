"""The panels around the timeline: settings on the left, docks below."""
