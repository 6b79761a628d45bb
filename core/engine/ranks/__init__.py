"""The processes of a run that torch drives: one for each rank."""
