"""Lessons: Markdown files whose steps really run, and whose answers come from what ran."""
