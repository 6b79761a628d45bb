"""Schedules made by hand: a board of passes on lanes, its legal moves, and puzzles."""
