"""Playback: the step on screen moves, at a chosen speed."""
