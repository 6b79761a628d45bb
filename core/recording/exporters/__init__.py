"""Recordings in other programs' formats: one format a file."""
