"""The line above the timeline: the limit of the run, and alternatives to try."""
