"""Marks on the timeline."""
