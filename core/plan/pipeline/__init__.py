"""Pipelines: plans of tasks, made from the order of a schedule's actions."""
