"""Lanes that run tasks: threads and streams, their clocks, and the memory that they hold."""
