"""The model in a rank, as torch divides it: one file for each way, timed by hooks."""
