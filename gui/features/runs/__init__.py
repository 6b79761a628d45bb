"""The list of runs, and the menu of a run."""
