"""From spans to what fits on pixels. NumPy only."""
