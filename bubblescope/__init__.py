"""Bubblescope as an installed package: the command `bubblescope`."""
