"""Panels of plain data: spans, steps, log, bookmarks, figures."""
