"""Predictions: what-if questions, the advisor, and predicted steps below measured ones."""
