"""On the path of a job that is recorded without a line of its own."""
