"""Pipelines: from the order of actions to a plan of tasks."""
