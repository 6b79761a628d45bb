"""Lessons in the window: their panel, their runs, and the highlight on what they point at."""
