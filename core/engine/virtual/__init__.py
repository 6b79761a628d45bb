"""Runs plans on virtual lanes: one task at a time, each timed alone, every lane with its clock."""
