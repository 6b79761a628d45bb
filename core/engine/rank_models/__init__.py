"""The ways in which torch divides the model in a rank, a module for each."""
