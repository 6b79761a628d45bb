"""Measures what a check of the machine judges (core.check)."""
