"""Built-in models, described without torch; core.engine.models builds their modules."""
