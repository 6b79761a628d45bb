"""The line above the timeline: what limits the run, and what to try instead."""
