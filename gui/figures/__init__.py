"""Figures for slides and papers: what they show, how they look, and how they are written."""
