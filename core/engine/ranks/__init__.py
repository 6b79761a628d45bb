"""Runs strategies that torch drives, with a process for each rank."""
