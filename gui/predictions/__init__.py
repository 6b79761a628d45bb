"""Controllers of what is predicted: What if, the advisor, ghosts beside runs."""
