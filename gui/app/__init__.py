"""The window and what it is built of: docks, tabs, session, settings."""
