"""Panels of predictions: the advisor and What if."""
