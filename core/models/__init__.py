"""What there is to run, described without torch; core.engine.models builds the modules."""
