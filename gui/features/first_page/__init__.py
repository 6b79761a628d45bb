"""The first page of the window."""
