"""Lessons in the window: their panel, their runs, and the spotlight on their subject."""
