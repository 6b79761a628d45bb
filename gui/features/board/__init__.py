"""The board: schedules made by hand, and puzzles."""
