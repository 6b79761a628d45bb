"""Traces: a recorded run as columns in memory, with search, steps and checks for gaps."""
