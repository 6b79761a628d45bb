"""Reduction of spans, counters and memory to pixels. NumPy only."""
