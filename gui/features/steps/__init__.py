"""The steps: a small picture of each, and a chart of their lengths and losses."""
