"""Figures, reports and traces for other programs."""
