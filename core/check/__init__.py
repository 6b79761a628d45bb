"""Checks whether times of this machine can be trusted: measurements and their judgement."""
