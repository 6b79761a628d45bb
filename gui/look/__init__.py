"""Appearance and wording of the window: theme, colours, texts."""
