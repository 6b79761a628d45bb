"""Figures for slides and papers: their content, appearance and file formats."""
