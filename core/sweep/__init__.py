"""Sweeps: one run for each of several settings, its step's time as a table, and its statistics."""
