"""Runs strategies with torch's own wrappers and schedules, in processes that torchrun starts."""
