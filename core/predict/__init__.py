"""Prediction: plans that are simulated with costs instead of run on lanes. Without torch."""
