"""Measures the costs of a plan's tasks on this machine."""
