"""Recording training jobs that connect to the window."""
