"""What there is to run, described without torch; the modules are built in core.engine.modules."""
