"""Reports on a run: the summary, the verdict, and figures of its steps."""
