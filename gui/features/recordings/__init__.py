"""Opening and saving recordings."""
