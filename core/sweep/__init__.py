"""Sweeps: runs of several settings, the table of their step times, and statistics."""
