"""Measures what the tasks of a plan cost on this machine."""
