"""Lessons in the window: their panel, their runs, and the light on what they point at."""
