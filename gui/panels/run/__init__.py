"""Panels that say what to run and what was run."""
