"""Runs the tasks of a plan: the executor walks it over lanes, operations work on the model."""
