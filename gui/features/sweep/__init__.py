"""Sweeps in the window: what is varied, the curve that grows, and its picture for files."""
