"""Sweeps in the window: the varied options, the growing chart, and its picture for files."""
