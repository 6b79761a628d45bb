"""Statistics of a range."""
