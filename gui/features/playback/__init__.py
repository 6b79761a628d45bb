"""Playback of the step on screen, at a chosen speed."""
