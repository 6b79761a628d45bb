"""Runs the steps of a plan: the executor puts tasks on lanes, operations work on the model."""
