"""How the window looks and words things: theme, colours, texts."""
