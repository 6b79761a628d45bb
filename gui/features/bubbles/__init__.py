"""Walking from bubble to bubble."""
