"""Strategies on torch's own engine, a process of torchrun's for each lane."""
