"""The main window: its parts built, connected and started."""
