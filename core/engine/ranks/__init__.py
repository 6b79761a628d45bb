"""Runs that torch drives: a process for each rank, timed by hooks."""
