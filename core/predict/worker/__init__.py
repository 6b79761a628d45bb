"""Predictions in a separate process, so that the window never waits for one."""
