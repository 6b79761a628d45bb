"""Readers of other programs' traces; `core.recording.formats` is the table of them."""
