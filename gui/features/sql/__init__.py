"""SQL queries over the runs of the session."""
