"""The form of settings, and starting and stopping runs."""
