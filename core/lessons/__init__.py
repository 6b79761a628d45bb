"""Lessons: Markdown files with runs, and the figures that their answers take from these runs."""
