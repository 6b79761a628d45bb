"""Reduction of spans to pixels. NumPy only."""
