"""Readers of other programs' traces, listed in `core.recording.formats`."""
