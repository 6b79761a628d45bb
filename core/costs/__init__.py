"""Costs of a plan's tasks, and the times at which tasks run with these costs. No torch."""
