"""Controllers of runs: whether the form can run, several in a row, live figures, faults found."""
