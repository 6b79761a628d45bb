"""Comparison of two runs: their differences, the totals, and the main reason."""
