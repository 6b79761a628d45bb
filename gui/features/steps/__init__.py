"""A chart of the length of each step."""
