"""The table of spans, and the search bar."""
