"""How long each step took."""
