"""A training job that streams into the window: its ranks' streams as one run, as they come."""
