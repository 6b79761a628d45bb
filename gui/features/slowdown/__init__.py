"""Slowdown: which worker, group of workers or kind of work makes the job slow."""
