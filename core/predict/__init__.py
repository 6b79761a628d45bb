"""Prediction: a plan on a cost model instead of on lanes. Knows no torch."""
