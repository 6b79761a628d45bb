"""Panels that say where the time went."""
