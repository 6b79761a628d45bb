"""The check of the machine, under Help."""
