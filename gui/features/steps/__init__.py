"""The steps: a strip of them in small, and a chart of their lengths and losses."""
