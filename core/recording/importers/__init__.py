"""Traces of other programs: one format a file."""
