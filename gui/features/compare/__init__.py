"""Comparison of two runs: linked timelines, matched tasks, and a table of differences."""
