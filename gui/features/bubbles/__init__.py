"""Navigation from bubble to bubble."""
