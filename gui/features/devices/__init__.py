"""Devices in a step: load, batch split, gradient buckets, and facts of imported files."""
