"""The steps: a thumbnail of each, and a chart of their durations and losses."""
