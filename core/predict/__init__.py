"""Prediction: simulates plans with costs instead of running them on lanes. No torch."""
